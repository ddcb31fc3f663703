//! The process that cleans up after a measurement is killed.
//!
//! A killed process cannot clean up, so the guardian does. It reads from a pipe which processes to end and which files to
//! remove, and acts once the pipe closes. It has its own process group, so Ctrl-C does not reach it.
//!
//! A process can leave its group, and a kill can come just before a new process is announced. So every process gets a mark
//! in its environment. On systems that show environments, the guardian finds the remaining processes by it.
//!
//! A plain launch (by `init`, by a single `run`, or of a build) stays in this process's group, where Ctrl-C reaches it, and
//! may leave a build daemon running. It is only ended if this process ends first, and only on Linux.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufRead, Write};
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

/// The hidden first argument that starts the program as the guardian.
const GUARDIAN: &str = "__guardian";

/// The environment variable with the mark.
const MARK: &str = "PERF_GATE_RUN";
/// Suffix of the mark for processes that must not be interrupted.
const PATIENT: &str = "-wait";

static PLAIN_LAUNCH_GUARDIAN: OnceLock<Option<Guardian>> = OnceLock::new();

/// A reason, other than a failure of the command, why a process run has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The measurement's time limit.
    #[error("the time limit ended a launch")]
    Deadline,
    /// Ctrl-C or a signal.
    #[error("interrupted")]
    Interrupted,
}

/// The running guardian process.
#[derive(Debug)]
pub struct Guardian {
    child: Child,
    pipe: Mutex<Option<ChildStdin>>,
    mark: String,
    running: Mutex<BTreeSet<u32>>,
    /// The number of temporary directories and marks so far, for unique names.
    numbered: AtomicUsize,
    is_interrupted: AtomicBool,
}

impl Guardian {
    /// Starts this program as the guardian.
    ///
    /// # Errors
    /// The process cannot be started, or the system has no random numbers.
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

    /// Marks a command, so that the guardian ends it.
    pub fn mark<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env(MARK, &self.mark)
    }

    /// Marks a command that must finish before its files are removed.
    pub fn mark_patiently<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env(MARK, format!("{}{PATIENT}", self.mark))
    }

    /// Registers a running process group.
    pub fn watch(&self, group: u32) {
        self.send(&format!("group {group}"));
        lock(&self.running).insert(group);
        // An interruption between spawn and insertion missed this group.
        if self.is_interrupted() {
            end_group(group);
        }
    }

    /// Removes a process group that has ended.
    pub fn forget(&self, group: u32) {
        lock(&self.running).remove(&group);
        self.send(&format!("ended {group}"));
    }

    /// Ends all process groups, now and from now on.
    pub fn interrupt(&self) {
        self.is_interrupted.store(true, Ordering::SeqCst);
        lock(&self.running).iter().copied().for_each(end_group);
    }

    /// Whether the measurement was interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::SeqCst)
    }

    /// Runs a command in its own process group, and returns its standard output without the final newline.
    ///
    /// # Errors
    /// The command cannot be started, fails (with its error output), or is interrupted.
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

    /// Creates a temporary directory that is removed even if this process is killed.
    ///
    /// # Errors
    /// The directory cannot be created.
    pub fn temporary_folder(&self, within: &Path) -> anyhow::Result<TempDir> {
        let name = format!("perf-gate-{}", self.unique_name());
        // Announce it first: a kill may come at any time.
        self.send(&format!("folder {}", within.join(&name).display()));
        let made = tempfile::Builder::new()
            .prefix(&name)
            .rand_bytes(0)
            .tempdir_in(within);
        made.context("cannot create a temporary directory")
    }

    /// A new name that starts with the mark.
    fn unique_name(&self) -> String {
        let number = self.numbered.fetch_add(1, Ordering::SeqCst);
        format!("{}-{number}", self.mark)
    }

    /// Registers a repository whose worktrees are pruned at the end.
    pub fn prune_at_end(&self, repository: &Path) {
        self.send(&format!("repository {}", repository.display()));
    }

    /// Resets the session's priority at the end.
    pub fn restore_session(&self) {
        self.send("session");
    }

    /// Ignores errors: the measurement can continue without a guardian.
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

/// A running plain launch; it ends when this is dropped.
#[derive(Debug)]
pub struct PlainLaunch(Option<&'static Guardian>);

/// Marks the command of a plain launch. If this process is killed before the value is dropped, the guardian ends it (on
/// Linux). Without a guardian, the command runs anyway.
pub fn plain_launch(command: &mut Command) -> PlainLaunch {
    let guardian = PLAIN_LAUNCH_GUARDIAN
        .get_or_init(|| Guardian::without_mark().ok())
        .as_ref();
    if let Some(guardian) = guardian {
        // A new mark for each, so that build daemons of earlier launches survive.
        let mark = guardian.unique_name();
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

/// Runs as the guardian and returns the exit code, if this process was started as one.
pub fn entered() -> Option<ExitCode> {
    (std::env::args_os().nth(1)? == GUARDIAN).then(|| {
        serve(io::stdin().lock());
        ExitCode::SUCCESS
    })
}

/// Reads lines until the pipe closes, then cleans up.
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
        // Does not exist unless this process was killed.
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

    /// Time between two searches. A process between fork and exec still shows its parent's environment.
    const PAUSE: Duration = Duration::from_millis(10);
    /// The number of successive searches that must find nothing.
    const QUIET_SEARCHES: usize = 3;
    /// The most searches, about ten seconds. After that, git is killed as well.
    const MOST_SEARCHES: usize = 1_000;
    /// The number of searches before processes are killed, and before they get SIGTERM.
    const SEARCHES_BEFORE_KILL: usize = 90;
    const SEARCHES_BEFORE_TERM: usize = 30;

    /// Gives marked processes time to end by themselves, as after Ctrl-C, then sends SIGTERM, then kills them.
    pub(crate) fn end_soon(mark: &str) {
        for search in 0..SEARCHES_BEFORE_KILL {
            let found = processes(mark);
            if found.is_empty() {
                break;
            }
            if search == SEARCHES_BEFORE_TERM {
                for process in found {
                    // It may have ended already.
                    let _ = kill_process(process, Signal::TERM);
                }
            }
            sleep(PAUSE);
        }
        end(mark, &format!("{mark}{PATIENT}"));
    }

    /// Kills processes with `mark`, and waits for those with `patient`.
    pub(crate) fn end(mark: &str, patient: &str) {
        let mut calm = 0;
        for search in 0..MOST_SEARCHES {
            let found = processes(mark);
            let awaited = processes(patient);
            calm = if found.is_empty() && awaited.is_empty() {
                calm + 1
            } else {
                0
            };
            if calm == QUIET_SEARCHES {
                return;
            }
            let late = if search + 1 == MOST_SEARCHES {
                awaited
            } else {
                Vec::new()
            };
            for process in found.into_iter().chain(late) {
                // It may have ended already.
                let _ = kill_process(process, Signal::KILL);
            }
            sleep(PAUSE);
        }
    }

    /// Finds processes with this variable (`NAME=VALUE`) in their environment.
    fn processes(variable: &str) -> Vec<Pid> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        // An empty entry would match every process.
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

/// Removes a directory with its contents. The kernel creates a directory without permissions for an overlay, and some
/// tools write directories that not even their owner may change.
///
/// # Errors
/// The error of the last attempt.
pub fn remove_tree(folder: &Path) -> io::Result<()> {
    fs::remove_dir_all(folder).or_else(|_| {
        open_up(folder);
        if folder.exists() {
            fs::remove_dir_all(folder)
        } else {
            Ok(())
        }
    })
}

#[cfg(unix)]
fn open_up(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    // An empty directory of root can be removed by the owner of its parent.
    let _ = fs::remove_dir(folder);
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        open_up(&entry.path());
    }
}

#[cfg(not(unix))]
fn open_up(_: &Path) {}

/// Kills every process of a group.
#[cfg(unix)]
pub fn end_group(leader: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let Some(group) = i32::try_from(leader).ok().and_then(Pid::from_raw) else {
        return;
    };
    // The group may have ended already.
    let _ = kill_process_group(group, Signal::KILL);
}

/// Kills a process and its children.
#[cfg(not(unix))]
pub fn end_group(leader: u32) {
    let mut command = Command::new("taskkill");
    command.args(["/T", "/F", "/PID", &leader.to_string()]);
    // If taskkill fails, the caller still kills the process itself.
    let _ = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn folders_without_permissions_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a");
        fs::create_dir_all(folder.join("work/work/deeper")).unwrap();
        for inner in ["work/work/deeper", "work/work", "work"] {
            fs::set_permissions(folder.join(inner), fs::Permissions::from_mode(0o000)).unwrap();
        }
        remove_tree(&folder).unwrap();
        assert!(!folder.exists());
    }
}
