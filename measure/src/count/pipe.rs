//! Two commands that talk to each other: the output of each is the input of the other.

use std::io::pipe;
use std::process::{Child, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::guardian::end_group;
use crate::process::{CommandSpec, Launcher, cannot_start, launch_failure, took_too_long};

/// The pause between two looks at whether they have ended. Counts do not depend on it.
const POLL: Duration = Duration::from_millis(5);

/// Runs both until both have ended.
///
/// # Errors
/// A command that cannot be started, fails, or takes longer than the limit; the other one is ended then.
pub fn run(launcher: &Launcher<'_>, lines: [&CommandSpec; 2]) -> anyhow::Result<()> {
    let (to_first, from_second) = pipe().context("cannot make a pipe")?;
    let (to_second, from_first) = pipe().context("cannot make a pipe")?;
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
        // The command holds ends of the pipes, which must not outlive the start.
        drop(command);
        match child {
            Ok(child) => {
                launcher.guardian.watch(child.id());
                running.push(Running {
                    line,
                    child,
                    errors,
                    ended: None,
                });
            }
            Err(error) => {
                end(&mut running, launcher);
                return Err(error);
            }
        }
    }
    let finished = wait(&mut running, launcher.limit);
    end(&mut running, launcher);
    finished
}

/// A command that was started.
struct Running<'l> {
    line: &'l CommandSpec,
    child: Child,
    errors: std::fs::File,
    ended: Option<ExitStatus>,
}

fn wait(running: &mut [Running<'_>], limit: Duration) -> anyhow::Result<()> {
    let start = Instant::now();
    loop {
        for one in running.iter_mut().filter(|one| one.ended.is_none()) {
            one.ended = one.child.try_wait()?;
            if let Some(status) = one.ended.filter(|status| !status.success()) {
                return Err(launch_failure(one.line, status, &mut one.errors));
            }
        }
        match running.iter().find(|one| one.ended.is_none()) {
            None => return Ok(()),
            Some(open) if start.elapsed() >= limit => return Err(took_too_long(open.line, limit)),
            Some(_) => sleep(POLL),
        }
    }
}

/// Ends what still runs.
fn end(running: &mut [Running<'_>], launcher: &Launcher<'_>) {
    for one in running {
        end_group(one.child.id());
        let _ = one.child.wait();
        launcher.guardian.forget(one.child.id());
    }
}
