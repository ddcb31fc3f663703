//! Profiles base and head.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::why::profile::{Comparison, Function, Profile, Role, Unit, compare};
use measure::bench_tools;
use measure::pairs::ProfiledSides;
use perf_cli::{Failure, term};
use perf_config::Config;
use perf_model::row::Row;
use perf_model::suite::Definitions;
use perf_readers::{Collector, ParseReport};
use perf_verdict::statistics::signed_rank::typical;

use super::plan::Plan;
use super::profiler::{Profiled, Profiler};
use super::source::Source;

/// Numbers of iterations, if base and head must run the same number: a short trial, a longer one, and the maximum.
const SHORT: u64 = 10;
const LONG: u64 = 110;
const MOST: u64 = 20_000;
/// The time of a process run is the p10 of its samples.
const TENTH: usize = 10;
const NANOSECONDS: f64 = 1e9;
/// The maximum number of pairs of runs without the profiler, and the confidence of their change, which takes at least 8.
const MOST_PAIRS: usize = 16;
const CONFIDENCE: f64 = 0.995;
/// The minimum change of the time, as the logarithm of a ratio.
const CLEAR_CHANGE: f64 = 0.05;
/// The minimum time of a whole command. Shorter ones mostly start a process.
const MIN_COMMAND_TIME: f64 = 5e7;

/// The profiles of base and head, and their comparison.
pub(super) struct Recorded {
    pub(super) benchmark: String,
    pub(super) base_commit: Option<String>,
    pub(super) base: Option<Profile>,
    pub(super) current: Profile,
    /// The comparison, if there is a base.
    pub(super) comparison: Option<Comparison>,
    /// True if costs are per iteration.
    pub(super) is_each: bool,
    pub(super) profiler: Profiler,
    /// The reason why the comparison does not answer the question.
    pub(super) no_answer: Option<String>,
}

impl Recorded {
    /// True if the counts contain no project file, such as without debug information.
    pub(super) fn lacks_lines(&self, source: &Source) -> bool {
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
pub(super) struct Launches<'a> {
    pub(super) plan: &'a Plan,
    pub(super) profiler: Profiler,
    pub(super) benchmark: &'a str,
    pub(super) sides: &'a ProfiledSides<'a>,
    pub(super) base_commit: Option<&'a str>,
    pub(super) config: &'a Config,
    pub(super) source: &'a Source,
    pub(super) folder: &'a Path,
    pub(super) end: Instant,
}

/// A process run: its profile folder, and the time per operation in its output.
struct Launch {
    folder: PathBuf,
    nanoseconds: Option<f64>,
}

impl Launches<'_> {
    /// Profiles base and head in the order base, head, head, base, until a cause stands out or the time is up.
    ///
    /// # Errors
    /// If a process run fails or writes no profile.
    pub(super) fn record(&self) -> anyhow::Result<Recorded> {
        let profiler = self.profiler;
        let adjusted = self.plan.adjusted(profiler, None, self.folder);
        let selected = adjusted.and_then(|all| all.only(&[self.benchmark]));
        if selected.is_none() && profiler == self.plan.profiler {
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
        if self.base_commit.is_some() && profiler == Profiler::Go && self.plan.can_count() {
            let counting = Launches {
                profiler: Profiler::Callgrind,
                folder: &self.folder.join("counted"),
                ..*self
            };
            // If this fails or no function stands out, sampling follows.
            if let Ok(counted) = counting.record()
                && (self.is_settled(&counted) || Instant::now() >= self.end)
            {
                return Ok(counted);
            }
        }
        let iterations = self.iterations()?;
        let mut launches = [Vec::new(), Vec::new()];
        let start = Instant::now();
        for round in 0_u32.. {
            let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
            for side in order
                .into_iter()
                .filter(|side| self.base_commit.is_some() || *side == 1)
            {
                let name = ["the base", "the head"][side];
                if round == 0 {
                    term::note(&format!("profiling {name} with {}", profiler.name()));
                }
                launches[side].push(self.launch(
                    side,
                    &format!("{side}-{round}"),
                    iterations,
                    true,
                )?);
            }
            let took = start.elapsed() / (round + 1);
            let is_last = Instant::now() + took > self.end;
            if round + 1 < profiler.fewest_launches() && !is_last {
                continue;
            }
            let recorded = self.compare(&launches, iterations)?;
            if is_last || profiler.is_exact() || self.is_settled(&recorded) {
                return Ok(recorded);
            }
        }
        Err(Failure::new("nothing was profiled").into())
    }

    fn is_settled(&self, recorded: &Recorded) -> bool {
        let Some(comparison) = &recorded.comparison else {
            return true;
        };
        let least = if self.source.has_changes() {
            Role::Changed
        } else {
            Role::Own
        };
        match comparison.causes.first() {
            Some(first) => first.role >= least,
            None => false,
        }
    }

    fn compare(
        &self,
        launches: &[Vec<Launch>; 2],
        iterations: Option<u64>,
    ) -> anyhow::Result<Recorded> {
        let times = launches.each_ref().map(|launches| min_time(launches));
        let is_timed = times[1].is_some() && times[0].is_some() == self.base_commit.is_some();
        let mut profiles = [None, None];
        for (side, launches) in launches.iter().enumerate() {
            if launches.is_empty() {
                continue;
            }
            let mut profile = self.profile(side, launches, iterations)?;
            if iterations.is_none() && self.plan.repeats(self.profiler) {
                profile = profile.of_unknown_work();
            }
            if let Some([mut time, noise]) = times[side]
                && is_timed
                && profile.unit == Unit::Samples
            {
                if self.plan.harness.is_none() {
                    // Waiting is not sampled.
                    #[expect(clippy::cast_precision_loss, reason = "a few launches")]
                    let launches = launches.len() as f64;
                    time = profile.total() * Profiler::NODE_INTERVAL / launches;
                }
                profile = profile.per_operation(time, noise);
            }
            profiles[side] = Some(profile);
        }
        let [base, Some(current)] = profiles else {
            return Err(Failure::new("nothing was profiled").into());
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

    /// Times both sides without the profiler until their change is clear or the time is up. Returns a clear change as the
    /// logarithm of a ratio.
    ///
    /// # Errors
    /// If a process run fails.
    pub(super) fn measured_change(&self, limit: Duration) -> anyhow::Result<Option<f64>> {
        let end = Instant::now() + limit;
        term::note("timing both without the profiler");
        let mut differences = Vec::new();
        for round in 0..MOST_PAIRS {
            let mut times = [None; 2];
            for side in [round % 2, 1 - round % 2] {
                let name = format!("{side}-timed-{round}");
                times[side] = self.launch(side, &name, None, false)?.nanoseconds;
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

    /// The profile of one side, per iteration if their number is known.
    fn profile(
        &self,
        side: usize,
        launches: &[Launch],
        iterations: Option<u64>,
    ) -> anyhow::Result<Profile> {
        let profiler = self.profiler;
        let folders: Vec<PathBuf> = launches
            .iter()
            .map(|launch| launch.folder.clone())
            .collect();
        if !profiler.needs_same_work() {
            return self.read(side, &folders);
        }
        let mut each = Vec::new();
        for folder in folders {
            each.push(self.read(side, &[folder])?);
        }
        let quietest = Profile::quietest(&each);
        let profile = quietest.ok_or_else(|| Failure::new("nothing was profiled"))?;
        let Some(iterations) = iterations else {
            return Ok(profile);
        };
        if !profiler.is_exact() {
            return Ok(profile.each(iterations));
        }
        let short = self.launch(side, &format!("{side}-short"), Some(SHORT), true)?;
        let short = self.read(side, &[short.folder])?;
        Ok(profile.without(&short).each(iterations - SHORT))
    }

    fn read(&self, side: usize, folders: &[PathBuf]) -> anyhow::Result<Profile> {
        self.profiler.read(folders, &|file, line| {
            self.source.enclosing(side, file, line)
        })
    }

    /// Chooses the number of iterations, such that a process run reaches enough cost. `None` if the tool does not accept a
    /// number.
    fn iterations(&self) -> anyhow::Result<Option<u64>> {
        let adjusted = self.plan.adjusted(self.profiler, Some(SHORT), self.folder);
        let Some(enough) = self.profiler.enough().filter(|_| adjusted.is_some()) else {
            return Ok(None);
        };
        let cost = |iterations| {
            let launch = self.launch(1, &format!("trial-{iterations}"), Some(iterations), true)?;
            anyhow::Ok(self.read(1, &[launch.folder])?.total())
        };
        let (short, long) = (cost(SHORT)?, cost(LONG)?);
        let each = (long - short).max(1.0) / 100.0;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most some thousands"
        )]
        let iterations = (enough / each).min(1e9) as u64;
        Ok(Some(iterations.clamp(LONG, MOST)))
    }

    fn launch(
        &self,
        side: usize,
        name: &str,
        iterations: Option<u64>,
        is_profiled: bool,
    ) -> anyhow::Result<Launch> {
        let folder = self.folder.join(name);
        std::fs::create_dir_all(&folder)?;
        let results = folder.join("results");
        let tool = self.plan.harness.as_ref();
        let mut adjusted = if is_profiled {
            self.plan.adjusted(self.profiler, iterations, &results)
        } else {
            tool.map(|tool| tool.samples(bench_tools::SAMPLES, &results))
        };
        let selected = adjusted
            .as_ref()
            .and_then(|all| all.only(&[self.benchmark]));
        let is_selected = selected.is_some();
        adjusted = selected.or(adjusted);
        let mut command = Profiled::new(&self.plan.words, adjusted.as_ref());
        if is_profiled {
            let language = self.plan.language;
            self.profiler
                .wrap(&mut command, adjusted.as_ref(), language, &folder)?;
        }
        let start = Instant::now();
        let output = self
            .sides
            .launch(side, &command.words, &command.variables)?;
        let whole = start.elapsed().as_secs_f64() * NANOSECONDS;
        // A profile of all benchmarks has no time per operation.
        let is_timed = is_selected && self.profiler.keeps_results();
        let mut nanoseconds = None;
        if !is_profiled || is_timed {
            let rows = self.rows(&output, adjusted.and_then(|adjusted| adjusted.results));
            if rows.is_empty() && is_selected {
                let message = format!("the command ran no benchmark `{}`", self.benchmark);
                return Err(Failure::new(message)
                    .hint("use the name from the report")
                    .into());
            }
            nanoseconds = self.time_of(&rows);
        }
        if tool.is_none() && whole >= MIN_COMMAND_TIME {
            nanoseconds = nanoseconds.or(Some(whole));
        }
        Ok(Launch {
            folder,
            nanoseconds,
        })
    }

    /// The results that a process run printed or wrote.
    fn rows(&self, output: &[u8], results: Option<PathBuf>) -> Vec<Row> {
        let read = match results.filter(|results| results.exists()) {
            Some(results) => perf_cli::load::read(&[results], None, self.config),
            None => read_output(output, self.config),
        };
        read.map(|read| read.rows).unwrap_or_default()
    }

    /// The time of the benchmark's rows, or of all rows if none has its name.
    fn time_of(&self, rows: &[Row]) -> Option<f64> {
        let is_it = |row: &Row| row.scenario.contains(self.benchmark);
        let is_named = rows.iter().any(is_it);
        let mut found = Vec::new();
        for row in rows.iter().filter(|row| !is_named || is_it(row)) {
            found.extend(self.time_in_nanoseconds(row));
        }
        found.sort_by(f64::total_cmp);
        // The minimum of many samples would be an outlier.
        found.get(found.len() / TENTH).copied()
    }

    /// A row's first time.
    fn time_in_nanoseconds(&self, row: &Row) -> Option<f64> {
        for (name, value) in row.metrics.iter() {
            let metric = self.config.metric(name);
            if metric.spread_of.is_none()
                && let Some(seconds) = metric.meaning.unit.seconds()
            {
                return Some(value.as_f64() * seconds * NANOSECONDS);
            }
        }
        None
    }
}

fn read_output(output: &[u8], config: &Config) -> anyhow::Result<ParseReport> {
    let mut collector = Collector::new(config);
    collector.read("output", &mut &*output)?;
    Ok(collector.finish())
}

/// The minimum time per operation over several process runs, and its relative error. The error is estimated from the distance
/// between the median and the minimum, assuming exponentially distributed delays: then the minimum's expected delay is the
/// mean delay divided by the number of runs.
fn min_time(launches: &[Launch]) -> Option<[f64; 2]> {
    let mut times: Vec<f64> = launches
        .iter()
        .filter_map(|launch| launch.nanoseconds)
        .collect();
    times.sort_by(f64::total_cmp);
    let least = *times.first().filter(|least| **least > 0.0)?;
    let middle = times.len() / 2;
    #[expect(clippy::cast_precision_loss, reason = "a few launches")]
    let steps: f64 = (times.len() - middle..times.len())
        .map(|left| 1.0 / left as f64)
        .sum();
    #[expect(clippy::cast_precision_loss, reason = "a few launches")]
    let noise = (times[middle] / least - 1.0) / (steps * times.len() as f64).max(1.0);
    Some([least, noise])
}
