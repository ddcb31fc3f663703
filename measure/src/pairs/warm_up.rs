//! Warm-up runs. They determine the source of the rows, whether the tool accepts the added options, and how long a process run
//! takes.

use std::time::{Duration, Instant};

use perf_cli::{Failure, failure, term};

use super::measurement::Measurement;
use super::outcome::{no_pair, unlike_sources};
use super::tool::{Operations, Part, ROOM, ToolOptions, operations, serial, use_one_processor};
use crate::bench_tools::ToolKind;
use crate::guardian::Stopped;
use crate::process::{CommandSpec, Launch};
use crate::sampling::Origin;
use crate::schedule::Side;

/// Rounds of process runs on all processors and on one. The first may take half of the remaining time, and all of them a
/// quarter.
const ROUNDS: u32 = 2;

impl Measurement<'_> {
    /// Runs both sides, with their tool's options if these work.
    pub(super) fn warm_up(&mut self) -> anyhow::Result<()> {
        if self.tool.is_none() {
            let head = self.run_side(Side::Current)?;
            self.sampling.is_process = head.rows.is_empty();
            if let Some(format) = head.format
                && !head.rows.is_empty()
                && self.missing_base.is_none()
            {
                // Some tools are only recognised by their output.
                self.tool = self.tool_options(Some(format))?;
            }
            // That process run, without the options, may have taken as long as all pairs will.
            self.start = Instant::now();
            if self.tool.is_none() {
                self.run_base(&head)?;
                self.time_built()?;
            }
        }
        if let Some(tool) = &self.tool {
            let kind = tool.tool();
            self.compile()?;
            self.warm_up_with_options(kind)?;
        }
        if self.sampling.is_process && self.missing_base.is_none() {
            let lines = self.plain_lines();
            self.launches.noop = Some(CommandSpec::noop(&lines[1]));
            self.launches.choose_repeats([&lines[0], &lines[1]])?;
        }
        Ok(())
    }

    /// Runs both sides with the tool's options, and without them if that fails.
    fn warm_up_with_options(&mut self, kind: ToolKind) -> anyhow::Result<()> {
        self.select_all();
        let error = match self.run_sides() {
            Ok([base, head]) if !head.rows.is_empty() => {
                self.sampling.is_process = false;
                return self.fit_samples([operations(&base.rows), operations(&head.rows)]);
            }
            Ok(_) => Failure::new(format!("{} printed no results", kind.name())).into(),
            Err(error) if error.is::<Stopped>() => return Err(error),
            Err(error) => error,
        };
        self.tool = None;
        self.parts = vec![Part::whole(self.plain_lines())];
        let [_, head] = self.run_sides()?;
        self.sampling.is_process = head.rows.is_empty();
        if self.sampling.is_process {
            term::warn(&format!(
                "no results found in the output of {} ({}), so the whole process is the benchmark: pass `--format {}` to make \
                 this an error, or `--as-is` if it is intended",
                kind.name(),
                head.unread,
                kind.format()
            ));
        } else {
            let why = failure::message(&error);
            term::warn(&format!(
                "the added options do not work and are left out: {why}"
            ));
            failure::hints(&error).into_iter().for_each(term::hint);
        }
        Ok(())
    }

    /// Compiles test binaries. Like other builds, this does not use up the time limit.
    fn compile(&mut self) -> anyhow::Result<()> {
        let Some(tool) = self.tool.as_mut().filter(|_| self.missing_base.is_none()) else {
            return Ok(());
        };
        let start = Instant::now();
        let deadline = self.launches.launcher.deadline.take();
        tool.compile(&self.launches.launcher)?;
        self.launches.launcher.deadline = deadline.map(|deadline| deadline + start.elapsed());
        self.start += start.elapsed();
        Ok(())
    }

    /// Chooses each benchmark's iterations if that is not slower, and the most samples if there is time for them.
    fn fit_samples(&mut self, operations: [Operations; 2]) -> anyhow::Result<()> {
        if !self.request.is_single {
            self.launch_cost = self.time_launch()?;
            self.set_iterations(operations)?;
            if self.launch_cost * 2 * ROOM <= self.time_left() {
                self.tool.iter_mut().for_each(ToolOptions::set_most_samples);
                self.select_all();
                let cost = self.time_launch()?;
                if cost * 2 * ROOM <= self.time_left() {
                    self.launch_cost = cost;
                } else {
                    self.tool
                        .iter_mut()
                        .for_each(ToolOptions::set_fewest_samples);
                    self.select_all();
                }
            }
        }
        if let Some(note) = self.tool.as_ref().and_then(ToolOptions::note) {
            term::note(&note);
        }
        Ok(())
    }

    /// Divides the suite into parts in which each benchmark has its own iterations, unless that takes longer.
    fn set_iterations(&mut self, operations: [Operations; 2]) -> anyhow::Result<()> {
        let Some(tool) = self.tool.as_mut().filter(|_| self.missing_base.is_none()) else {
            return Ok(());
        };
        if !tool.set_iterations(operations) {
            return Ok(());
        }
        self.select_all();
        match self.time_launch() {
            Ok(divided) if divided <= self.launch_cost => self.launch_cost = divided,
            Err(error) if error.is::<super::NoPair>() || error.is::<Stopped>() => {
                return Err(error);
            }
            Ok(_) | Err(_) => {
                self.tool.iter_mut().for_each(ToolOptions::clear_iterations);
                self.select_all();
                return Ok(());
            }
        }
        self.find_serial()
    }

    /// Runs benchmarks on one processor that are as fast on it. None if the tool cannot set it, fails with it, or there is not
    /// enough time.
    fn find_serial(&mut self) -> anyhow::Result<()> {
        if !self
            .tool
            .as_ref()
            .is_some_and(ToolOptions::takes_processors)
        {
            return Ok(());
        }
        let (start, left) = (Instant::now(), self.time_left());
        let mut times: [[Operations; 2]; 2] = Default::default();
        let mut rounds = 0;
        loop {
            let took = start.elapsed();
            let has_time = match rounds {
                0 => 4 * self.launch_cost <= left / 2,
                _ => rounds < ROUNDS && took + took / rounds <= left / 4,
            };
            if !has_time {
                break;
            }
            for (of_sides, is_one) in times.iter_mut().zip([false, true]) {
                for (side, quickest) in of_sides.iter_mut().enumerate() {
                    for (name, time) in self.operations_of(side, is_one)? {
                        let least = quickest.entry(name).or_insert(time);
                        *least = least.min(time);
                    }
                }
            }
            rounds += 1;
        }
        if let Some(tool) = &mut self.tool {
            tool.serial = serial(&times[0], &times[1]);
        }
        self.select_all();
        Ok(())
    }

    /// Runs all parts of a side once, and returns the seconds per operation; empty if that fails.
    fn operations_of(&mut self, side: usize, is_one: bool) -> anyhow::Result<Operations> {
        let mut found = Operations::new();
        for part in self.parts.clone() {
            let Some(mut line) = part.lines[side].clone() else {
                continue;
            };
            if is_one {
                use_one_processor(&mut line);
            }
            let launched = self.launches.launch(&line);
            match launched.and_then(|launch| self.sampling.origin(&launch, &line, true)) {
                Ok(mut origin) => {
                    part.retain(&mut origin.rows);
                    found.extend(operations(&origin.rows));
                }
                Err(error) if error.is::<Stopped>() => return Err(deadline_as_no_pair(error)),
                Err(_) => return Ok(Operations::new()),
            }
        }
        Ok(found)
    }

    /// Times another process run if the first ones took too long for the budget, because they may have included a build.
    fn time_built(&mut self) -> anyhow::Result<()> {
        let is_soft = self.request.time_limit.is_none() && self.missing_base.is_none();
        if is_soft && self.time_of_pairs() > self.request.budget() {
            self.launch_cost = self.launch_cost.min(self.time_launch()?);
            self.start = Instant::now();
        }
        Ok(())
    }

    /// Times one of the head's process runs, without keeping its rows.
    fn time_launch(&mut self) -> anyhow::Result<Duration> {
        let start = Instant::now();
        for part in self.parts.clone() {
            if let [_, Some(line)] = &part.lines {
                self.launches.launch(line).map_err(deadline_as_no_pair)?;
            }
        }
        Ok(start.elapsed())
    }

    fn time_left(&self) -> Duration {
        self.request.budget().saturating_sub(self.start.elapsed())
    }

    fn run_sides(&mut self) -> anyhow::Result<[Origin; 2]> {
        let head = self.run_side(Side::Current)?;
        Ok([self.run_base(&head)?, head])
    }

    /// Runs the base, and checks that its rows come from the same source as the head's.
    fn run_base(&mut self, head: &Origin) -> anyhow::Result<Origin> {
        if self.missing_base.is_some() {
            return Ok(Origin::default());
        }
        let base = self.run_side(Side::Base)?;
        if base.rows.is_empty() == head.rows.is_empty() {
            return Ok(base);
        }
        let error = unlike_sources(head.rows.is_empty());
        Err(self.sampling.sides.advised(Side::Base, error))
    }

    /// Runs all parts of a side.
    fn run_side(&mut self, side: Side) -> anyhow::Result<Origin> {
        let start = Instant::now();
        let parts = self.parts.clone();
        let mut found = Origin::default();
        for line in parts
            .iter()
            .filter_map(|part| part.lines[side as usize].as_ref())
        {
            let launch = self.launch_watched(side, line)?;
            let origin = self.sampling.origin(&launch, line, parts.len() > 1)?;
            self.single = self.request.is_single.then_some(launch);
            found.rows.extend(origin.rows);
            found.format = origin.format.or(found.format);
            found.unread = origin.unread;
        }
        self.launch_cost = self.launch_cost.max(start.elapsed());
        Ok(found)
    }

    /// Runs a command of a side. The base, and a head in a single run, is watched for the other side's build output.
    fn launch_watched(&mut self, side: Side, line: &CommandSpec) -> anyhow::Result<Launch> {
        let sides = self.sampling.sides;
        let launched = if side == Side::Base || self.request.is_single {
            sides.shared_output(side, self.request, |place| {
                // Use the watched mount view, but otherwise the command that is measured.
                let watched = CommandSpec {
                    place: place.place.clone(),
                    ..line.clone()
                };
                self.launches.launch(&watched)
            })
        } else {
            self.launches.launch(line).map(|launch| (launch, None))
        };
        let (launch, shared_output) = launched.map_err(|error| {
            if error.is::<Stopped>() {
                return deadline_as_no_pair(error);
            }
            let why = format!("{} does not run", sides.described(side));
            sides.advised(side, error.context(why))
        })?;
        if let Some(file) = shared_output {
            let file = term::shown(&file);
            let advice = if self.request.build.is_some() {
                "`build` does not rebuild it"
            } else {
                "set `build`"
            };
            term::warn(&format!(
                "inconclusive: both sides ran the same `{file}`; {advice}"
            ));
            self.shared_output = Some(file);
        }
        Ok(launch)
    }
}

/// Replaces the deadline error of a warm-up run: no pair was measured.
fn deadline_as_no_pair(error: anyhow::Error) -> anyhow::Error {
    if matches!(error.downcast_ref(), Some(Stopped::Deadline)) {
        no_pair()
    } else {
        error
    }
}
