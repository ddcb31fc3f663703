//! The launches that warm up: they find where the rows of a command come from, and whether it takes the options of its tool.

use std::time::{Duration, Instant};

use perf_cli::{Failure, failure, term};
use perf_harness::Tool;

use super::Measurement;
use super::display::{open_benchmarks, suspects};
use super::outcome::{no_pair, unlike_sources};
use super::tool::ToolOptions;
use crate::guardian::Stopped;
use crate::process::Line;
use crate::sampling::Source;
use crate::schedule::Side;

impl Measurement<'_> {
    pub(super) fn warm_up(&mut self) -> anyhow::Result<()> {
        self.find_sources()?;
        if self.source == Source::Process && self.missing_base.is_none() {
            self.launches.noops.line = Some(Line::noop(&self.launches.sides.current.command));
            self.launches.choose_repeats()?;
        }
        Ok(())
    }

    /// Launches both sides, with the options of their tool where these work.
    fn find_sources(&mut self) -> anyhow::Result<()> {
        if self.tool.is_none() {
            self.source = self.source_of(Side::Current)?;
            self.tool = self.tool_of_output()?;
            // A launch with its own options may have taken as long as all pairs will.
            self.start = Instant::now();
        }
        self.compile()?;
        let Some(tool) = &mut self.tool else { return self.launch_base() };
        let (plain, adjusted) = (tool.plain_lines(), tool.all_benchmarks());
        self.launches.lines = adjusted;
        let known = tool.tool();
        let error = match self.launch_sources() {
            Ok(()) if self.source == Source::Harness => return self.fit_samples(),
            Ok(()) => Failure::new(format!("{} printed no results", known.name())).into(),
            Err(error) if error.is::<Stopped>() => return Err(error),
            Err(error) => error,
        };
        self.tool = None;
        self.launches.lines = plain;
        self.launch_sources()?;
        if self.source == Source::Process {
            self.tell_of_process(known);
        } else {
            let why = failure::message(&error);
            term::warn(&format!("the added options do not work and are left out: {why}"));
        }
        Ok(())
    }

    /// Says that a benchmark tool has no results that can be read.
    fn tell_of_process(&self, tool: Tool) {
        let why = self.unread.as_deref().map_or_else(String::new, |why| format!(" ({why})"));
        term::warn(&format!(
            "the output of {} has no results that can be read{why}, so the whole process is the benchmark: `--format {}` makes \
             that an error, `--as-is` states that the process is meant",
            tool.name(),
            tool.format()
        ));
    }

    /// Compiles what would be compiled in every launch; like other builds, it takes nothing from the time limit.
    fn compile(&mut self) -> anyhow::Result<()> {
        let Some(tool) = self.tool.as_mut().filter(|_| self.missing_base.is_none()) else { return Ok(()) };
        let start = Instant::now();
        let deadline = self.launches.launcher.deadline.take();
        tool.compile(&self.launches.launcher)?;
        self.launches.launcher.deadline = deadline.map(|deadline| deadline + start.elapsed());
        self.start += start.elapsed();
        Ok(())
    }

    /// Takes as many samples in a launch as the time allows, by a launch that has nothing to build any more.
    fn fit_samples(&mut self) -> anyhow::Result<()> {
        let budget = self.request.budget();
        let launch = self.time_launch()?;
        let Some(tool) = &mut self.tool else { return Ok(()) };
        if tool.fit(launch, budget) {
            self.launches.lines = tool.all_benchmarks();
            self.launch_cost = self.time_launch()?;
        } else {
            self.launch_cost = launch;
        }
        if let Some(note) = self.tool.as_ref().and_then(ToolOptions::note) {
            term::note(&note);
        }
        Ok(())
    }

    /// The time of a launch of the current side, whose rows are not kept.
    fn time_launch(&mut self) -> anyhow::Result<Duration> {
        let start = Instant::now();
        match self.launches.launch(Side::Current) {
            Err(error) if matches!(error.downcast_ref(), Some(Stopped::Deadline)) => Err(no_pair()),
            launched => launched.map(|_| start.elapsed()),
        }
    }

    /// The options of a tool that is known by its output alone.
    fn tool_of_output(&mut self) -> anyhow::Result<Option<ToolOptions>> {
        if self.source == Source::Process || self.missing_base.is_some() {
            return Ok(None);
        }
        let Some(format) = self.format else { return Ok(None) };
        ToolOptions::of(self.request, &self.launches.lines, Some(format))
    }

    fn launch_sources(&mut self) -> anyhow::Result<()> {
        self.source = self.source_of(Side::Current)?;
        self.launch_base()
    }

    /// Launches the base, whose rows have to come from where those of the current side do.
    fn launch_base(&mut self) -> anyhow::Result<()> {
        if self.missing_base.is_some() {
            return Ok(());
        }
        let base = self.source_of(Side::Base)?;
        if base == self.source {
            return Ok(());
        }
        Err(self.launches.sides.advised(Side::Base, unlike_sources(base)))
    }

    /// Launches a side, and finds where its rows come from.
    fn source_of(&mut self, side: Side) -> anyhow::Result<Source> {
        let (start, sides) = (Instant::now(), self.launches.sides);
        let launched = if side == Side::Base || self.request.is_single {
            sides.shared_output(side, self.request, |line| {
                // The place is watched; the rest is as in every launch.
                let watched = Line { place: line.place.clone(), ..self.launches.line(side).clone() };
                self.launches.launch_line(&watched)
            })
        } else {
            self.launches.launch(side).map(|launch| (launch, None))
        };
        let (launch, shared_output) = launched.map_err(|error| match error.downcast_ref() {
            Some(Stopped::Deadline) => no_pair(),
            Some(Stopped::Interrupted) => error,
            None => sides.advised(side, error.context(format!("{} does not run", sides.described(side)))),
        })?;
        if let Some(file) = shared_output {
            let file = term::shown(&file);
            term::warn(&format!("inconclusive: both sides ran the same `{file}`; set `build`"));
            self.shared_output = Some(file);
        }
        self.launch_cost = self.launch_cost.max(start.elapsed());
        let origin = self.sampling.origin(&launch, self.launches.line(side))?;
        (self.format, self.unread) = (origin.format, origin.unread);
        self.single = self.request.is_single.then_some(launch);
        Ok(origin.source)
    }

    pub(super) fn is_narrowed(&self) -> bool {
        self.tool.as_ref().is_some_and(ToolOptions::is_narrowed)
    }

    /// From here on launches only the benchmarks that more pairs could still decide, where the tool can.
    pub(super) fn narrow(&mut self) {
        let (open, all) = self.compared(open_benchmarks);
        if self.select(&open, all) {
            term::note(&format!("from here on, {} of {all} benchmarks are launched", open.len()));
        }
    }

    /// From here on launches only the benchmarks that look slower and have no verdict, where the tool can. Returns false if
    /// there are none.
    pub(super) fn narrow_to_suspects(&mut self) -> bool {
        let (suspects, all) = self.compared(suspects);
        if self.select(&suspects, all) {
            term::note(&format!(
                "from here on, {} of {all} benchmarks are launched, which look slower",
                suspects.len()
            ));
        }
        !suspects.is_empty()
    }

    /// Launches only these benchmarks. Returns false if they are all that is launched, or the tool cannot select them.
    pub(super) fn select(&mut self, benchmarks: &[String], all: usize) -> bool {
        let others = self.long.select(benchmarks);
        let lines = self.tool.as_mut().and_then(|tool| tool.only(&others, all));
        let is_narrower = lines.is_some();
        if let Some(lines) = lines {
            self.launches.lines = lines;
        }
        is_narrower
    }

    /// Launches all benchmarks again, as the filter of the tool did not do what it is known for.
    pub(super) fn widen(&mut self, why: &str) {
        if let Some(tool) = &mut self.tool {
            term::warn(&format!("all benchmarks are launched again: {why}"));
            self.launches.lines = tool.all_benchmarks();
        }
        self.tool = None;
    }
}
