//! The process that cleans up when a measurement is killed.
//!
//! A killed process can clean up nothing, so another one does: it holds the end of a pipe, learns what there is to end and to
//! remove, and acts when the pipe closes, whatever closed it. It is a process group of its own, which Ctrl-C does not
//! reach.
//!
//! A process can leave its group, and a kill can come between the start of a process and the word of it. So everything
//! that is started carries a mark in its environment, by which the guardian finds the rest where the system shows
//! environments.
//!
//! A plain launch, as of `init`, a single `run` or a build, stays in the group of this process, where Ctrl-C reaches it, and may leave a
//! build daemon behind. It is ended only if this process ends first, and only on Linux.

use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use anyhow::Context;
use perf_cli::Failure;
use perf_cli::term::printable_lines;
use tempfile::TempDir;

use super::priority;
use crate::git;
use crate::removal::remove_tree;

/// The hidden first argument with which this program is the guardian.
const GUARDIAN: &str = "__guardian";

/// The variable that carries the mark.
const MARK: &str = "PERF_GATE_RUN";
/// The suffix of the mark of a process that must not be interrupted.
const PATIENT: &str = "-wait";

/// The guardian of plain launches.
static OF_PLAIN_LAUNCHES: OnceLock<Option<Guardian>> = OnceLock::new();

/// The reason why a launch has no result, which is no fault of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The time limit of the measurement.
    #[error("the time limit ended a launch")]
    Deadline,
    /// Ctrl-C or a signal.
    #[error("interrupted")]
    Interrupted,
}

/// The other process.
#[derive(Debug)]
pub struct Guardian {
    child: Child,
    pipe: Mutex<Option<ChildStdin>>,
    mark: String,
    running: Mutex<BTreeSet<u32>>,
    /// The number of temporary folders, or of launches that have a mark of their own.
    numbered: AtomicUsize,
    is_interrupted: AtomicBool,
}

impl Guardian {
    /// Starts this program again, as the guardian.
    ///
    /// # Errors
    /// A program that cannot start itself again, or a system without random numbers.
    pub fn start() -> anyhow::Result<Self> {
        let guardian = Self::without_mark()?;
        guardian.send(&format!("mark {}", guardian.mark));
        Ok(guardian)
    }

    fn without_mark() -> anyhow::Result<Self> {
        let mark = format!(
            "{:016x}",
            getrandom::u64().context("cannot draw a random number")?
        );
        let start = || {
            let mut command = Command::new(std::env::current_exe()?);
            command
                .arg(GUARDIAN)
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            #[cfg(unix)]
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            command.spawn()
        };
        let mut child = start().context("cannot start the guardian process")?;
        let pipe = Mutex::new(child.stdin.take());
        let (running, numbered, is_interrupted) = Default::default();
        Ok(Self {
            child,
            pipe,
            mark,
            running,
            numbered,
            is_interrupted,
        })
    }

    /// Marks a command, to be ended with this process.
    pub fn mark<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env(MARK, &self.mark)
    }

    /// Marks a command that must come to its own end before its traces are removed.
    pub fn mark_patiently<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env(MARK, format!("{}{PATIENT}", self.mark))
    }

    /// A process group to end.
    pub fn watch(&self, group: u32) {
        self.send(&format!("group {group}"));
        lock(&self.running).insert(group);
        // Between its start and here it could not be ended.
        if self.is_interrupted() {
            end_group(group);
        }
    }

    /// The group has ended.
    pub fn forget(&self, group: u32) {
        lock(&self.running).remove(&group);
        self.send(&format!("ended {group}"));
    }

    /// Ends what runs, and all that is started from now on.
    pub fn interrupt(&self) {
        self.is_interrupted.store(true, Ordering::SeqCst);
        lock(&self.running).iter().copied().for_each(end_group);
    }

    /// True after an interruption.
    pub fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::SeqCst)
    }

    /// Runs a command as a group of its own, and returns its standard output without the line end.
    ///
    /// # Errors
    /// A command that cannot be started, fails, or is interrupted; with what it said.
    pub fn run(&self, command: &mut Command, name: &str) -> anyhow::Result<String> {
        self.mark(command)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let child = command
            .spawn()
            .with_context(|| format!("cannot start `{name}`"))?;
        let group = child.id();
        self.watch(group);
        let output = child.wait_with_output();
        self.forget(group);
        let output = output?;
        if self.is_interrupted() {
            return Err(Stopped::Interrupted.into());
        }
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout)
                .trim_end()
                .to_owned());
        }
        let why = printable_lines(String::from_utf8_lossy(&output.stderr).trim());
        Err(Failure::new(format!("`{name}` failed: {why}")).into())
    }

    /// A temporary folder within another, which is removed even if this process is killed.
    ///
    /// # Errors
    /// A folder that cannot be made.
    pub fn temporary_folder(&self, within: &Path) -> anyhow::Result<TempDir> {
        let name = format!(
            "perf-gate-{}-{}",
            self.mark,
            self.numbered.fetch_add(1, Ordering::SeqCst)
        );
        // Before it is made: a kill may come at any time.
        self.send(&format!("folder {}", within.join(&name).display()));
        let made = tempfile::Builder::new()
            .prefix(&name)
            .rand_bytes(0)
            .tempdir_in(within);
        made.context("cannot make a temporary folder")
    }

    /// A worktree to remove, of the repository at `repository`.
    pub fn prune_at_end(&self, repository: &Path) {
        self.send(&format!("repository {}", repository.display()));
    }

    /// Gives the session its normal priority at the end.
    pub fn restore_session(&self) {
        self.send("session");
    }

    /// Without a guardian a measurement goes on: what it guards against is rare.
    fn send(&self, line: &str) {
        let mut pipe = lock(&self.pipe);
        if let Some(pipe) = pipe.as_mut() {
            let _ = writeln!(pipe, "{line}").and_then(|()| pipe.flush());
        }
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        drop(lock(&self.pipe).take());
        let _ = self.child.wait();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A plain launch.
#[derive(Debug)]
pub struct PlainLaunch(Option<&'static Guardian>);

/// Marks the command of a plain launch: until the value is dropped, it ends with this process, on Linux. Without a guardian it
/// is launched all the same.
pub fn plain_launch(command: &mut Command) -> PlainLaunch {
    let guardian = OF_PLAIN_LAUNCHES
        .get_or_init(|| Guardian::without_mark().ok())
        .as_ref();
    if let Some(guardian) = guardian {
        // Not that of the launches before, whose build daemons stay.
        let mark = format!(
            "{}-{}",
            guardian.mark,
            guardian.numbered.fetch_add(1, Ordering::SeqCst)
        );
        guardian.send(&format!("launch {mark}"));
        command.env(MARK, mark);
    }
    PlainLaunch(guardian)
}

impl Drop for PlainLaunch {
    fn drop(&mut self) {
        self.0.iter().for_each(|guardian| guardian.send("launch"));
    }
}

/// Serves as the guardian and returns the exit code, if this process was started for that.
pub fn entered() -> Option<ExitCode> {
    (std::env::args_os().nth(1)? == GUARDIAN).then(|| {
        serve(std::io::stdin().lock());
        ExitCode::SUCCESS
    })
}

/// Listens until the pipe closes, then cleans up.
fn serve(lines: impl BufRead) {
    let (mut mark, mut launch, mut is_raised) = (None, None, false);
    let (mut groups, mut folders, mut repositories) =
        (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for line in lines.lines().map_while(Result::ok) {
        match line.split_once(' ').unwrap_or((&line, "")) {
            ("mark", text) => mark = Some(text.to_owned()),
            ("launch", text) => launch = Some(text.to_owned()).filter(|text| !text.is_empty()),
            ("group", id) => groups.extend(id.parse::<u32>()),
            ("ended", id) => drop(id.parse().map(|id| groups.remove(&id))),
            ("folder", path) => drop(folders.insert(path.to_owned())),
            ("session", _) => is_raised = true,
            ("repository", path) => drop(repositories.insert(path.to_owned())),
            _ => {}
        }
    }
    if is_raised {
        priority::restore_session();
    }
    for group in groups {
        end_group(group);
    }
    if let Some(mark) = launch {
        marked::end_soon(&format!("{MARK}={mark}"));
    }
    if let Some(mark) = mark {
        marked::end(
            &format!("{MARK}={mark}"),
            &format!("{MARK}={mark}{PATIENT}"),
        );
    }
    for folder in &folders {
        // Gone already in every run that ended by itself.
        let _ = remove_tree(Path::new(folder));
    }
    for repository in &repositories {
        let _ = git::git(Path::new(repository), &["worktree", "prune"]);
    }
}

#[cfg(target_os = "linux")]
mod marked {
    use std::fs;
    use std::thread::sleep;
    use std::time::Duration;

    use rustix::process::{Pid, Signal, kill_process};

    use super::PATIENT;

    /// Between two searches. A process that is about to start shows the environment of the one that started it.
    const PAUSE: Duration = Duration::from_millis(10);
    /// Searches in a row that must find nothing.
    const CALM: usize = 3;
    /// Searches at most: some ten seconds, after which git is ended, too.
    const MOST: usize = 1_000;
    /// Searches for processes that may end by themselves, and those before they are asked to.
    const GRACE: usize = 90;
    const ASKED: usize = 30;

    /// Ends the processes with a mark, unless they end by themselves, as after Ctrl-C: first they are asked to.
    pub(crate) fn end_soon(mark: &str) {
        for search in 0..GRACE {
            let found = processes(mark);
            if found.is_empty() {
                break;
            }
            if search == ASKED {
                for process in found {
                    // It may have ended just now.
                    let _ = kill_process(process, Signal::TERM);
                }
            }
            sleep(PAUSE);
        }
        end(mark, &format!("{mark}{PATIENT}"));
    }

    /// Ends the processes with one mark, and waits for those with the other.
    pub(crate) fn end(mark: &str, patient: &str) {
        let mut calm = 0;
        for search in 0..MOST {
            let found = processes(mark);
            let awaited = processes(patient);
            calm = if found.is_empty() && awaited.is_empty() {
                calm + 1
            } else {
                0
            };
            if calm == CALM {
                return;
            }
            let late = if search + 1 == MOST {
                awaited
            } else {
                Vec::new()
            };
            for process in found.into_iter().chain(late) {
                // It may have ended just now.
                let _ = kill_process(process, Signal::KILL);
            }
            sleep(PAUSE);
        }
    }

    /// The processes with this variable in their environment.
    fn processes(variable: &str) -> Vec<Pid> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        // An empty one would be in every environment.
        assert!(variable.contains('='), "no variable");
        let is_marked = |id: &i32| {
            let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            environment
                .split(|byte| *byte == 0)
                .any(|entry| entry == variable.as_bytes())
        };
        let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        ids.filter(is_marked).filter_map(Pid::from_raw).collect()
    }
}

#[cfg(not(target_os = "linux"))]
mod marked {
    pub(crate) fn end(_: &str, _: &str) {}
    pub(crate) fn end_soon(_: &str) {}
}

/// Ends every process of a group.
#[cfg(unix)]
pub fn end_group(leader: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let Some(group) = i32::try_from(leader).ok().and_then(Pid::from_raw) else {
        return;
    };
    // A group that is gone needs no ending.
    let _ = kill_process_group(group, Signal::KILL);
}

/// Ends a process with its children.
#[cfg(not(unix))]
pub fn end_group(leader: u32) {
    let mut command = Command::new("taskkill");
    command.args(["/T", "/F", "/PID", &leader.to_string()]);
    // Without it only the process itself could be ended, which the caller does.
    let _ = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}
