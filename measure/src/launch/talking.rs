//! A child process that answers each line on its standard input with a line.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use perf_cli::term;

use crate::guardian::{Guardian, end_group};
use crate::process::{CommandSpec, cannot_start};

/// How long to wait for the child's last messages. A process that left the child's group may keep the pipe open for longer.
const LAST_MESSAGES: Duration = Duration::from_secs(1);

/// A running child process. Its messages are shown immediately. Dropping this value ends the process and its children.
pub struct Talking<'g> {
    child: Child,
    guardian: &'g Guardian,
    messages_end: Receiver<()>,
}

impl<'g> Talking<'g> {
    /// Starts the command with a pipe to its standard input. `read` converts each line of its standard output.
    ///
    /// # Errors
    /// Fails if the command cannot be started.
    pub fn start<T: Send + 'static>(
        line: &CommandSpec,
        guardian: &'g Guardian,
        read: impl Fn(String) -> T + Send + 'static,
    ) -> anyhow::Result<(Self, ChildStdin, Receiver<T>)> {
        let mut child = line
            .command(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| cannot_start(line, &error))?;
        guardian.watch(child.id());
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (relayed, messages_end) = mpsc::channel();
        let messages = child.stderr.take().context("the child has no pipes")?;
        thread::spawn(move || {
            // If the messages cannot be read, continue without them.
            let _ = term::relay(messages);
            let _ = relayed.send(());
        });
        let started = Self {
            child,
            guardian,
            messages_end,
        };
        let (input, output) = pipes.context("the child has no pipes")?;
        let (sender, answers) = mpsc::channel();
        // Read in a separate thread, because reads have no timeout.
        thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).into_owned();
                if sender.send(read(line)).is_err() {
                    break;
                }
            }
        });
        Ok((started, input, answers))
    }

    /// The process ID, which is also the group ID.
    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Talking<'_> {
    fn drop(&mut self) {
        end_group(self.child.id());
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.guardian.forget(self.child.id());
        let _ = self.messages_end.recv_timeout(LAST_MESSAGES);
    }
}
