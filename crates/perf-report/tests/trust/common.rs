//! Comparisons from rows: a history, a baseline, a current run and its confirmation runs.

use std::fmt::Write as _;

use perf_config::{Config, FailOn};
use perf_model::suite::{Filter, Suite};
use perf_readers::{Collector, ParseReport};
use perf_report::markdown::cut::Limit;
use perf_report::report::{FailureReason, Report, ReportDetails, Reproduction};
use perf_verdict::{Comparison, Sides, Thresholds, compare};

/// The command line in a report.
pub const REPRODUCE: &str =
    "perf-gate compare --input bench.csv --baseline baseline.csv --history-git 30";

/// A comparison's rows as CSV.
#[derive(Clone, Debug, Default)]
pub struct Case {
    pub config: String,
    pub history: Vec<String>,
    pub baseline: String,
    pub current: String,
    pub confirmation_runs: Vec<String>,
    pub paired: bool,
    pub today: Option<&'static str>,
}

fn read(config: &Config, csv: &str) -> ParseReport {
    let mut collector = Collector::new(config);
    collector.read("csv", &mut csv.as_bytes()).unwrap();
    collector.finish()
}

impl Case {
    pub fn compared(&self) -> (Comparison, Config) {
        let config = Config::parse(&self.config).unwrap();
        let all = |texts: &[String]| {
            texts
                .iter()
                .map(|csv| read(&config, csv))
                .collect::<Vec<_>>()
        };
        let (history, confirmation_runs) = (all(&self.history), all(&self.confirmation_runs));
        let (baseline, current) = (read(&config, &self.baseline), read(&config, &self.current));
        let filter = Filter::default();
        let history: Vec<Suite<'_>> = history
            .iter()
            .map(|r| Suite::new(&r.rows, &config, &filter))
            .collect();
        let confirmation_runs: Vec<Suite<'_>> = confirmation_runs
            .iter()
            .map(|r| Suite::new(&r.rows, &config, &filter))
            .collect();
        let (current, baseline) = (
            Suite::new(&current.rows, &config, &filter),
            Suite::new(&baseline.rows, &config, &filter),
        );
        let sides = Sides {
            current: &current,
            baseline: &baseline,
            history: &history,
            confirmation_runs: &confirmation_runs,
            elsewhere: &[],
            paired: self.paired,
            ..Sides::new(&current, &baseline)
        };
        let thresholds = Thresholds {
            today: self.today.map(|day| day.parse().unwrap()),
            ..Thresholds::of(&config)
        };
        let comparison = compare(&sides, &config, thresholds);
        (comparison, config)
    }

    pub fn markdown(&self) -> String {
        let (comparison, config) = self.compared();
        let tally = comparison.tally();
        let failed = [
            (tally.regressed, FailOn::Regressed),
            (tally.missing, FailOn::Missing),
        ];
        let failed = failed.iter().filter(|(count, _)| *count > 0);
        let details = ReportDetails {
            failed: failed
                .map(|(_, verdict)| FailureReason::Verdict(*verdict))
                .collect(),
            reproduction: Some(Reproduction {
                command: REPRODUCE.to_owned(),
                ..Reproduction::default()
            }),
            ..ReportDetails::default()
        };
        markdown(&Report::new(&comparison, &config, &details))
    }
}

/// The whole report.
pub fn markdown(report: &Report) -> String {
    report.markdown(Limit::Chars(usize::MAX)).unwrap()
}

/// Deterministic noise between −1 and 1.
pub fn noise(seed: u32) -> f64 {
    f64::from(seed.wrapping_mul(2_654_435_761) >> 16 & 0x3ff) / 511.5 - 1.0
}

/// One run of scenarios (name, decodeNs, allocs), with noise as a share of the time.
pub fn run(commit: u32, scenarios: &[(&str, f64, u32)], noisy: f64) -> String {
    let mut csv = "scenario,commit,decodeNs,allocs\n".to_owned();
    for (at, (name, ns, allocs)) in (0_u32..).zip(scenarios) {
        let ns = ns * (1.0 + noisy * noise(commit * 31 + at * 7));
        let name = name.replace('"', "\"\"");
        writeln!(csv, "\"{name}\",c{commit:07},{ns:.3},{allocs}").unwrap();
    }
    csv
}

/// Scenarios of a made-up library: nanoseconds and allocations.
pub const SCENARIOS: [(&str, f64, u32); 12] = [
    ("decode/small", 120.0, 2),
    ("decode/large", 12_400.0, 7),
    ("encode/small", 95.0, 0),
    ("encode/large", 9_800.0, 3),
    ("sort/1e3", 41_000.0, 1),
    ("hash/64B", 18.5, 0),
    ("hash/1MiB", 310_000.0, 0),
    ("lookup/hit", 33.0, 0),
    ("lookup/miss", 21.0, 0),
    ("insert", 77.0, 1),
    ("iterate", 5_200.0, 0),
    ("clone", 880.0, 4),
];

/// These scenarios with some times multiplied, and allocations added.
pub fn changed<'n>(
    rows: &[(&'n str, f64, u32)],
    changes: &[(&str, f64, u32)],
) -> Vec<(&'n str, f64, u32)> {
    let of = |name: &str| changes.iter().find(|(changed, ..)| *changed == name);
    let now = rows.iter().map(|(name, ns, allocs)| match of(name) {
        Some((_, times, more)) => (*name, ns * times, allocs + more),
        None => (*name, *ns, *allocs),
    });
    now.collect()
}
