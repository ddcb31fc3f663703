//! Process runs of base and head, in turn or at the same time, with untimed commands and no-ops between them.

use std::ffi::OsString;
use std::sync::Barrier;

use super::parts::Part;
use super::pin;
use super::tool::remove_results;
use crate::pairs::prepare::sides::Sides;
use crate::process::{CommandSpec, Launch, Launcher};
use crate::sampling::Overhead;
use crate::schedule::{Schedule, Side};
use crate::scheduled::Threads;

/// The shortest net time of a process run, in seconds. Shorter commands are repeated, because clock and start-up would
/// dominate.
const SHORTEST: f64 = 0.001;
/// The most repetitions of a command in one process run.
const MOST_REPEATS: u32 = 1 << 12;

/// Settings that all process runs of a measurement share.
pub(super) struct Launches<'m> {
    pub(super) sides: &'m Sides,
    /// The commands that run one after the other: the whole suite, or its parts.
    pub(super) parts: Vec<Part>,
    pub(super) launcher: Launcher<'m>,
    /// Untimed commands before and after each process run.
    pub(super) prepare: Option<&'m [OsString]>,
    pub(super) cleanup: Option<&'m [OsString]>,
    pub(super) schedule: Schedule,
    pub(super) repeats: u32,
    /// Whether the time in the run queue is only known by following the threads.
    pub(super) has_threads: bool,
    pub(super) noops: Noops,
}

/// Wall times of no-ops.
#[derive(Debug, Default)]
pub(super) struct Noops {
    pub(super) line: Option<CommandSpec>,
    seconds: Vec<f64>,
}

impl Launches<'_> {
    /// Doubles the repetitions until the faster side's net time is long enough, and decides whether threads have to be followed.
    /// Both sides use the same settings.
    pub(super) fn choose_repeats(&mut self) -> anyhow::Result<()> {
        while self.repeats < MOST_REPEATS {
            let empty = self.noop()?;
            let both = [
                self.launch_whole(Side::Base)?,
                self.launch_whole(Side::Current)?,
            ];
            let is_unknown = both.iter().any(|launch| launch.delay.is_none());
            let [base, current] = both.map(|launch| launch.wall);
            if base.min(current) - empty * f64::from(self.repeats) >= SHORTEST {
                let line = self.whole(Side::Current).clone();
                // If child processes did the work, it is unknown even then.
                self.has_threads = Threads::ARE_KNOWN
                    && is_unknown
                    && self.launch_followed(&line)?.delay.is_some();
                break;
            }
            self.repeats *= 2;
        }
        Ok(())
    }

    /// Runs one side of an undivided suite.
    pub(super) fn launch_whole(&mut self, side: Side) -> anyhow::Result<Launch> {
        let line = self.whole(side).clone();
        self.launch_line(&line)
    }

    /// The command of an undivided suite, or of the first part.
    pub(super) fn whole(&self, side: Side) -> &CommandSpec {
        let first = self
            .parts
            .first()
            .and_then(|part| part.lines[usize::from(side == Side::Current)].as_ref());
        first.unwrap_or(&self.sides.side(side).command)
    }

    /// Runs a command.
    pub(super) fn launch_line(&mut self, line: &CommandSpec) -> anyhow::Result<Launch> {
        self.launch(line, self.has_threads)
    }

    /// Runs a command and follows its threads, so that their time in the run queue is known.
    pub(super) fn launch_followed(&mut self, line: &CommandSpec) -> anyhow::Result<Launch> {
        self.launch(line, true)
    }

    fn launch(&mut self, line: &CommandSpec, is_followed: bool) -> anyhow::Result<Launch> {
        clear(line)?;
        self.untimed(self.prepare, line)?;
        let line = &one_copy(line, &mut self.schedule);
        let (launcher, padding) = (&self.launcher, self.schedule.padding());
        let launch = if is_followed && self.repeats == 1 {
            launcher.launch_followed(line, padding)?
        } else {
            launcher.launch(line, self.repeats, padding)?
        };
        self.untimed(self.cleanup, line)?;
        Ok(launch)
    }

    /// Runs both commands at the same time, on one processor each.
    pub(super) fn launch_both(
        &mut self,
        lines: [&CommandSpec; 2],
        processors: [usize; 2],
    ) -> [anyhow::Result<Launch>; 2] {
        let padding = lines.map(|_| self.schedule.padding());
        let copies = lines.map(|line| one_copy(line, &mut self.schedule));
        let prepared =
            lines.map(|line| clear(line).and_then(|()| self.untimed(self.prepare, line)));
        let start = Barrier::new(2);
        let (launcher, repeats) = (&self.launcher, self.repeats);
        let launch = |at: usize| {
            // Pins only this thread. The child process inherits it.
            let pinned = pin::pin(Some(processors[at]));
            start.wait();
            pinned.and_then(|()| launcher.launch(&copies[at], repeats, padding[at]))
        };
        let both = std::thread::scope(|scope| {
            [0, 1]
                .map(|at| scope.spawn(move || launch(at)))
                .map(|thread| match thread.join() {
                    Ok(launch) => launch,
                    Err(panic) => std::panic::resume_unwind(panic),
                })
        });
        let cleaned = lines.map(|line| self.untimed(self.cleanup, line));
        let mut around = prepared.into_iter().zip(cleaned);
        both.map(|launch| {
            let (prepared, cleaned) = around.next().unwrap_or((Ok(()), Ok(())));
            prepared
                .and(launch)
                .and_then(|launch| cleaned.map(|()| launch))
        })
    }

    fn untimed(&self, command: Option<&[OsString]>, beside: &CommandSpec) -> anyhow::Result<()> {
        let Some(command) = command else {
            return Ok(());
        };
        self.launcher.launch(&beside.with(command)?, 1, 0).map(drop)
    }

    /// Runs a no-op, if its time is to be subtracted, and returns the median of all so far.
    fn noop(&mut self) -> anyhow::Result<f64> {
        let Some(line) = &self.noops.line else {
            return Ok(0.0);
        };
        let seconds = self.launcher.launch(line, 1, self.schedule.padding())?.wall;
        self.noops.seconds.push(seconds);
        Ok(self.noops.median())
    }

    /// The costs to subtract in the next pair.
    pub(super) fn overhead(&mut self) -> anyhow::Result<Overhead> {
        Ok(Overhead {
            wall: self.noop()?,
            repeats: self.repeats,
        })
    }
}

/// Replaces the program by a random copy, if there are copies.
fn one_copy(line: &CommandSpec, schedule: &mut Schedule) -> CommandSpec {
    let mut line = line.clone();
    if let Some(copy) = schedule.one_of(&line.copies) {
        // Not always the first word: `nice` or `env` may precede it.
        if let Some(place) = line.words.iter().position(|word| *word == line.copies[0]) {
            line.words[place] = copy.into();
        }
    }
    line
}

/// Removes an earlier process run's results.
fn clear(line: &CommandSpec) -> anyhow::Result<()> {
    let results = line.results.as_ref().filter(|path| path.is_absolute());
    results.map_or(Ok(()), |path| remove_results(path))
}

impl Noops {
    fn median(&self) -> f64 {
        // For an even number, the upper one: a measured value.
        let sorted = perf_verdict::statistics::order::sorted(&self.seconds);
        sorted.get(sorted.len() / 2).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn a_random_copy_replaces_the_program_wherever_it_stands() {
        let mut line = CommandSpec::of(
            ["nice", "-n", "5", "/0/p.test", "-v"]
                .map(Into::into)
                .into(),
            Path::new("/"),
        )
        .unwrap();
        line.copies = ["/0/p.test", "/1/p.test"].map(Into::into).into();
        let mut schedule = Schedule::new(1);
        let started: BTreeSet<OsString> = (0..20)
            .map(|_| one_copy(&line, &mut schedule).words[3].clone())
            .collect();
        assert_eq!(
            started,
            ["/0/p.test", "/1/p.test"].map(OsString::from).into()
        );
        assert_eq!(one_copy(&line, &mut schedule).words[0], "nice");
    }
}
