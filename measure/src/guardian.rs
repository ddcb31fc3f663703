//! What is ended and removed when a measurement is killed.
//!
//! A killed process can clean up nothing, so another one does: it holds the end of a pipe, learns what there is to end and to
//! remove, and acts when the pipe closes, whatever closed it. It is a process group of its own, which Ctrl-C does not
//! reach.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use perf_cli::Exit;

use crate::process::end_group;

/// The hidden subcommand that serves as the guardian.
pub const COMMAND: &str = "guardian";

/// The other process.
#[derive(Debug)]
pub struct Guardian {
    child: Child,
    pipe: Mutex<Option<ChildStdin>>,
}

impl Guardian {
    /// Starts it.
    ///
    /// # Errors
    /// A program that cannot start itself again.
    pub fn start() -> io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        // As `perf-gate measure`, it is one level deeper.
        command.args(std::env::args_os().nth(1).filter(|word| word == "measure")).arg(COMMAND);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let pipe = Mutex::new(child.stdin.take());
        Ok(Self { child, pipe })
    }

    /// A process group to end.
    pub fn watch(&self, group: u32) {
        self.send(&format!("group {group}"));
    }

    /// The group has ended.
    pub fn forget(&self, group: u32) {
        self.send(&format!("ended {group}"));
    }

    /// A folder to remove.
    pub fn remove_at_end(&self, folder: &Path) {
        self.send(&format!("folder {}", folder.display()));
    }

    /// A worktree to remove, of the repository at `repository`.
    pub fn prune_at_end(&self, repository: &Path) {
        self.send(&format!("repository {}", repository.display()));
    }

    /// Without a guardian a measurement goes on: what it guards against is rare.
    fn send(&self, line: &str) {
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipe) = pipe.as_mut() {
            let _ = writeln!(pipe, "{line}").and_then(|()| pipe.flush());
        }
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        drop(self.pipe.lock().unwrap_or_else(PoisonError::into_inner).take());
        let _ = self.child.wait();
    }
}

/// The guardian's own run: listens until the pipe closes, then cleans up.
///
/// # Errors
/// None that anybody could act on.
pub fn serve(lines: impl BufRead) -> anyhow::Result<Exit> {
    let (mut groups, mut folders, mut repositories) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for line in lines.lines().map_while(Result::ok) {
        match line.split_once(' ').unwrap_or((&line, "")) {
            ("group", id) => groups.extend(id.parse::<u32>()),
            ("ended", id) => drop(id.parse().map(|id| groups.remove(&id))),
            ("folder", path) => drop(folders.insert(path.to_owned())),
            ("repository", path) => drop(repositories.insert(path.to_owned())),
            _ => {}
        }
    }
    for group in groups {
        end_group(group);
    }
    for folder in &folders {
        // Gone already in every run that ended by itself.
        let _ = std::fs::remove_dir_all(folder);
    }
    for repository in &repositories {
        let mut git = Command::new("git");
        git.args(["-C", repository, "worktree", "prune"]).stdin(Stdio::null()).stdout(Stdio::null());
        let _ = git.stderr(Stdio::null()).status();
    }
    Ok(Exit::Ok)
}
