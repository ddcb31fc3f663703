//! Warm-up runs. They determine the source of a command's rows, and whether its tool accepts the added options.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::bench_tools::ToolKind;
use perf_cli::{Failure, failure, term};
use perf_model::row::Name;

use super::program::use_one_processor;
use crate::guardian::Stopped;
use crate::pairs::{
    Measurement,
    display::open_benchmarks,
    outcome::{no_pair, unlike_sources},
    parts::{Quickest, operations, serial},
    tool::{ROOM, ToolOptions},
};
use crate::process::{CommandSpec, Launch};
use crate::sampling::Source;
use crate::schedule::Side;

/// Rounds of process runs on all processors and on one. The first may take half of the remaining time, and all of them a
/// quarter.
const ROUNDS: u32 = 2;

impl Measurement<'_> {
    pub fn warm_up(&mut self) -> anyhow::Result<()> {
        self.find_sources()?;
        if self.source == Source::Process && self.missing_base.is_none() {
            self.launches.noops.line =
                Some(CommandSpec::noop(&self.launches.sides.current.command));
            self.launches.choose_repeats()?;
        }
        Ok(())
    }

    /// Runs both sides, with their tool's options if these work.
    fn find_sources(&mut self) -> anyhow::Result<()> {
        if self.tool.is_none() {
            self.source = self.source_of(Side::Current)?;
            self.tool = self.tool_of_output()?;
            // That process run, without the options, may have taken as long as all pairs will.
            self.start = Instant::now();
        }
        self.compile()?;
        let Some(tool) = &mut self.tool else {
            self.launch_base()?;
            return self.time_built();
        };
        let (plain, adjusted) = (tool.plain_parts(), tool.all_benchmarks());
        self.launches.parts = adjusted;
        let known = tool.tool();
        let error = match self.launch_sources().and_then(|()| self.keep_packages()) {
            Ok(()) if self.source == Source::BenchTool => return self.fit_samples(),
            Ok(()) => Failure::new(format!("{} printed no results", known.name())).into(),
            Err(error) if error.is::<Stopped>() => return Err(error),
            Err(error) => error,
        };
        self.tool = None;
        self.launches.parts = plain;
        self.launch_sources()?;
        if self.source == Source::Process {
            self.warn_without_results(known);
        } else {
            let why = failure::message(&error);
            term::warn(&format!(
                "the added options do not work and are left out: {why}"
            ));
            failure::hints(&error).into_iter().for_each(term::hint);
        }
        Ok(())
    }

    /// Warns that a benchmark tool printed no readable results.
    fn warn_without_results(&self, tool: ToolKind) {
        let why = self
            .unread
            .as_deref()
            .map_or_else(String::new, |why| format!(" ({why})"));
        term::warn(&format!(
            "no results found in the output of {}{why}, so the whole process is the benchmark: pass `--format {}` to make \
             this an error, or `--as-is` if it is intended",
            tool.name(),
            tool.format()
        ));
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

    /// Chooses the number of samples per process run that the time allows, and each benchmark's iterations if that is not slower.
    fn fit_samples(&mut self) -> anyhow::Result<()> {
        if !self.request.is_single {
            self.launch_cost = self.time_launch().map_err(deadline_as_no_pair)?;
            self.set_iterations()?;
            self.launch_cost = self.time_samples(self.launch_cost)?;
        }
        if let Some(note) = self.tool.as_ref().and_then(ToolOptions::note) {
            term::note(&note);
        }
        Ok(())
    }

    /// Chooses the number of samples that the time allows, given the duration of a process run with the fewest. Returns the
    /// duration of a process run with them.
    fn time_samples(&mut self, fewest: Duration) -> anyhow::Result<Duration> {
        let left = |this: &Self| this.request.budget().saturating_sub(this.start.elapsed());
        let mut most = None;
        if fewest * 2 * ROOM <= left(self) {
            self.tool.iter_mut().for_each(ToolOptions::set_most_samples);
            self.select_all();
            most = Some(self.time_launch().map_err(deadline_as_no_pair)?);
        }
        let left = left(self);
        let fitted = self.tool.as_mut().map(|tool| tool.fit(fewest, most, left));
        self.select_all();
        Ok(fitted.unwrap_or(fewest))
    }

    /// Selects all benchmarks, with the tool's current options.
    fn select_all(&mut self) {
        if let Some(tool) = &mut self.tool {
            self.launches.parts = tool.all_benchmarks();
        }
    }

    /// Divides the suite into parts in which each benchmark has its own iterations, unless that takes longer.
    fn set_iterations(&mut self) -> anyhow::Result<()> {
        let Some(tool) = self.tool.as_mut().filter(|_| self.missing_base.is_none()) else {
            return Ok(());
        };
        if !tool.set_iterations(&self.operations, &BTreeSet::new()) {
            return Ok(());
        }
        self.select_all();
        match self.time_launch() {
            Ok(divided) if divided <= self.launch_cost => self.launch_cost = divided,
            Err(error) if error.is::<Stopped>() => return Err(deadline_as_no_pair(error)),
            Ok(_) | Err(_) => {
                self.tool.iter_mut().for_each(ToolOptions::clear_iterations);
                return Ok(());
            }
        }
        let serial = self.serial()?;
        if let Some(tool) = &mut self.tool {
            tool.set_iterations(&self.operations, &serial);
        }
        self.select_all();
        Ok(())
    }

    /// The benchmarks that are as fast on one processor. None if the tool cannot set it, fails with it, or there is not enough
    /// time.
    fn serial(&mut self) -> anyhow::Result<BTreeSet<Name>> {
        let (start, left) = (
            Instant::now(),
            self.request.budget().saturating_sub(self.start.elapsed()),
        );
        let mut times: [[Quickest; 2]; 2] = Default::default();
        let mut rounds = 0;
        let takes_processors = self
            .tool
            .as_ref()
            .is_some_and(ToolOptions::takes_processors);
        let has_time = |rounds: u32, took: Duration, launch: Duration| match rounds {
            0 => 4 * launch <= left / 2,
            _ => rounds < ROUNDS && took + took / rounds <= left / 4,
        };
        while takes_processors && has_time(rounds, start.elapsed(), self.launch_cost) {
            for (of_sides, is_one) in times.iter_mut().zip([false, true]) {
                for (at, quickest) in of_sides.iter_mut().enumerate() {
                    for (name, time) in self.operations_of(at, is_one)? {
                        let least = quickest.entry(name).or_insert(time);
                        *least = least.min(time);
                    }
                }
            }
            rounds += 1;
        }
        let [all, one] = &times;
        Ok(serial(all, one))
    }

    /// Runs all parts of a side once, and returns the seconds per operation; empty if that fails.
    fn operations_of(
        &mut self,
        at: usize,
        is_on_one_processor: bool,
    ) -> anyhow::Result<Vec<(Name, f64)>> {
        let mut found = Vec::new();
        for part in self.launches.parts.clone() {
            let Some(mut line) = part.lines[at].clone() else {
                continue;
            };
            if is_on_one_processor {
                use_one_processor(&mut line);
            }
            let launched = self.launches.launch_line(&line);
            match launched.and_then(|launch| self.sampling.origin(&launch, &line, true)) {
                Ok(mut origin) => {
                    part.retain(&mut origin.rows);
                    found.extend(operations(&origin.rows).unwrap_or_default());
                }
                Err(error) if error.is::<Stopped>() => return Err(deadline_as_no_pair(error)),
                Err(_) => return Ok(Vec::new()),
            }
        }
        Ok(found)
    }

    /// Times another process run if the first ones took too long for the budget, because they may have included a build.
    fn time_built(&mut self) -> anyhow::Result<()> {
        let is_soft = self.request.time_limit.is_none() && self.missing_base.is_none();
        if is_soft && self.time_of_pairs() > self.request.budget() {
            self.launch_cost = self
                .launch_cost
                .min(self.time_launch().map_err(deadline_as_no_pair)?);
            self.start = Instant::now();
        }
        Ok(())
    }

    /// Times one of the head's process runs, without keeping its rows.
    fn time_launch(&mut self) -> anyhow::Result<Duration> {
        let start = Instant::now();
        for part in self.launches.parts.clone() {
            if let [_, Some(line)] = &part.lines {
                self.launches.launch_line(line)?;
            }
        }
        Ok(start.elapsed())
    }

    /// The options for a tool that is only recognised by its output.
    fn tool_of_output(&mut self) -> anyhow::Result<Option<ToolOptions>> {
        if self.source == Source::Process || self.missing_base.is_some() {
            return Ok(None);
        }
        let Some(format) = self.format else {
            return Ok(None);
        };
        let lines = [Side::Base, Side::Current].map(|side| self.launches.whole(side));
        ToolOptions::of(
            self.request,
            self.launches.launcher.guardian,
            lines,
            Some(format),
        )
    }

    fn launch_sources(&mut self) -> anyhow::Result<()> {
        self.source = self.source_of(Side::Current)?;
        self.launch_base()
    }

    /// Runs the base, and checks that its rows come from the same source as the head's.
    fn launch_base(&mut self) -> anyhow::Result<()> {
        if self.missing_base.is_some() {
            return Ok(());
        }
        let base = self.source_of(Side::Base)?;
        if base == self.source {
            return Ok(());
        }
        Err(self
            .launches
            .sides
            .advised(Side::Base, unlike_sources(base)))
    }

    /// Drops packages without results.
    fn keep_packages(&mut self) -> anyhow::Result<()> {
        let Some(tool) = &mut self.tool else {
            return Ok(());
        };
        let are_kept = tool.drop_packages_without_results(&std::mem::take(&mut self.shown));
        self.select_all();
        if are_kept {
            Ok(())
        } else {
            self.launch_sources()
        }
    }

    /// Runs a side, and determines the source of its rows.
    fn source_of(&mut self, side: Side) -> anyhow::Result<Source> {
        let (start, at) = (Instant::now(), usize::from(side == Side::Current));
        let parts = self.launches.parts.clone();
        let (mut rows, mut shown) = (Vec::new(), Vec::new());
        self.unread = None;
        for line in parts.iter().filter_map(|part| part.lines[at].as_ref()) {
            let launch = self.launch_source(side, line)?;
            let origin = self.sampling.origin(&launch, line, parts.len() > 1)?;
            shown.push(origin.source == Source::BenchTool);
            rows.extend(origin.rows);
            (self.format, self.unread) = (
                origin.format.or(self.format),
                origin.unread.or(self.unread.take()),
            );
            self.single = self.request.is_single.then_some(launch);
        }
        self.launch_cost = self.launch_cost.max(start.elapsed());
        let source = if rows.is_empty() {
            Source::Process
        } else {
            Source::BenchTool
        };
        self.operations[at] = operations(&rows).unwrap_or_default();
        self.shown[at] = shown;
        Ok(source)
    }

    /// Runs a command of a side. The base, and a head in a single run, is watched for the other side's build output.
    fn launch_source(&mut self, side: Side, line: &CommandSpec) -> anyhow::Result<Launch> {
        let sides = self.launches.sides;
        let launched = if side == Side::Base || self.request.is_single {
            sides.shared_output(side, self.request, |place| {
                // Use the watched mount view, but otherwise the command that is measured.
                let watched = CommandSpec {
                    place: place.place.clone(),
                    ..line.clone()
                };
                self.launches.launch_line(&watched)
            })
        } else {
            self.launches.launch_line(line).map(|launch| (launch, None))
        };
        let (launch, shared_output) = launched.map_err(|error| {
            if error.is::<Stopped>() {
                return deadline_as_no_pair(error);
            }
            sides.advised(
                side,
                error.context(format!("{} does not run", sides.described(side))),
            )
        })?;
        if let Some(file) = shared_output {
            let file = term::shown(&file);
            term::warn(&format!(
                "inconclusive: both sides ran the same `{file}`; set `build`"
            ));
            self.shared_output = Some(file);
        }
        Ok(launch)
    }

    /// Whether the tool got a filter or iterations, which it may not accept.
    pub fn can_widen(&self) -> bool {
        self.tool
            .as_ref()
            .is_some_and(|tool| tool.is_narrowed() || tool.has_iterations())
    }

    /// Restricts the next pairs to undecided benchmarks, if the tool can select them.
    pub fn narrow(&mut self) {
        let (open, all) = self.compared(open_benchmarks);
        if self.select(&open, all) {
            term::note(&format!(
                "now running {} of {all} benchmarks: those still undecided",
                open.len()
            ));
        }
    }

    /// Restricts the next pairs to these benchmarks. Returns false if no others ran before, or the tool cannot select them.
    pub fn select(&mut self, benchmarks: &[String], all: usize) -> bool {
        let left = self.request.budget().saturating_sub(self.start.elapsed());
        let parts = self
            .tool
            .as_mut()
            .and_then(|tool| tool.only(benchmarks, all, left));
        let is_narrower = parts.is_some();
        if let Some(parts) = parts {
            self.launches.parts = parts;
        }
        is_narrower
    }

    /// Runs all benchmarks again, because the tool's filter did not work as expected.
    pub fn widen(&mut self, why: &str) {
        if let Some(tool) = &mut self.tool {
            term::warn(&format!("running all benchmarks again: {why}"));
            tool.clear_iterations();
            self.launches.parts = tool.all_benchmarks();
        }
        self.tool = None;
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
