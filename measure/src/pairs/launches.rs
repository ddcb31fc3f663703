//! Launches of the two sides: one after the other or both at once, between untimed commands, beside a no-op.

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

/// A launch whose own time is shorter than this repeats its command: below, the clock and the start are most of it.
const SHORTEST: f64 = 0.001;
/// The most repetitions of a command in one launch.
const MOST_REPEATS: u32 = 1 << 12;

/// The settings that every launch of a measurement shares.
pub(super) struct Launches<'m> {
    pub(super) sides: &'m Sides,
    /// The commands that are launched one after the other: those of the whole suite, or of its parts.
    pub(super) parts: Vec<Part>,
    pub(super) launcher: Launcher<'m>,
    /// Untimed commands before and after each launch.
    pub(super) prepare: Option<&'m [OsString]>,
    pub(super) cleanup: Option<&'m [OsString]>,
    pub(super) schedule: Schedule,
    pub(super) repeats: u32,
    /// True if the time in the run queue is only known of threads that are followed.
    pub(super) has_threads: bool,
    pub(super) noops: Noops,
}

/// Wall times of a command that does nothing.
#[derive(Debug, Default)]
pub(super) struct Noops {
    pub(super) line: Option<CommandSpec>,
    seconds: Vec<f64>,
}

impl Launches<'_> {
    /// Doubles the repeats until the faster side's net time is long enough, and finds out whether their threads have to be
    /// followed. Decided once, and the same for both.
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
                // Of processes of its own it stays unknown.
                self.has_threads = Threads::ARE_KNOWN
                    && is_unknown
                    && self.launch_followed(&line)?.delay.is_some();
                break;
            }
            self.repeats *= 2;
        }
        Ok(())
    }

    /// One timed launch of a suite that has no parts.
    pub(super) fn launch_whole(&mut self, side: Side) -> anyhow::Result<Launch> {
        let line = self.whole(side).clone();
        self.launch_line(&line)
    }

    /// The command of a side whose suite has no parts; of others, that of the first one.
    pub(super) fn whole(&self, side: Side) -> &CommandSpec {
        let first = self
            .parts
            .first()
            .and_then(|part| part.lines[usize::from(side == Side::Current)].as_ref());
        first.unwrap_or(&self.sides.side(side).command)
    }

    /// One timed launch of a command like a side's.
    pub(super) fn launch_line(&mut self, line: &CommandSpec) -> anyhow::Result<Launch> {
        self.launch(line, self.has_threads)
    }

    /// One timed launch of a command like a side's, whose threads' time in the run queue is known.
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

    /// Both commands at the same time, the first on the first processor.
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
            // Only this thread's, which the launch inherits.
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

    /// The wall time of one no-op, where that matters.
    fn noop(&mut self) -> anyhow::Result<f64> {
        let Some(line) = &self.noops.line else {
            return Ok(0.0);
        };
        let seconds = self.launcher.launch(line, 1, self.schedule.padding())?.wall;
        self.noops.seconds.push(seconds);
        Ok(self.noops.median())
    }

    /// The cost of each launch of the next pair beside its work.
    pub(super) fn overhead(&mut self) -> anyhow::Result<Overhead> {
        Ok(Overhead {
            wall: self.noop()?,
            repeats: self.repeats,
        })
    }
}

/// The command with one of the copies of its program.
fn one_copy(line: &CommandSpec, schedule: &mut Schedule) -> CommandSpec {
    let mut line = line.clone();
    if let Some(copy) = schedule.one_of(&line.copies) {
        // Behind `nice` or `env`, it is not the first word.
        if let Some(place) = line.words.iter().position(|word| *word == line.copies[0]) {
            line.words[place] = copy.into();
        }
    }
    line
}

/// Removes what an earlier launch left at the path of its results.
fn clear(line: &CommandSpec) -> anyhow::Result<()> {
    let results = line.results.as_ref().filter(|path| path.is_absolute());
    results.map_or(Ok(()), |path| remove_results(path))
}

impl Noops {
    fn median(&self) -> f64 {
        // Of an even number the upper one: a time that was measured.
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
    fn a_launch_starts_one_of_the_copies_wherever_it_stands() {
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
