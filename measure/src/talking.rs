//! A child process that reads lines and answers each with a line.

use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use anyhow::Context;

use crate::group::end_group;
use crate::guardian::Guardian;
use crate::process::{Line, cannot_start};

/// A running child; dropped, it ends with all that it started.
#[derive(Debug)]
pub struct Talking<'g> {
    child: Child,
    guardian: &'g Guardian,
}

impl<'g> Talking<'g> {
    /// Starts the command with pipes to its standard input and from its standard output.
    ///
    /// # Errors
    /// A command that cannot be started.
    pub fn start(line: &Line, guardian: &'g Guardian) -> anyhow::Result<(Self, ChildStdin, ChildStdout)> {
        let mut command = line.command(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| cannot_start(line, &error))?;
        guardian.watch(child.id());
        let pipes = child.stdin.take().zip(child.stdout.take());
        let started = Self { child, guardian };
        let (input, output) = pipes.context("the child has no pipes")?;
        Ok((started, input, output))
    }

    /// The process, which leads its group.
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
    }
}
