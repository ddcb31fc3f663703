//! Profiles base and head.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::profile::{Comparison, Function, Profile, Role, Unit, compare, float};
use anyhow::{Context, anyhow, bail};
use measure::bench_tools::{self, Adjusted};
use measure::pairs::ProfiledSides;
use perf_cli::{ResultExt, term};
use perf_config::Config;
use perf_model::row::Row;
use perf_verdict::statistics::signed_rank::typical;

use super::profiler::{Plan, Profiled, Profiler};
use super::source::Source;
use crate::formats;
use crate::run::seconds;

/// The numbers of iterations if base and head must run the same number: for a short trial, for a longer trial, and the
/// maximum.
const SHORT: u64 = 10;
const LONG: u64 = 110;
const MOST: u64 = 14_080;
/// The time of a process run is the p10 of its samples: the sample at one tenth of the sorted list.
const TENTH: usize = 10;
const NANOSECONDS: f64 = 1e9;
/// The maximum number of pairs that are timed without the profiler, and the confidence that their change must reach, which
/// takes at least 8 pairs.
const MOST_PAIRS: u32 = 16;
const CONFIDENCE: f64 = 0.995;
/// The smallest change in time that is clear, as the logarithm of a ratio.
const CLEAR_CHANGE: f64 = 0.05;
/// The minimum time of a whole command in nanoseconds. Shorter commands mostly measure the start of a process.
const MIN_COMMAND_TIME: f64 = 5e7;

/// The profiles of base and head, and their comparison.
pub struct Recorded {
    pub benchmark: String,
    pub base_commit: Option<String>,
    pub base: Option<Profile>,
    pub current: Profile,
    /// The comparison, if there is a base.
    pub comparison: Option<Comparison>,
    /// True if costs are per iteration.
    pub is_each: bool,
    pub profiler: Profiler,
    /// The reason, if the comparison does not explain the change.
    pub no_answer: Option<String>,
}

impl Recorded {
    /// True if no counted function is in a project file, for example because debug information is missing.
    pub fn lacks_lines(&self, source: &Source) -> bool {
        let is_known = |function: &Function| {
            function
                .file
                .as_deref()
                .is_some_and(|file| source.has(file))
        };
        self.profiler == Profiler::Callgrind && !self.current.functions.iter().any(is_known)
    }
}

/// Runs base and head under a profiler.
pub struct Launches<'a> {
    pub plan: &'a Plan,
    pub profiler: Profiler,
    pub benchmark: &'a str,
    pub sides: &'a ProfiledSides<'a>,
    pub base_commit: Option<&'a str>,
    pub config: &'a Config,
    pub source: &'a Source,
    pub folder: &'a Path,
    pub end: Instant,
}

impl Launches<'_> {
    /// Profiles base and head repeatedly, in the order base, head, head, base, until a cause stands out or the time is up.
    ///
    /// # Errors
    /// Fails if a process run fails or writes no profile.
    pub fn record(&self) -> anyhow::Result<Recorded> {
        let profiler = self.profiler;
        let command = self.command(self.plan.adjusted(profiler, None, self.folder));
        if !command.is_selected && profiler == self.plan.profiler {
            term::note("the command cannot select one benchmark, so the profile covers all");
        }
        if self.plan.repeats(profiler)
            && let Some(tool) = &self.plan.harness
        {
            term::note(&format!(
                "{} chooses the number of iterations, so shares of the total cost are compared, not amounts",
                tool.tool().name()
            ));
        }
        // Instruction counts show smaller changes than samples, so count first.
        if self.base_commit.is_some() && profiler == Profiler::Go && !self.plan.is_chosen {
            let counting = Launches {
                profiler: Profiler::Callgrind,
                folder: &self.folder.join("counted"),
                ..*self
            };
            // If valgrind is not installed or no function stands out, continue with sampling.
            if let Ok(counted) = counting.record()
                && (self.is_settled(&counted) || Instant::now() >= self.end)
            {
                return Ok(counted);
            }
        }
        let iterations = self.iterations()?;
        let mut folders = [Vec::new(), Vec::new()];
        let mut times = [Vec::new(), Vec::new()];
        let start = Instant::now();
        for round in 0_u32.. {
            for side in order(round) {
                if side == 0 && self.base_commit.is_none() {
                    continue;
                }
                let name = ["the base", "the head"][side];
                if round == 0 {
                    term::note(&format!("profiling {name} with {}", profiler.name()));
                }
                let folder = self.folder.join(format!("{side}-{round}"));
                times[side].extend(self.profile(side, &folder, iterations)?);
                folders[side].push(folder);
            }
            let took = start.elapsed() / (round + 1);
            let is_last = Instant::now() + took > self.end;
            // A single sampled run may have been disturbed, so compare at least two.
            if round == 0 && !profiler.is_exact() && !is_last {
                continue;
            }
            let recorded = self.compare(&folders, times.clone(), iterations)?;
            if is_last || profiler.is_exact() || self.is_settled(&recorded) {
                return Ok(recorded);
            }
        }
        bail!("nothing was profiled");
    }

    fn is_settled(&self, recorded: &Recorded) -> bool {
        let Some(comparison) = &recorded.comparison else {
            return true;
        };
        let least = if self.source.hunks.is_empty() {
            Role::Own
        } else {
            Role::Changed
        };
        match comparison.causes.first() {
            Some(first) => first.role >= least,
            None => false,
        }
    }

    fn compare(
        &self,
        folders: &[Vec<PathBuf>; 2],
        times: [Vec<f64>; 2],
        iterations: Option<u64>,
    ) -> anyhow::Result<Recorded> {
        let times = times.map(min_time);
        let is_timed = times[1].is_some() && times[0].is_some() == self.base_commit.is_some();
        let mut profiles = [None, None];
        for (side, folders) in folders.iter().enumerate() {
            if folders.is_empty() {
                continue;
            }
            let mut profile = self.read_runs(side, folders, iterations)?;
            if iterations.is_none() && self.plan.repeats(self.profiler) {
                profile = profile.of_unknown_work();
            }
            if let Some([mut time, noise]) = times[side]
                && is_timed
                && profile.unit == Unit::Samples
            {
                if self.plan.harness.is_none() {
                    // Use the sampled time, because the whole time includes waiting, which is not sampled.
                    let samples = profile.total() / float(folders.len() as u64);
                    time = samples * Profiler::NODE_INTERVAL;
                }
                profile = profile.per_operation(time, noise);
            }
            profiles[side] = Some(profile);
        }
        let [base, Some(current)] = profiles else {
            bail!("nothing was profiled");
        };
        let role = |function: &Function| self.source.role(function);
        let comparison = base.as_ref().map(|base| compare(base, &current, &role));
        Ok(Recorded {
            benchmark: self.benchmark.to_owned(),
            base_commit: self.base_commit.map(str::to_owned),
            base,
            current,
            comparison,
            is_each: iterations.is_some(),
            profiler: self.profiler,
            no_answer: None,
        })
    }

    /// Times both sides without the profiler until their change is clear or the time is up. Returns the change as the
    /// logarithm of a ratio, or `None` if it is not clear.
    ///
    /// # Errors
    /// Fails if a process run fails.
    pub fn measured_change(&self, limit: Duration) -> anyhow::Result<Option<f64>> {
        let end = Instant::now() + limit;
        term::note("timing both without the profiler");
        let mut differences = Vec::new();
        for round in 0..MOST_PAIRS {
            let mut times = [None; 2];
            for side in order(round) {
                let results = self.folder.join(format!("{side}-timed-{round}"));
                let tool = self.plan.harness.as_ref();
                let adjusted = tool.map(|tool| tool.samples(bench_tools::SAMPLES, &results));
                times[side] = self.time(side, &self.command(adjusted))?;
            }
            let [Some(base), Some(head)] = times else {
                return Ok(None);
            };
            differences.push((head / base).ln());
            if let Some(change) = typical(&differences, CONFIDENCE) {
                let is_slower = change.low.is_some_and(|low| low > 0.0);
                let is_faster = change.high.is_some_and(|high| high < 0.0);
                if (is_slower || is_faster) && change.estimate.abs() >= CLEAR_CHANGE {
                    return Ok(Some(change.estimate));
                }
            }
            if Instant::now() >= end {
                break;
            }
        }
        Ok(None)
    }

    /// Reads the profile of one side. Costs are per iteration if the number of iterations is known.
    fn read_runs(
        &self,
        side: usize,
        folders: &[PathBuf],
        iterations: Option<u64>,
    ) -> anyhow::Result<Profile> {
        let profiler = self.profiler;
        if !profiler.needs_same_work() {
            return self.read(side, folders);
        }
        let mut each = Vec::new();
        for folder in folders.chunks(1) {
            each.push(self.read(side, folder)?);
        }
        let profile = Profile::quietest(&each).context("nothing was profiled")?;
        let Some(iterations) = iterations else {
            return Ok(profile);
        };
        if !profiler.is_exact() {
            return Ok(profile.each(iterations));
        }
        let short = self.folder.join(format!("{side}-short"));
        self.profile(side, &short, Some(SHORT))?;
        let short = self.read(side, &[short])?;
        Ok(profile.without(&short).each(iterations - SHORT))
    }

    fn read(&self, side: usize, folders: &[PathBuf]) -> anyhow::Result<Profile> {
        self.profiler.read(folders, &|file, line| {
            self.source.enclosing(side, file, line)
        })
    }

    /// Chooses a number of iterations with which a process run reaches enough cost. Returns `None` if the tool does not
    /// accept a number or the profiler does not need one.
    fn iterations(&self) -> anyhow::Result<Option<u64>> {
        let adjusted = self.plan.adjusted(self.profiler, Some(SHORT), self.folder);
        let Some(enough) = self.profiler.enough().filter(|_| adjusted.is_some()) else {
            return Ok(None);
        };
        let cost = |iterations| {
            let folder = self.folder.join(format!("trial-{iterations}"));
            self.profile(1, &folder, Some(iterations))?;
            anyhow::Ok(self.read(1, &[folder])?.total())
        };
        let (short, long) = (cost(SHORT)?, cost(LONG)?);
        let each = (long - short).max(1.0) / 100.0;
        let mut iterations = LONG;
        while iterations < MOST && each * float(iterations) < enough {
            iterations *= 2;
        }
        Ok(Some(iterations))
    }

    /// Runs a side under the profiler. Returns the time per operation if the profiler hardly changes that time.
    fn profile(
        &self,
        side: usize,
        folder: &Path,
        iterations: Option<u64>,
    ) -> anyhow::Result<Option<f64>> {
        std::fs::create_dir_all(folder)?;
        let (plan, profiler) = (self.plan, self.profiler);
        let adjusted = plan.adjusted(profiler, iterations, &folder.join("results"));
        let mut command = self.command(adjusted);
        profiler.wrap(&mut command, plan.language, folder)?;
        let time = self.time(side, &command)?;
        // A profile of all benchmarks has no time per operation.
        let is_alone = command.is_selected || plan.harness.is_none();
        Ok(time.filter(|_| is_alone && !profiler.needs_same_work()))
    }

    /// The command, restricted to this benchmark if the tool supports that.
    fn command(&self, adjusted: Option<Adjusted>) -> Profiled {
        let all = adjusted.as_ref();
        let selected = all.and_then(|all| all.only(&[self.benchmark]));
        let is_selected = selected.is_some();
        Profiled::new(
            &self.plan.benchmark.words,
            selected.or(adjusted),
            is_selected,
        )
    }

    /// Runs a command, and returns the time per operation that it reports. If the tool is unknown, falls back to the
    /// command's wall time, if that is long enough.
    fn time(&self, side: usize, command: &Profiled) -> anyhow::Result<Option<f64>> {
        let start = Instant::now();
        let output = self
            .sides
            .launch(side, &command.words, &command.variables)?;
        let whole = start.elapsed().as_secs_f64() * NANOSECONDS;
        let results = command.adjusted.iter().flat_map(|all| &all.results).next();
        let read = match results.filter(|results| results.exists()) {
            Some(results) => perf_cli::load::read(&[results], None, self.config),
            None => formats::read("output", &output, self.config),
        };
        let rows = read.map(|read| read.rows).unwrap_or_default();
        // Some tools print names without results while they are profiled.
        let is_named = String::from_utf8_lossy(&output).contains(self.benchmark);
        if rows.is_empty() && command.is_selected && !is_named {
            return Err(anyhow!("the command ran no benchmark `{}`", self.benchmark))
                .hint("use the full name from the report; names are case-sensitive");
        }
        let is_command = self.plan.harness.is_none() && whole >= MIN_COMMAND_TIME;
        Ok(self.time_of(&rows).or(is_command.then_some(whole)))
    }

    /// The time of the rows whose names contain the benchmark's name, or of all rows if there are no such rows.
    fn time_of(&self, rows: &[Row]) -> Option<f64> {
        let is_it = |row: &Row| row.scenario.contains(self.benchmark);
        let is_named = rows.iter().any(is_it);
        let mut found = Vec::new();
        for row in rows.iter().filter(|row| !is_named || is_it(row)) {
            found.extend(seconds(row, self.config).map(|seconds| seconds * NANOSECONDS));
        }
        found.sort_by(f64::total_cmp);
        // Take the p10, because the minimum of many samples would be an outlier.
        found.get(found.len() / TENTH).copied()
    }
}

/// The order of base (0) and head (1) in a round.
fn order(round: u32) -> [usize; 2] {
    if round.is_multiple_of(2) {
        [0, 1]
    } else {
        [1, 0]
    }
}

/// Returns the minimum time per operation over several process runs, and its relative error. The error is estimated
/// from the distance between the median and the minimum, assuming exponentially distributed delays. For these, the
/// minimum's expected delay is the mean delay divided by the number of runs.
fn min_time(mut times: Vec<f64>) -> Option<[f64; 2]> {
    times.sort_by(f64::total_cmp);
    let least = *times.first().filter(|least| **least > 0.0)?;
    let (runs, middle) = (times.len(), times.len() / 2);
    let mut steps = 0.0;
    for left in runs - middle..runs {
        steps += 1.0 / float(left as u64);
    }
    let noise = (times[middle] / least - 1.0) / (steps * float(runs as u64)).max(1.0);
    Some([least, noise])
}
