//! Runs the command that renders the files again.

use std::ffi::{OsStr, OsString};
use std::io;
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use perf_cli::Failure;
use perf_cli::actions::TOKENS;
use perf_cli::term::printable;

/// The interval for checking whether the command has ended.
const LOOK: Duration = Duration::from_millis(20);

/// A program with its arguments, started without a shell.
#[derive(Clone, Debug)]
pub(crate) struct Renderer {
    line: Vec<OsString>,
    limit: Duration,
}

impl Renderer {
    /// Creates the renderer, or `None` for an empty command.
    pub(crate) fn new(line: &[OsString], limit: Duration) -> Option<Self> {
        (!line.is_empty()).then(|| Self {
            line: line.to_vec(),
            limit,
        })
    }

    /// Runs the command in `folder` without the token. Its output goes to stderr.
    pub(crate) fn run(&self, folder: &Path) -> Result<(), Failure> {
        let name = self.shown_name();
        let started = self.command(folder).spawn().map_err(|error| {
            Failure::new(format!("cannot start {name}")).because(error).hint(
                "the command after `--` is run without a shell; to use one, write `bash -c '…'`",
            )
        })?;
        let ended = self
            .wait(started)
            .map_err(|error| Failure::new(format!("cannot wait for {name}")).because(error))?;
        match ended {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(Failure::new(format!("{name} failed: {status}"))),
            None => {
                let seconds = self.limit.as_secs();
                let message = format!("{name} took longer than {seconds} s");
                Err(Failure::new(message).hint("allow more with `--timeout`"))
            }
        }
    }

    fn command(&self, folder: &Path) -> Command {
        let mut words = self.line.iter();
        let mut command =
            perf_cli::program::command(words.next().map_or(OsStr::new(""), OsString::as_os_str));
        command
            .args(words)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(io::stderr());
        for secret in TOKENS {
            command.env_remove(secret);
        }
        // A separate process group can be killed as a whole.
        #[cfg(unix)]
        command.process_group(0);
        command
    }

    /// Waits for the command. Returns `None` after killing it at the time limit.
    fn wait(&self, mut child: Child) -> io::Result<Option<ExitStatus>> {
        let start = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            if start.elapsed() >= self.limit {
                stop(&mut child)?;
                return Ok(None);
            }
            thread::sleep(LOOK);
        }
    }

    /// The program's name for messages, without arguments, which may be long.
    fn shown_name(&self) -> String {
        format!(
            "`{}`",
            printable(
                &self
                    .line
                    .first()
                    .map(|name| name.to_string_lossy())
                    .unwrap_or_default()
            )
        )
    }
}

/// Kills the command with its child processes, which would continue to write files.
fn stop(child: &mut Child) -> io::Result<()> {
    stop_family(child);
    child.kill()?;
    child.wait().map(drop)
}

/// Kills the process group. A program that has left the group continues.
#[cfg(unix)]
fn stop_family(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // The child has not been waited for, so its ID is not reused. An error means that the group has ended.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

/// Kills the descendants that Windows still knows.
#[cfg(windows)]
fn stop_family(child: &Child) {
    let mut command = Command::new("taskkill");
    command.args(["/T", "/F", "/PID", &child.id().to_string()]);
    // If this fails, the program itself is still killed.
    let _ = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}

#[cfg(not(any(unix, windows)))]
fn stop_family(_: &Child) {}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;

    use super::*;

    fn run(line: &[&str], limit: Duration) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let line: Vec<OsString> = line.iter().map(Into::into).collect();
        let ran = Renderer::new(&line, limit).unwrap().run(folder.path());
        ran.map(|()| fs::read_to_string(folder.path().join("out")).unwrap_or_default())
            .map_err(|error| perf_cli::failure::message(&error.into()))
    }

    const LONG: Duration = Duration::from_mins(1);

    #[test]
    fn command_runs_in_folder_without_shell() {
        assert_eq!(run(&["cp", "/dev/null", "out"], LONG).unwrap(), "");
        assert_eq!(
            run(
                &["sh", "-c", "printf %s \"$1\" >out", "sh", "$(id) *"],
                LONG
            )
            .unwrap(),
            "$(id) *"
        );
    }

    #[test]
    fn errors_contain_command_and_reason() {
        assert_eq!(
            run(&["sh", "-c", "exit 7"], LONG).unwrap_err(),
            "`sh` failed: exit status: 7"
        );
        let missing = run(&["no-such-program", "x"], LONG).unwrap_err();
        assert!(
            missing.starts_with("cannot start `no-such-program`: "),
            "{missing}"
        );
        assert_eq!(
            run(&["sleep", "60"], Duration::ZERO).unwrap_err(),
            "`sleep` took longer than 0 s"
        );
    }

    #[test]
    fn child_processes_are_killed_at_time_limit() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(
            Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        let (ended, hear) = std::sync::mpsc::channel();
        let reading = pipe.clone();
        // This ends once no process has the pipe open for writing.
        thread::spawn(move || ended.send(fs::read(reading).map(drop).is_ok()));
        let line = ["sh", "-c", "sleep 600 >pipe & wait"].map(Into::into);
        let limit = Duration::from_millis(500);
        assert!(
            Renderer::new(&line, limit)
                .unwrap()
                .run(folder.path())
                .is_err()
        );
        // Unblock the reader if no process has opened the pipe yet.
        drop(
            fs::OpenOptions::new()
                .read(true)
                .write(true)
                .open(&pipe)
                .unwrap(),
        );
        assert_eq!(hear.recv_timeout(Duration::from_secs(30)), Ok(true));
    }

    #[test]
    fn empty_command_is_none() {
        assert!(Renderer::new(&[], LONG).is_none());
    }
}
