//! The noise of each benchmark over several runs of it, and what a gate can detect beyond it.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use perf_cli::term;
use perf_config::{Config, Measured};
use perf_model::aggregate::aggregate_launch;
use perf_model::diagnostic::counted;
use perf_model::metric::{GateRule, Metric};
use perf_model::row::{Name, Row, Value};
use perf_model::suite::Definitions;
use perf_readers::ParseReport;
use perf_verdict::cost_scale::cost;
use perf_verdict::rules::history::Band;
use perf_verdict::statistics::order::{median, sorted};

/// The runs that show the noise of a benchmark, and the most that are kept.
const FEWEST: usize = 5;
const MOST: usize = 10;
/// The most runs that are taken: while the noise is too large, the oldest makes room for a new one.
const ATTEMPTS: usize = 30;
/// The time after which no further run begins, without the first one.
pub(super) const LONGEST: Duration = Duration::from_mins(2);
/// The time beyond it for the fewest runs.
const EXTRA: Duration = Duration::from_mins(1);
/// The smallest detectable change with which stored values are good enough: 10%.
pub(super) const FINE: f64 = 0.1;
/// The change beyond which a benchmark is too noisy to gate by stored values: 50%.
const TOO_NOISY: f64 = 0.5;
/// The share by which the noise of another metric has to be smaller for it to be gated instead.
const QUIETER: f64 = 0.7;

/// The share of the wall time below which a benchmark waits, so that its processor time says little: 20%, as wall time on a
/// busy machine is several times the processor time of the same work.
const WORKING: f64 = 0.2;

/// The time after which the first run is said to take long.
const PATIENCE: Duration = Duration::from_mins(1);

/// The most names in a list.
const NAMED: usize = 5;

/// A run, with advice where it takes long.
pub(super) fn with_slow_run_hint<T>(run: impl FnOnce() -> T) -> T {
    static SAID: Once = Once::new();
    let (running, end) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if end.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let advice = "building and running it takes longer than a minute: the options of the tool can choose benchmarks, or shorten them";
                SAID.call_once(|| term::hint(advice));
            }
        });
        let result = run();
        drop(running);
        result
    })
}

/// Runs of a benchmark, and how its times vary over them.
#[derive(Default)]
pub(super) struct Runs {
    /// One for each run that is kept.
    pub(super) runs: Vec<ParseReport>,
    /// The runs that made room for these.
    pub(super) dropped: usize,
}

impl Runs {
    /// Runs the benchmark until its noise is known, or the time is over.
    ///
    /// # Errors
    /// A run of the benchmark that fails.
    pub(super) fn take(
        config: &Config,
        longest: Duration,
        mut run: impl FnMut(usize) -> anyhow::Result<ParseReport>,
    ) -> anyhow::Result<Self> {
        let mut start = Instant::now();
        let mut taken = Self::default();
        for number in 0..ATTEMPTS {
            let begin = Instant::now();
            let mut one = if number == 0 {
                run(number)?
            } else {
                term::silently(|| run(number))?
            };
            one.rows = aggregate_launch(one.rows);
            taken.runs.push(one);
            if taken.runs.len() > MOST {
                taken.runs.remove(0);
                taken.dropped += 1;
            }
            // The first run may have built the benchmark for minutes.
            if number == 0 {
                start = Instant::now();
            }
            let left = longest.saturating_sub(start.elapsed());
            let noisiest = taken.widest(config);
            let noise = noisiest.as_ref().map_or(String::new(), |(name, width)| {
                format!(
                    "; noisiest: {}, where a slowdown of {} is detected",
                    term::printable(name),
                    slowdown(*width)
                )
            });
            term::note(&format!(
                "run {}: no further run begins after {} s{noise}",
                number + 1,
                left.as_secs()
            ));
            let widest = noisiest.map(|(_, width)| width);
            let enough = if number + 1 < MOST { FINE } else { TOO_NOISY };
            let is_known = number + 1 >= FEWEST && widest.is_none_or(|width| width < enough);
            let more = if number + 1 < FEWEST {
                EXTRA
            } else {
                Duration::ZERO
            };
            if is_known || (number > 0 && begin.elapsed() > left + more) {
                break;
            }
        }
        Ok(taken)
    }

    /// The rows of all runs, each with the number of its run, and what the first one declares.
    pub(super) fn rows(self) -> ParseReport {
        let mut runs = self.runs.into_iter();
        let mut all = runs.next().unwrap_or_default();
        if runs.len() > 0 {
            for row in &mut all.rows {
                (row.run_index, row.launch) = (0, None);
            }
        }
        for (number, run) in (1..).zip(runs) {
            all.rows.extend(run.rows.into_iter().map(|row| Row {
                run_index: number,
                launch: None,
                ..row
            }));
        }
        all
    }

    /// The costs of each benchmark, by one metric.
    fn costs(&self, metric: &Metric) -> BTreeMap<&Name, Vec<f64>> {
        let mut costs: BTreeMap<&Name, Vec<f64>> = BTreeMap::new();
        for row in self.runs.iter().flat_map(|run| &run.rows) {
            let number = row.metrics.get(&metric.name);
            let own = number.and_then(|number| cost(metric.meaning.direction, number.as_f64()));
            costs.entry(&row.scenario).or_default().extend(own);
        }
        costs
    }

    /// The least number of a metric over all runs and benchmarks.
    fn least(&self, metric: &Metric) -> Option<f64> {
        let rows = self.runs.iter().flat_map(|run| &run.rows);
        rows.filter_map(|row| row.metrics.get(&metric.name))
            .map(Value::as_f64)
            .min_by(f64::total_cmp)
    }

    /// The times and rates that are gated.
    fn gated(&self, config: &Config) -> Vec<Arc<Metric>> {
        let Some(first) = self.runs.iter().flat_map(|run| &run.rows).next() else {
            return Vec::new();
        };
        let metrics = first.metrics.iter().map(|(name, _)| config.metric(name));
        // A rate beside its time is another form of that; alone, it is what the tool measured.
        let is_derived = |metric: &Metric| {
            metric
                .derived_from
                .iter()
                .any(|source| first.metrics.get(source).is_some())
        };
        // Of a command that is timed itself, one of both times is gated.
        let is_second = |metric: &Metric| {
            config.run().measure == Measured::Process && &*metric.name == measure::CPU
        };
        let is_timed = |metric: &Arc<Metric>| {
            metric.default_gate == Some(GateRule::Limit)
                && !is_derived(metric)
                && !is_second(metric)
        };
        metrics.filter(is_timed).collect()
    }

    /// The processor time to gate instead of the wall time beside it, where it varies less: both names.
    pub(super) fn quieter(&self, config: &Config) -> Option<[Name; 2]> {
        let typical = |metric: &Metric| {
            let bands = self
                .costs(metric)
                .into_values()
                .filter_map(|costs| band(&costs));
            let scales: Vec<f64> = bands.map(|band| band.scale).collect();
            median(&sorted(&scales))
        };
        self.gated(config).into_iter().find_map(|wall| {
            let mut letters = wall.name.chars();
            let capital = letters.next()?.to_ascii_uppercase();
            let cpu = config.metric(&format!("cpu{capital}{}", letters.as_str()));
            let is_quieter = typical(&cpu)? < QUIETER * typical(&wall)?;
            let works = self.least(&cpu)? >= WORKING * self.least(&wall)?;
            (is_quieter && works).then(|| [Name::clone(&cpu.name), Name::clone(&wall.name)])
        })
    }

    /// The benchmarks from the noisiest, each with the smallest detectable change as a share.
    fn detectable(&self, config: &Config) -> Vec<(Name, f64)> {
        let bands = self.noisiest(config).into_iter();
        bands
            .map(|([name, _], band)| (name, band.detectable().exp_m1()))
            .collect()
    }

    /// The benchmarks and their metrics with the normal ranges, from the noisiest.
    pub(super) fn noisiest(&self, config: &Config) -> Vec<([Name; 2], Band)> {
        let mut found = self.of_each(config, band);
        found.sort_by(|a, b| b.1.detectable().total_cmp(&a.1.detectable()));
        found
    }

    /// The benchmarks and their metrics with the difference of the slowest run from the quickest as a share, from the largest. It
    /// needs two runs, which show no normal range.
    pub(super) fn differing(&self, config: &Config) -> Vec<([Name; 2], f64)> {
        let mut found = self.of_each(config, |costs| {
            let costs = sorted(costs);
            Some((costs.last()? - costs.first()?).exp_m1())
        });
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        found
    }

    /// Each benchmark and its metric with what its costs say.
    fn of_each<T>(&self, config: &Config, of: impl Fn(&[f64]) -> Option<T>) -> Vec<([Name; 2], T)> {
        let mut metrics = self.gated(config);
        if let Some([cpu, wall]) = self.quieter(config) {
            metrics.retain(|metric| metric.name != wall && metric.name != cpu);
            metrics.push(config.metric(&cpu));
        }
        let found = metrics.iter().flat_map(|metric| {
            let own = self.costs(metric).into_iter();
            own.filter_map(|(name, costs)| {
                Some(([name, &metric.name].map(Name::clone), of(&costs)?))
            })
        });
        found.collect()
    }

    fn widest(&self, config: &Config) -> Option<(Name, f64)> {
        self.detectable(config).into_iter().next()
    }

    /// Lines on what stored values can detect, and what is too noisy for them.
    pub(super) fn lines(&self, config: &Config) -> Vec<String> {
        let runs = self.runs.len();
        if runs < FEWEST {
            return vec![format!(
                "{} cannot show the noise, so the limit is wide (+33%): `perf-gate run --save` after more runs, or \
                 `perf-gate run --base-ref HEAD`, which detects 5%",
                counted(runs as u64, "run")
            )];
        }
        let found = self.detectable(config);
        let mut noisy: Vec<_> = found
            .iter()
            .filter(|(_, width)| *width > TOO_NOISY)
            .collect();
        // Metrics of a benchmark that vary alike follow one another.
        noisy.dedup_by(|one, other| one.0 == other.0);
        let typical = found.get(found.len() / 2);
        let kept = match self.dropped {
            0 => format!("{runs} runs"),
            dropped => format!("the last {runs} of {} runs", runs + dropped),
        };
        let half = |width| {
            format!(
                "{kept}: a slowdown of {} is detected in half of the benchmarks",
                slowdown(width)
            )
        };
        let mut lines: Vec<String> = typical.map(|(_, width)| half(*width)).into_iter().collect();
        lines.extend(noisy.iter().take(NAMED).map(|(name, width)| {
            let name = term::printable(name);
            format!(
                "too noisy to gate by stored values: {name} (detects {})",
                slowdown(*width)
            )
        }));
        if noisy.len() > NAMED {
            lines.push(format!(
                "and {} more that are too noisy",
                noisy.len() - NAMED
            ));
        }
        if !noisy.is_empty() {
            lines.push(
                "with the baseline committed, `perf-gate run` measures these and its commit in turn"
                    .to_owned(),
            );
        }
        lines
    }
}

/// The normal range of a benchmark with these costs.
fn band(costs: &[f64]) -> Option<Band> {
    Band::of(costs, MOST, FEWEST)
}

/// `21%`, or `4.8×` from a doubling on; a factor beyond 100 has no precision.
fn slowdown(share: f64) -> String {
    match share {
        ..1.0 => format!("{:.0}%", 100.0 * share),
        ..99.0 => format!("{:.1}×", 1.0 + share),
        _ => "over 100×".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use perf_model::row::{Key, Metrics, Outcome};

    use super::*;

    /// A run of one benchmark with these times.
    fn run(times: &[(&str, i64)]) -> ParseReport {
        let mut metrics = Metrics::default();
        for (name, time) in times {
            metrics.insert((*name).into(), Value::Int(*time));
        }
        let key = Key {
            scenario: "Decode".into(),
            ..Key::default()
        };
        let (outcome, launch, measured_at) = (Outcome::Measured, None, None);
        let row = Row {
            key: key.into(),
            run_index: 0,
            outcome,
            launch,
            measured_at,
            metrics,
        };
        ParseReport {
            rows: vec![row],
            ..ParseReport::default()
        }
    }

    fn of(runs: impl IntoIterator<Item = ParseReport>) -> Runs {
        Runs {
            runs: runs.into_iter().collect(),
            dropped: 0,
        }
    }

    /// Runs with these wall times, and a processor time that hardly varies.
    fn runs(walls: &[i64]) -> Runs {
        let times = (1000..).zip(walls);
        of(times.map(|(cpu, wall)| run(&[("timeNs", *wall), ("cpuTimeNs", cpu)])))
    }

    #[test]
    fn first_run_may_build_for_longer_than_all_others_take() {
        let longest = Duration::from_millis(400);
        let mut wall = 100;
        let taken = Runs::take(&Config::default(), longest, |number| {
            sleep(if number == 0 {
                2 * longest
            } else {
                Duration::ZERO
            });
            // Too noisy for five runs.
            wall = 400 - wall;
            Ok(run(&[("timeNs", wall)]))
        });
        assert_eq!(taken.unwrap().runs.len(), MOST);
    }

    #[test]
    fn rates_have_noise_where_no_time_is_beside_them() {
        let config = Config::default();
        let taken = |names: &[&str]| {
            let rates = [1000, 1001, 1002, 1000, 1001].map(|rate| {
                let rates: Vec<_> = names.iter().map(|name| (*name, rate)).collect();
                run(&rates)
            });
            of(rates).noisiest(&config).len()
        };
        assert_eq!(taken(&["opsPerSecond"]), 1);
        assert_eq!(taken(&["opsPerSecond", "timeNs"]), 1, "one form of two");
        assert_eq!(
            [0.2, 3.0, 3783.3].map(slowdown),
            ["20%", "4.0×", "over 100×"]
        );
    }

    #[test]
    fn disturbed_runs_are_not_kept_while_there_is_time() {
        let walls = [
            3000, 2500, 1000, 1001, 1002, 1000, 1001, 1002, 1000, 1001, 1002, 1000,
        ];
        let config = Config::default();
        let taken = Runs::take(&config, LONGEST, |number| {
            Ok(run(&[("timeNs", walls[number])]))
        })
        .unwrap();
        assert_eq!(
            taken.lines(&config),
            ["the last 10 of 12 runs: a slowdown of 5% is detected in half of the benchmarks"]
        );
    }

    #[test]
    fn noise_decides_what_is_gated() {
        let config = Config::default();
        let noisy = runs(&[1000, 3000, 1500, 2500, 1000]);
        assert_eq!(
            noisy
                .quieter(&config)
                .map(|names| names.map(|name| name.to_string())),
            Some(["cpuTimeNs", "timeNs"].map(String::from))
        );
        assert_eq!(
            noisy.lines(&config),
            ["5 runs: a slowdown of 5% is detected in half of the benchmarks"]
        );
        let waits = (1000..).zip([10_000, 30_000, 15_000, 25_000, 10_000]);
        let waits = of(waits.map(|(cpu, wall)| run(&[("timeNs", wall), ("cpuTimeNs", cpu)])));
        assert_eq!(waits.quieter(&config), None);
        let only_wall = |time: &i64| run(&[("timeNs", *time)]);
        let noisy = of([1000, 3000, 1500, 2500, 1000].iter().map(only_wall));
        let lines = noisy.lines(&config);
        insta::assert_snapshot!(lines.join("\n"), @"
        5 runs: a slowdown of 9.2× is detected in half of the benchmarks
        too noisy to gate by stored values: Decode (detects 9.2×)
        with the baseline committed, `perf-gate run` measures these and its commit in turn
        ");
        let few = runs(&[1000, 1001]).lines(&config);
        assert!(
            few[0].starts_with("2 runs cannot show the noise, so the limit is wide (+33%): "),
            "{few:?}"
        );
    }
}
