//! A comparison as text, and the runs it consists of.

use perf_config::Config;
use perf_model::finding::Finding;
use perf_model::suite::{Filter, Suite};
use perf_readers::{Collector, ParseReport};
use perf_verdict::{CannotFail, Comparison, Sides, Thresholds, Verdict, compare};

/// Reads the rows of one run.
pub fn read(config: &Config, csv: &str) -> ParseReport {
    let mut collector = Collector::new(config);
    collector.read("csv", &mut csv.as_bytes()).unwrap();
    collector.finish()
}

/// The sides of a comparison as text.
#[derive(Clone, Default)]
pub struct Case {
    pub config: String,
    pub current: String,
    pub baseline: String,
    pub history: Vec<String>,
    pub confirmation_runs: Vec<String>,
    pub elsewhere: Vec<String>,
    pub findings: Vec<Finding>,
    pub baseline_findings: Vec<Finding>,
    pub paired: bool,
    pub is_rerun: bool,
}

impl Case {
    pub fn of_runs(config: &str, baseline: &str, current: &str) -> Self {
        Self {
            config: config.to_owned(),
            current: current.to_owned(),
            baseline: baseline.to_owned(),
            ..Self::default()
        }
    }

    pub fn compared(&self) -> Comparison {
        let mut config = Config::parse(&self.config).unwrap();
        if self.is_rerun {
            config.history = config.history.of_reruns();
        }
        let read = |csv: &String| read(&config, csv);
        let (current, baseline) = (read(&self.current), read(&self.baseline));
        let history: Vec<ParseReport> = self.history.iter().map(read).collect();
        let [confirmation_runs, elsewhere] = [&self.confirmation_runs, &self.elsewhere]
            .map(|runs| runs.iter().map(read).collect::<Vec<_>>());
        let suite = |report: &ParseReport| {
            let rows: &'static [_] = Vec::leak(report.rows.clone());
            Suite::new(
                rows,
                Box::leak(Box::new(config.clone())),
                &Filter::default(),
            )
        };
        let (current, baseline) = (suite(&current), suite(&baseline));
        let history: Vec<Suite<'_>> = history.iter().map(suite).collect();
        let [confirmation_runs, elsewhere] =
            [&confirmation_runs, &elsewhere].map(|runs| runs.iter().map(suite).collect::<Vec<_>>());
        let sides = Sides {
            current: &current,
            baseline: &baseline,
            history: &history,
            confirmation_runs: &confirmation_runs,
            elsewhere: &elsewhere,
            findings: &self.findings,
            baseline_findings: &self.baseline_findings,
            paired: self.paired,
        };
        let today = "2026-11-21".parse().ok();
        compare(
            &sides,
            &config,
            Thresholds {
                today,
                ..Thresholds::of(&config)
            },
        )
    }

    pub fn verdicts(&self) -> String {
        let compared = self.compared();
        for blind in &compared.blind {
            use Verdict::{Improved, Moved, Unchanged};
            let passes = CannotFail::Undetected;
            assert!(
                ![Improved, Moved, Unchanged]
                    .map(passes)
                    .contains(&blind.why),
                "a regression would not be caught"
            );
        }
        let scenarios = compared.scopes.iter().flat_map(|scope| &scope.scenarios);
        let lines = scenarios.flat_map(|scenario| {
            scenario.metrics.iter().map(|metric| {
                let why = format!("{:?}", metric.judgement.reason);
                let why = why.split([' ', '(', '{']).next().unwrap_or_default();
                let waived = if metric.judgement.waived.is_some() {
                    " waived"
                } else {
                    ""
                };
                let warned = if metric.judgement.warned {
                    " warned"
                } else {
                    ""
                };
                let verdict = metric.judgement.verdict;
                format!(
                    "{} {}: {verdict:?} by {why}{waived}{warned}",
                    scenario.scenario, metric.metric.name
                )
            })
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// One run: a commit, and each scenario's time.
pub fn run(commit: &str, times: &[f64]) -> String {
    let rows = times
        .iter()
        .enumerate()
        .map(|(at, time)| format!("s{at},P,{commit},-1,{time}\n"));
    format!(
        "scenario,platform,commit,runIndex,timeNs\n{}",
        rows.collect::<String>()
    )
}

/// A scenario's process runs.
pub fn launches(commit: &str, times: &[f64]) -> String {
    let rows = times
        .iter()
        .enumerate()
        .map(|(at, time)| format!("s0,P,{commit},{at},{time}\n"));
    format!(
        "scenario,platform,commit,runIndex,timeNs\n{}",
        rows.collect::<String>()
    )
}

/// Reproducible noise of one percent.
pub fn noise(run: usize) -> f64 {
    [1.0, 1.01, 0.99, 1.005, 0.995, 1.0, 0.99][run % 7]
}

/// A history of this many runs with one time for each scenario, and a current run.
pub fn with_history(runs: usize, usual: &[f64], current: &[f64]) -> Case {
    let earlier = |at: usize| {
        run(
            &format!("c{at}"),
            &usual
                .iter()
                .map(|time| time * noise(at))
                .collect::<Vec<_>>(),
        )
    };
    let history: Vec<String> = (0..runs).map(earlier).collect();
    let baseline = history.last().cloned().unwrap_or_else(|| run("c0", usual));
    Case {
        current: run("now", current),
        baseline,
        history,
        ..Case::default()
    }
}
