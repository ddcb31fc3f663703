//! Runs two commands that communicate: the output of each is the input of the other.

use std::io::pipe;
use std::process::{Child, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::guardian::{Guardian, end_group};
use crate::process::{CommandSpec, Launcher, cannot_start, launch_failure, took_too_long};

/// The time between checks for ended processes. It does not affect counts.
const POLL: Duration = Duration::from_millis(5);

/// Runs both commands until they end.
///
/// # Errors
/// Fails if a command cannot be started, fails, or exceeds the time limit. The other command is ended in this case.
pub fn run(launcher: &Launcher<'_>, lines: [&CommandSpec; 2]) -> anyhow::Result<()> {
    let (to_first, from_second) = pipe().context("cannot create a pipe")?;
    let (to_second, from_first) = pipe().context("cannot create a pipe")?;
    let ends = [(to_first, from_first), (to_second, from_second)];
    let mut running: Vec<Running<'_>> = Vec::new();
    for (line, (input, output)) in lines.into_iter().zip(ends) {
        let errors = tempfile::tempfile()?;
        let mut command = line.command(0);
        command
            .stdin(input)
            .stdout(output)
            .stderr(errors.try_clone()?);
        let child = command.spawn().map_err(|error| cannot_start(line, &error));
        // `command` still holds pipe ends. They must be closed, so that the peer sees the end of its input.
        drop(command);
        let child = child?;
        launcher.guardian.watch(child.id());
        running.push(Running {
            line,
            child,
            errors,
            ended: None,
            guardian: launcher.guardian,
        });
    }
    wait(&mut running, launcher.limit)
}

/// A started command. Dropping this value ends its processes.
struct Running<'l> {
    line: &'l CommandSpec,
    child: Child,
    errors: std::fs::File,
    ended: Option<ExitStatus>,
    guardian: &'l Guardian,
}

fn wait(running: &mut [Running<'_>], limit: Duration) -> anyhow::Result<()> {
    let start = Instant::now();
    loop {
        for one in running.iter_mut().filter(|one| one.ended.is_none()) {
            one.ended = one.child.try_wait()?;
            if let Some(status) = one.ended
                && !status.success()
            {
                return Err(launch_failure(one.line, status, &mut one.errors));
            }
        }
        match running.iter_mut().find(|one| one.ended.is_none()) {
            None => return Ok(()),
            Some(open) if start.elapsed() >= limit => {
                return Err(took_too_long(open.line, limit, &mut open.errors));
            }
            Some(_) => sleep(POLL),
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        end_group(self.child.id());
        let _ = self.child.wait();
        self.guardian.forget(self.child.id());
    }
}
