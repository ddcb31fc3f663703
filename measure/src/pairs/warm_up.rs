//! Warm-up runs. They determine where the rows come from, whether the tool accepts the added options, and how long a
//! process run takes.

use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use perf_cli::{ResultExt, failure, term};
use perf_model::row::Name;

use super::LIMIT;
use super::launches::Launches;
use super::measurement::Measurement;
use super::prepare::outputs::Watched;
use super::request::Choose;
use super::tool::{
    Operations, ROOM, ToolOptions, cannot_select, operations, serial, use_one_processor,
};
use crate::bench_tools::ToolKind;
use crate::guardian::Stopped;
use crate::process::{CommandSpec, Launch};
use crate::rows;
use crate::sampling::{Origin, Sampling};
use crate::schedule::Side;

impl Measurement<'_> {
    /// Runs base and head, and chooses benchmarks and samples.
    pub fn warm_up(&mut self, choose: Option<&mut Choose<'_>>) -> anyhow::Result<()> {
        let mut sides = self.run_first()?;
        if let Some(tool) = &mut self.tool {
            tool.has_no_filter |= sides.iter().any(|side| side.is_renamed);
        }
        if let Some(choose) = choose {
            self.choose(choose, &mut sides)?;
        }
        if self.tool.is_some()
            && let Err(error) = self.fit_samples(sides.map(|side| operations(&side.rows)))
        {
            if error.is::<Stopped>() || self.chosen.is_none() {
                return Err(error);
            }
            self.widen(&failure::message(&error));
        }
        if self.sampling.is_process && self.missing_base.is_none() {
            let lines = self.plain_lines();
            self.launches.noop = Some(lines[1].noop());
            self.launches.choose_repeats(&lines)?;
        }
        Ok(())
    }

    /// Lets `choose` choose among the benchmarks of base and head, and removes the rows of all others.
    fn choose(&mut self, choose: &mut Choose<'_>, sides: &mut [Origin; 2]) -> anyhow::Result<()> {
        if self.sampling.is_process {
            return cannot_select("the command prints no benchmark results");
        }
        let rows = sides.iter().flat_map(|side| &side.rows);
        let chosen = choose(&rows.map(|row| Name::clone(&row.scenario)).collect())?;
        let names = sides.each_mut().map(|side| {
            side.rows.retain(|row| chosen.contains(&row.scenario));
            let names = rows::names(&side.rows);
            names.iter().map(ToString::to_string).collect()
        });
        self.chosen = Some(names);
        if let Some(tool) = &mut self.tool {
            tool.chosen.clone_from(&self.chosen);
            let Some(parts) = tool.chosen_parts() else {
                return cannot_select(&format!("{} has no filter", tool.tool().name()));
            };
            self.parts = parts;
        } else {
            let mut part = self.plain_part();
            if !sides.iter().any(|side| side.is_renamed) {
                part.filter(sides[1].format)?;
            }
            self.parts = vec![part];
        }
        // Finding the benchmarks does not use up the time limit.
        self.start = Instant::now();
        let launcher = &mut self.launches.launcher;
        launcher.limit = self.request.launch_limit.unwrap_or(LIMIT);
        launcher.deadline = Some(self.start + self.request.time_limit.unwrap_or(LIMIT));
        Ok(())
    }

    /// Runs base and head, with their tool's options if the options work.
    fn run_first(&mut self) -> anyhow::Result<[Origin; 2]> {
        let mut head = Origin::default();
        if self.tool.is_none() {
            head = self.run_side(Side::Current)?;
            self.sampling.is_process = head.rows.is_empty();
            if let Some(format) = head.format
                && !head.rows.is_empty()
                && self.missing_base.is_none()
            {
                // Some tools are only recognised by their output.
                self.tool = self.tool_options(Some(format))?;
            }
            // The process run without the options may have taken as long as all pairs will, so restart the clock.
            self.start = Instant::now();
        }
        let Some(tool) = &mut self.tool else {
            return Ok([self.run_base(&head)?, head]);
        };
        let kind = tool.tool();
        // Like other builds, compiling test binaries does not use up the time limit.
        let start = Instant::now();
        let deadline = self.launches.launcher.deadline.take();
        tool.compile(&self.launches.launcher)?;
        self.launches.launcher.deadline = deadline.map(|deadline| deadline + start.elapsed());
        self.start += start.elapsed();
        self.select_chosen();
        let error = match self.run_sides() {
            Ok(sides) if !sides[1].rows.is_empty() => {
                self.sampling.is_process = false;
                return Ok(sides);
            }
            Ok(_) => anyhow!("{} printed no results", kind.name()),
            Err(error) if error.is::<Stopped>() => return Err(error),
            Err(error) => error,
        };
        // Warn before the next run, which can take many times as long.
        term::warn(&format!(
            "the added options do not work and are left out, so a process run takes as long as the command alone: {}",
            failure::message(&error)
        ));
        if kind == ToolKind::Criterion {
            term::hint("update Criterion to 0.4 or newer, which accepts fractions of a second");
        }
        failure::hints(&error).into_iter().for_each(term::hint);
        self.tool = None;
        self.parts = vec![self.plain_part()];
        let sides = self.run_sides()?;
        self.sampling.is_process = sides[1].rows.is_empty();
        if self.sampling.is_process {
            term::warn(&format!(
                "no results found in the output of {} ({}), so the whole process is the benchmark: pass `--format {}` to make \
                 this an error, or `--as-is` if it is intended",
                kind.name(),
                sides[1].unread,
                kind.format()
            ));
        }
        Ok(sides)
    }

    /// Sets each benchmark's iterations if this does not make process runs slower, and the maximum number of samples if
    /// there is time.
    fn fit_samples(&mut self, operations: [Operations; 2]) -> anyhow::Result<()> {
        let mut cost = self.time_launch()?;
        // If only one sub-benchmark ran, it may have been printed under another name.
        let is_one = self
            .request
            .focus
            .as_ref()
            .is_some_and(|focus| focus.is_key);
        if !is_one {
            self.change_tool(|tool| tool.set_iterations(operations));
        }
        if self
            .tool
            .as_ref()
            .is_some_and(|tool| tool.operations.is_some())
        {
            match self.time_launch() {
                Ok(divided) if divided <= cost => {
                    cost = divided;
                    self.find_serial(cost)?;
                }
                Err(error) if error.is::<Stopped>() => return Err(error),
                _ => self.change_tool(|tool| tool.operations = None),
            }
        }
        if cost * 2 * ROOM <= self.time_left() {
            self.change_tool(|tool| tool.set_samples(true));
            if self.time_launch()? * 2 * ROOM > self.time_left() {
                self.change_tool(|tool| tool.set_samples(false));
            }
        }
        if let Some(note) = self.tool.as_ref().and_then(ToolOptions::note) {
            term::note(&note);
        }
        Ok(())
    }

    /// Changes the tool's options, and selects all benchmarks with them.
    fn change_tool(&mut self, change: impl FnOnce(&mut ToolOptions)) {
        if let Some(tool) = &mut self.tool {
            change(tool);
        }
        self.select_chosen();
    }

    /// Finds the benchmarks that are as fast on one processor, and makes the tool run them there. Finds none if the tool
    /// cannot set the number of processors or fails with it, or if there is not enough time.
    fn find_serial(&mut self, cost: Duration) -> anyhow::Result<()> {
        // A round runs base and head on all processors and on one.
        let (round, left) = (4 * cost, self.time_left());
        let rounds = match &self.tool {
            Some(tool) if !tool.takes_processors() => 0,
            _ if 2 * round <= left / 4 => 2,
            _ if round <= left / 2 => 1,
            _ => 0,
        };
        let mut times: [[Operations; 2]; 2] = Default::default();
        for _ in 0..rounds {
            for (of_sides, is_one) in times.iter_mut().zip([false, true]) {
                for side in [Side::Base, Side::Current] {
                    let fastest = &mut of_sides[side as usize];
                    for (name, time) in self.operations_of(side, is_one)? {
                        let least = fastest.entry(name).or_insert(time);
                        *least = least.min(time);
                    }
                }
            }
        }
        self.change_tool(|tool| tool.serial = serial(&times[0], &times[1]));
        Ok(())
    }

    /// Runs a side once, and returns the seconds per operation. The result is empty if the run fails.
    fn operations_of(&mut self, side: Side, is_one: bool) -> anyhow::Result<Operations> {
        let parts = self.parts.clone();
        if is_one {
            let lines = self.parts.iter_mut().flat_map(|part| &mut part.lines);
            lines.flatten().for_each(use_one_processor);
        }
        let run = self.run_side(side);
        self.parts = parts;
        match run {
            Ok(origin) => Ok(operations(&origin.rows)),
            Err(error) if error.is::<Stopped>() => Err(error),
            Err(_) => Ok(Operations::new()),
        }
    }

    /// Times one process run of the head, without keeping its rows.
    fn time_launch(&mut self) -> anyhow::Result<Duration> {
        let start = Instant::now();
        for part in &self.parts {
            if let [_, Some(line)] = &part.lines {
                self.launches.launch(line)?;
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
        let base = self.run_side(Side::Base)?;
        if self.missing_base.is_some() || base.rows.is_empty() == head.rows.is_empty() {
            return Ok(base);
        }
        let (with, without) = if head.rows.is_empty() {
            ("base", "head")
        } else {
            ("head", "base")
        };
        let error = Err(anyhow!(
            "the {with} prints benchmark results and the {without} does not"
        ))
        .hint("base and head must run the same benchmark");
        self.sampling.sides.advise(Side::Base, error)
    }

    /// Runs all parts of a side. The base is watched for the other side's build output.
    fn run_side(&mut self, side: Side) -> anyhow::Result<Origin> {
        let sides = self.sampling.sides;
        let mut found = Origin::default();
        for part in &self.parts {
            let Some(line) = &part.lines[side as usize] else {
                continue;
            };
            let launch = if side == Side::Base {
                launch_watched(&mut self.launches, &mut self.sampling, side, line)?
            } else {
                sides.explain(side, "does not run", self.launches.launch(line))?
            };
            let mut origin = self
                .sampling
                .origin(&launch, line, self.parts.len() > 1)
                .with_context(|| sides.described(side))?;
            if self.request.focus.is_none() {
                part.retain(side, &mut origin.rows);
            }
            found.rows.extend(origin.rows);
            found.format = origin.format.or(found.format);
            found.unread = origin.unread;
            found.is_renamed |= origin.is_renamed;
        }
        Ok(found)
    }
}

/// Runs a command of a side. If the side executed a file that the other side built, records this and warns.
pub fn launch_watched(
    launches: &mut Launches<'_>,
    sampling: &mut Sampling<'_>,
    side: Side,
    line: &CommandSpec,
) -> anyhow::Result<Launch> {
    let (sides, request) = (sampling.sides, sampling.request);
    let watched = Watched::find(sides, side, request)?;
    let mut line = line.clone();
    if let Some(watched) = &watched {
        line.place = Some(watched.place.clone());
    }
    let launch = sides.explain(side, "does not run", launches.launch(&line))?;
    let Some(file) = watched.and_then(|watched| watched.opened()) else {
        return Ok(launch);
    };
    let is_installed = file
        .components()
        .any(|part| part.as_os_str() == "site-packages");
    let file = term::shown(&file);
    let advice = if is_installed {
        "install it with `pip install --editable`"
    } else if request.build.is_some() {
        "`build` does not rebuild it"
    } else {
        "set `build`"
    };
    term::warn(&format!(
        "inconclusive: base and head ran the same `{file}`, so the change was not measured; {advice}"
    ));
    sampling.shared_output = Some(file);
    Ok(launch)
}
