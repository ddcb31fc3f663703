//! Profiles base and head.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::why::profile::{Comparison, Function, Profile, Role, Unit, compare};
use measure::bench_tools::{Adjusted, NODE_OPTIONS};
use measure::pairs::ProfiledSides;
use perf_cli::load::InputArgs;
use perf_cli::{Failure, term};
use perf_config::Config;
use perf_model::row::Row;
use perf_model::suite::Definitions;

use super::plan::Plan;
use super::profiler::Profiler;
use super::source::Source;

/// Numbers of iterations, if base and head must run the same number: a short trial, a longer one, and the maximum.
const SHORT: u64 = 10;
const LONG: u64 = 110;
const MOST: u64 = 20_000;
/// The time of a process run is the p10 of its samples.
const TENTH: usize = 10;
const NANOSECONDS: f64 = 1e9;

/// The profiles of base and head, and their comparison.
pub(super) struct Recorded {
    pub(super) base: Option<Profile>,
    pub(super) current: Profile,
    /// The comparison, if there is a base.
    pub(super) comparison: Option<Comparison>,
    /// True if costs are per iteration.
    pub(super) is_each: bool,
    pub(super) profiler: Profiler,
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
    pub(super) has_base: bool,
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
        if !self.can_select() && self.profiler == self.plan.profiler {
            term::note("the command cannot select one benchmark, so the profile covers all");
        }
        let profiler = self.profiler;
        if let Some(harness) = self
            .plan
            .harness
            .as_ref()
            .filter(|_| self.plan.repeats(profiler))
        {
            term::note(&format!(
                "{} chooses the number of iterations, so shares of the total cost are compared, not amounts",
                harness.tool().name()
            ));
        }
        let counter = self
            .plan
            .counter()
            .filter(|counter| self.has_base && *counter != profiler);
        if let Some(counted) = counter.and_then(|counter| self.counted(counter)) {
            return Ok(counted);
        }
        let iterations = self.iterations()?;
        let mut launches = [Vec::new(), Vec::new()];
        let start = Instant::now();
        for round in 0_u32.. {
            let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
            for side in order.into_iter().filter(|side| self.has_base || *side == 1) {
                let name = ["the base", "the head"][side];
                term::note(&format!("profiling {name} with {}", profiler.name()));
                launches[side].push(self.launch(side, &format!("{side}-{round}"), iterations)?);
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

    /// Profiles by counting instructions. Returns the result if a cause stands out, or the time is up.
    fn counted(&self, profiler: Profiler) -> Option<Recorded> {
        let folder = self.folder.join(profiler.name());
        let launches: &Launches<'_> = self;
        // If this fails, sampling follows, which also finds waiting.
        let counted = Launches {
            profiler,
            folder: &folder,
            ..*launches
        }
        .record()
        .ok()?;
        (self.is_settled(&counted) || Instant::now() >= self.end).then_some(counted)
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
        comparison
            .causes
            .first()
            .is_some_and(|first| first.role >= least && !first.is_likely)
    }

    fn compare(
        &self,
        launches: &[Vec<Launch>; 2],
        iterations: Option<u64>,
    ) -> anyhow::Result<Recorded> {
        let times = launches.each_ref().map(|launches| min_time(launches));
        let is_timed = times[1].is_some() && (times[0].is_some() || !self.has_base);
        let mut profiles = [None, None];
        for (side, launches) in launches
            .iter()
            .enumerate()
            .filter(|(_, launches)| !launches.is_empty())
        {
            let mut profile = self.profile(side, launches, iterations)?;
            if iterations.is_none() && self.plan.repeats(self.profiler) {
                profile = profile.of_unknown_work();
            }
            profiles[side] = match times[side].filter(|_| is_timed && profile.unit == Unit::Samples)
            {
                Some([time, noise]) => Some(profile.per_operation(time, noise)),
                None => Some(profile),
            };
        }
        let [base, current] = profiles;
        let mut current = current.ok_or_else(|| Failure::new("nothing was profiled"))?;
        let base = base.map(|base| {
            if !base.unit.is_memory() {
                return base;
            }
            let base = base.with_functions_of(&current);
            current = std::mem::take(&mut current).with_functions_of(&base);
            base
        });
        let comparison = base
            .as_ref()
            .map(|base| compare(base, &current, &|function| self.source.role(function)));
        Ok(Recorded {
            base,
            current,
            comparison,
            is_each: iterations.is_some(),
            profiler: self.profiler,
        })
    }

    /// The profile of one side, per iteration if their number is known.
    fn profile(
        &self,
        side: usize,
        launches: &[Launch],
        iterations: Option<u64>,
    ) -> anyhow::Result<Profile> {
        let profiler = self.profiler;
        if !profiler.needs_same_work() {
            return self.read(side, launches);
        }
        let all = launches
            .iter()
            .map(|launch| self.read(side, std::slice::from_ref(launch)));
        let quietest = Profile::quietest(&all.collect::<anyhow::Result<Vec<_>>>()?);
        let profile = quietest.ok_or_else(|| Failure::new("nothing was profiled"))?;
        Ok(match iterations {
            None => profile,
            Some(iterations) if !profiler.is_exact() => profile.each(iterations),
            Some(iterations) => {
                let known = self.folder.join(trial_name(SHORT));
                let short = if side == 1 && known.is_dir() {
                    Launch {
                        folder: known,
                        nanoseconds: None,
                    }
                } else {
                    self.launch(side, &format!("{side}-short"), Some(SHORT))?
                };
                profile
                    .without(&self.read(side, &[short])?)
                    .each(iterations - SHORT)
            }
        })
    }

    fn read(&self, side: usize, launches: &[Launch]) -> anyhow::Result<Profile> {
        let folders: Vec<PathBuf> = launches
            .iter()
            .map(|launch| launch.folder.clone())
            .collect();
        self.profiler.read(&folders, &|file, line| {
            self.source.enclosing(side, file, line)
        })
    }

    /// Chooses the number of iterations, such that a process run reaches enough cost. `None` if the tool does not accept a
    /// number.
    fn iterations(&self) -> anyhow::Result<Option<u64>> {
        let is_countable = self
            .plan
            .adjusted(self.profiler, Some(SHORT), self.folder)
            .is_some();
        let Some(enough) = self.profiler.enough().filter(|_| is_countable) else {
            return Ok(None);
        };
        if enough == 0.0 {
            return Ok(Some(LONG));
        }
        let mut costs = [0.0; 2];
        for (cost, iterations) in costs.iter_mut().zip([SHORT, LONG]) {
            let launch = self.launch(1, &trial_name(iterations), Some(iterations))?;
            *cost = self.read(1, &[launch])?.total();
        }
        let each = (costs[1] - costs[0]).max(1.0) / 100.0;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most some thousands"
        )]
        let iterations = (enough / each).min(1e9) as u64;
        Ok(Some(iterations.clamp(LONG, MOST)))
    }

    /// The command for only this benchmark, if its tool can select it. A pytest name may be without its file.
    fn select_benchmark(&self, adjusted: &Adjusted) -> Option<Adjusted> {
        adjusted
            .only(&[self.benchmark])
            .or_else(|| adjusted.only(&[format!("::{}", self.benchmark)]))
    }

    /// True if the tool can select the benchmark.
    fn can_select(&self) -> bool {
        let adjusted = self.plan.adjusted(self.profiler, None, self.folder);
        adjusted.is_some_and(|adjusted| self.select_benchmark(&adjusted).is_some())
    }

    fn launch(&self, side: usize, name: &str, iterations: Option<u64>) -> anyhow::Result<Launch> {
        let folder = self.folder.join(name);
        std::fs::create_dir_all(&folder)?;
        let adjusted = self
            .plan
            .adjusted(self.profiler, iterations, &folder.join("results"));
        let adjusted =
            adjusted.map(|adjusted| self.select_benchmark(&adjusted).unwrap_or(adjusted));
        let command = adjusted
            .as_ref()
            .map_or(&self.plan.words, |adjusted| &adjusted.command);
        let profiled = self.profiler.wrap(
            command.clone(),
            adjusted.as_ref(),
            self.plan.language,
            &folder,
        )?;
        let mut variables = profiled.variables;
        for (name, value) in adjusted.iter().flat_map(|adjusted| &adjusted.environment) {
            if *name == NODE_OPTIONS {
                if let Some((_, own)) = variables
                    .iter_mut()
                    .find(|(known, _)| known == NODE_OPTIONS)
                {
                    own.push(" ");
                    own.push(value);
                }
            } else if std::env::var_os(name).is_none() {
                variables.push((name.into(), value.clone()));
            }
        }
        let output = self.sides.launch(side, &profiled.words, &variables)?;
        let nanoseconds = self.nanoseconds(
            &folder,
            &output,
            adjusted.and_then(|adjusted| adjusted.results),
        )?;
        Ok(Launch {
            folder,
            nanoseconds,
        })
    }

    /// The benchmark's time per operation, if it is selected and its output contains the time.
    fn nanoseconds(
        &self,
        folder: &Path,
        output: &[u8],
        results: Option<PathBuf>,
    ) -> anyhow::Result<Option<f64>> {
        let profiler = self.profiler;
        let prints_rows = matches!(profiler, Profiler::Go | Profiler::GoMemory | Profiler::Node);
        if !self.can_select() || (profiler.needs_same_work() && !prints_rows) {
            return Ok(None);
        }
        let results = results.filter(|results| results.exists());
        let log = results.map_or_else(
            || {
                let log = folder.join("output.log");
                std::fs::write(&log, output).map(|()| log)
            },
            Ok,
        )?;
        let source = InputArgs {
            input: vec![log],
            ..InputArgs::default()
        };
        let Ok(read) = term::quietly(|| source.rows(self.config)) else {
            if prints_rows {
                return Err(Failure::new(format!(
                    "the command ran no benchmark `{}`",
                    self.benchmark
                ))
                .hint("use the name from the report")
                .into());
            }
            return Ok(None);
        };
        if profiler.needs_same_work() {
            return Ok(None);
        }
        let is_it = |row: &&Row| row.scenario.contains(self.benchmark);
        let named: Vec<&Row> = read.rows.iter().filter(is_it).collect();
        let rows = if named.is_empty() {
            read.rows.iter().collect()
        } else {
            named
        };
        let found = rows.into_iter().filter_map(|row| {
            row.metrics.iter().find_map(|(name, value)| {
                let metric = self.config.metric(name);
                let seconds = metric
                    .meaning
                    .unit
                    .seconds()
                    .filter(|_| metric.spread_of.is_none())?;
                Some(value.as_f64() * seconds * NANOSECONDS)
            })
        });
        let mut found: Vec<f64> = found.collect();
        found.sort_by(f64::total_cmp);
        // The minimum of many samples would be an outlier.
        Ok(found.get(found.len() / TENTH).copied())
    }
}

/// The name of a trial run, which finds out how many iterations are enough.
fn trial_name(iterations: u64) -> String {
    format!("try-{iterations}")
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
