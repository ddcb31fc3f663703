//! The guardian process, which cleans up if a measurement is killed.
//!
//! A killed process cannot clean up after itself, so the guardian does. A pipe tells it which processes to end and
//! which folders to remove, and it does so once the pipe closes. The guardian has its own process group, so Ctrl-C does
//! not reach it.
//!
//! Process groups alone do not suffice: a process can leave its group, and the measurement can be killed before it
//! announces a new process. So every process gets a mark in its environment. On Linux, the guardian finds the remaining
//! processes by this mark.
//!
//! A plain launch is a build, or a command that `init` or a single `run` starts. It stays in this process's group, so
//! that Ctrl-C reaches it, and it may leave a build daemon running. The guardian ends it only if this process ends
//! first, and only on Linux.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, bail};
use perf_cli::term::printable_lines;
use tempfile::TempDir;

use super::priority;
use crate::git;

/// The hidden first argument that starts the program as the guardian.
const GUARDIAN: &str = "__guardian";

/// The environment variable that contains the mark.
const MARK: &str = "PERF_GATE_RUN";
/// The suffix of marks for processes that must not be interrupted.
const PATIENT: &str = "-wait";

/// The number of searches for a plain launch's processes before they are killed. They take about a second.
const GRACE: usize = 90;

static PLAIN_LAUNCH_GUARDIAN: LazyLock<Option<Guardian>> = LazyLock::new(|| Guardian::start().ok());

/// Why a process run has no result, although its command did not fail.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// The measurement's time limit was reached.
    #[error("the time limit ended a launch")]
    Deadline,
    /// Ctrl-C or a signal interrupted the measurement.
    #[error("interrupted")]
    Interrupted,
}

/// The running guardian process. When this value is dropped, the guardian cleans up.
pub struct Guardian {
    child: Mutex<Child>,
    mark: String,
    running: Mutex<BTreeSet<u32>>,
    /// The number of temporary directories and marks so far. It makes their names unique.
    numbered: AtomicUsize,
    is_interrupted: AtomicBool,
}

impl Guardian {
    /// Starts this program as the guardian.
    ///
    /// # Errors
    /// Fails if the process cannot be started, or if the system cannot provide random numbers.
    pub fn start() -> anyhow::Result<Self> {
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
            in_own_group(&mut command).spawn()
        };
        let child = start().context("cannot start the guardian process")?;
        let (running, numbered, is_interrupted) = Default::default();
        let guardian = Self {
            child: Mutex::new(child),
            mark,
            running,
            numbered,
            is_interrupted,
        };
        guardian.send(&format!("mark {}", guardian.mark));
        Ok(guardian)
    }

    /// Marks a command, so that the guardian ends its processes.
    pub fn mark<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env(MARK, &self.mark)
    }

    /// Marks a command that the guardian must let finish before it removes files.
    pub fn mark_patiently<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env(MARK, format!("{}{PATIENT}", self.mark))
    }

    /// Registers a running process group, so that it can be ended.
    pub fn watch(&self, group: u32) {
        self.send(&format!("group {group}"));
        lock(&self.running).insert(group);
        // An interruption before this insertion has missed the group.
        if self.is_interrupted() {
            end_group(group);
        }
    }

    /// Unregisters a process group that has ended.
    pub fn forget(&self, group: u32) {
        lock(&self.running).remove(&group);
        self.send(&format!("ended {group}"));
    }

    /// Ends all process groups, including those that are registered later.
    pub fn interrupt(&self) {
        self.is_interrupted.store(true, Ordering::SeqCst);
        lock(&self.running).iter().copied().for_each(end_group);
    }

    /// Whether the measurement was interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.is_interrupted.load(Ordering::SeqCst)
    }

    /// Runs a command in its own process group.
    ///
    /// # Errors
    /// Fails if the command cannot be started, fails (the error contains its error output), or is interrupted.
    pub fn run(&self, command: &mut Command, name: &str) -> anyhow::Result<()> {
        self.mark(command)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let child = in_own_group(command)
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
            return Ok(());
        }
        let why = printable_lines(String::from_utf8_lossy(&output.stderr).trim());
        bail!("`{name}` failed: {why}")
    }

    /// Creates a temporary directory that is removed even if this process is killed.
    ///
    /// # Errors
    /// Fails if the directory cannot be created.
    pub fn temporary_folder(&self) -> anyhow::Result<TempDir> {
        self.temporary_folder_in(&std::env::temp_dir())
    }

    /// Like [`Self::temporary_folder`], but inside `within` instead of the system's directory for temporary files.
    ///
    /// # Errors
    /// Fails if the directory cannot be created.
    pub fn temporary_folder_in(&self, within: &Path) -> anyhow::Result<TempDir> {
        let name = format!("perf-gate-{}", self.unique_name());
        // Announce the directory before it exists, because this process may be killed at any time.
        self.send(&format!("folder {}", within.join(&name).display()));
        let made = tempfile::Builder::new()
            .prefix(&name)
            .rand_bytes(0)
            .tempdir_in(within);
        made.context("cannot create a temporary directory")
    }

    /// Returns a new name that starts with the mark.
    fn unique_name(&self) -> String {
        let number = self.numbered.fetch_add(1, Ordering::SeqCst);
        format!("{}-{number}", self.mark)
    }

    /// Registers a repository, whose stale worktrees the guardian prunes at the end.
    pub fn prune_at_end(&self, repository: &Path) {
        self.send(&format!("repository {}", repository.display()));
    }

    /// Makes the guardian reset the session's priority at the end.
    pub fn restore_session(&self) {
        self.send("session");
    }

    /// Sends a line to the guardian. Ignores errors, because the measurement can continue without a guardian.
    fn send(&self, line: &str) {
        if let Some(pipe) = &mut lock(&self.child).stdin {
            let _ = writeln!(pipe, "{line}").and_then(|()| pipe.flush());
        }
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        // This closes the pipe first.
        let _ = lock(&self.child).wait();
    }
}

/// Makes a command start its process in a new group.
pub fn in_own_group(command: &mut Command) -> &mut Command {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A running plain launch. Dropping this value reports to the guardian that the launch has ended.
pub struct PlainLaunch(Option<&'static Guardian>);

/// Marks the command of a plain launch. If this process is killed before the returned value is dropped, the guardian ends
/// the command (on Linux). If the guardian cannot be started, the command runs anyway.
pub fn plain_launch(command: &mut Command) -> PlainLaunch {
    let guardian = PLAIN_LAUNCH_GUARDIAN.as_ref();
    if let Some(guardian) = guardian {
        // Each launch gets a new mark, so that build daemons of earlier launches survive.
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

/// If this process was started as the guardian, serves as the guardian and returns the exit code. Otherwise returns
/// `None`.
pub fn entered() -> Option<ExitCode> {
    (std::env::args_os().nth(1)? == GUARDIAN).then(|| {
        serve(io::stdin().lock());
        ExitCode::SUCCESS
    })
}

/// Reads lines until the pipe closes, and then cleans up.
fn serve(lines: impl BufRead) {
    let (mut mark, mut launch, mut is_raised) = (None, None, false);
    let (mut groups, mut folders, mut repositories) = (BTreeSet::new(), Vec::new(), Vec::new());
    for line in lines.lines().map_while(Result::ok) {
        match line.split_once(' ').unwrap_or((&line, "")) {
            ("mark", text) => mark = Some(text.to_owned()),
            ("launch", text) => launch = Some(text.to_owned()).filter(|text| !text.is_empty()),
            ("group", id) => groups.extend(id.parse::<u32>()),
            ("ended", id) => drop(id.parse().map(|id| groups.remove(&id))),
            ("folder", path) => folders.push(path.to_owned()),
            ("session", _) => is_raised = true,
            ("repository", path) => repositories.push(path.to_owned()),
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
        marked::end(&mark, GRACE);
    }
    if let Some(mark) = mark {
        marked::end(&mark, 0);
    }
    for folder in &folders {
        // The directory still exists only if the measurement was killed.
        remove_tree(Path::new(folder));
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

    use super::{MARK, PATIENT};

    /// The time between two searches.
    const PAUSE: Duration = Duration::from_millis(10);
    /// The number of successive searches that must find nothing. One does not suffice, because a process between fork and
    /// exec still shows its parent's environment.
    const QUIET_SEARCHES: usize = 3;
    /// The maximum number of searches, which take about ten seconds. In the last one, patient processes are killed as
    /// well.
    const MOST_SEARCHES: usize = 1_000;
    /// The number of searches before processes get SIGTERM, if they are not killed at once.
    const SEARCHES_BEFORE_TERM: usize = 30;

    /// Kills processes that have the mark `mark`, and waits for the patient ones. The first `grace` searches give
    /// processes time to end by themselves, as after Ctrl-C, and send SIGTERM meanwhile.
    pub fn end(mark: &str, grace: usize) {
        let marked = format!("{MARK}={mark}");
        let patient = format!("{marked}{PATIENT}");
        let mut calm = 0;
        for search in 0..grace + MOST_SEARCHES {
            let mut found = processes(&marked);
            let awaited = processes(&patient);
            calm = if found.is_empty() && awaited.is_empty() {
                calm + 1
            } else {
                0
            };
            if calm == QUIET_SEARCHES {
                return;
            }
            if search + 1 == grace + MOST_SEARCHES {
                found.extend(awaited);
            }
            let signal = if search >= grace {
                Signal::KILL
            } else {
                Signal::TERM
            };
            if search >= grace || search == SEARCHES_BEFORE_TERM {
                for process in found {
                    // The process may have ended already.
                    let _ = kill_process(process, signal);
                }
            }
            sleep(PAUSE);
        }
    }

    /// Finds the processes that have this variable (`NAME=VALUE`) in their environment.
    fn processes(variable: &str) -> Vec<Pid> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        // An empty variable would match every process.
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
    pub fn end(_: &str, _: usize) {}
}

/// Removes a directory with its contents, even if it contains directories without permissions. The kernel creates such a
/// directory for an overlay, and some tools write directories that not even their owner may change. Ignores errors.
pub fn remove_tree(folder: &Path) {
    if fs::remove_dir_all(folder).is_err() {
        open_up(folder);
        let _ = fs::remove_dir_all(folder);
    }
}

#[cfg(unix)]
fn open_up(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    // The owner of the parent directory can remove an empty directory that belongs to root.
    let _ = fs::remove_dir(folder);
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        open_up(&entry.path());
    }
}

#[cfg(not(unix))]
fn open_up(_: &Path) {}

/// Kills all processes of a group.
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
    // If taskkill fails, the caller may try again.
    let _ = command.output();
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
        remove_tree(&folder);
        assert!(!folder.exists());
    }
}
