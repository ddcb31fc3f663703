//! Terminal output of `pairs`: progress, and the result of each metric.

use std::time::{Duration, Instant};

use perf_cli::term;
use perf_model::diagnostic::counted;
use perf_report::reasons;
use perf_verdict::cost_scale::value;
use perf_verdict::rules::pairs::{Finding, Outcome};
use perf_verdict::{Comparison, MetricComparison, Reason};

/// The widest column of names. Longer names exceed it.
const WIDEST: usize = 50;

/// One line per gated metric, with its verdict, name, change and number of pairs. Names are aligned.
pub(super) fn summary(comparison: &Comparison) -> Vec<String> {
    let mut lines: Vec<(&str, String, String)> = Vec::new();
    for scenario in comparison.scopes.iter().flat_map(|scope| &scope.scenarios) {
        for metric in scenario
            .metrics
            .iter()
            .filter(|metric| metric.judgement.is_gated())
        {
            let Reason::Pairs(finding) = &metric.judgement.reason else {
                continue;
            };
            let verdict = match finding.outcome {
                Outcome::Slower => "regressed",
                Outcome::Faster => "improved",
                Outcome::Same | Outcome::NotSlower => "unchanged",
                Outcome::Open => "inconclusive",
            };
            let [name, label] = [&*scenario.scenario, &*metric.metric.label].map(term::printable);
            let text = format!("{}, {}", estimate(metric, finding), counts(finding));
            lines.push((verdict, format!("{name} {label}:"), text));
        }
    }
    let width = lines
        .iter()
        .map(|(_, name, _)| name.chars().count())
        .max()
        .unwrap_or(0)
        .min(WIDEST);
    lines
        .iter()
        .map(|(verdict, name, text)| format!("{verdict:<12}  {name:<width$}  {text}"))
        .collect()
}

/// The median change with its interval, signed like the metric's value in the report.
fn estimate(metric: &MetricComparison, finding: &Finding) -> String {
    let percent = |distance: f64| 100.0 * (value(metric.metric.meaning.direction, distance) - 1.0);
    let interval = finding
        .lower
        .zip(finding.upper)
        .map_or_else(String::new, |(lower, upper)| {
            let (one, other) = (percent(lower), percent(upper));
            format!(" [{:+.1}%, {:+.1}%]", one.min(other), one.max(other))
        });
    format!("{:+.1}%{interval}", percent(finding.median)).replace('-', "−")
}

fn counts(finding: &Finding) -> String {
    let dependent = if finding.serial.is_some() {
        "; pairs depend on each other"
    } else {
        ""
    };
    let remark = match finding.outcome {
        Outcome::Slower | Outcome::Faster => String::new(),
        Outcome::Same | Outcome::NotSlower => dependent.to_owned(),
        Outcome::Open => {
            let more = match finding.until_next {
                None if finding.is_flagged() => "the A/A check also flags it".to_owned(),
                None if finding.tail.is_some() => {
                    "most samples are slower, but the fastest are not".to_owned()
                }
                _ => reasons::next_analysis(finding),
            };
            format!("{dependent}; {more}")
        }
    };
    reasons::count_of_pairs(finding) + &remark
}

/// A line after an interim analysis.
pub(super) fn status(comparison: &Comparison, count: usize) -> String {
    let open = open_metrics(comparison);
    format!(
        "{} per side, {} undecided; {}",
        counted(count as u64, "process run"),
        counted(open as u64, "gated metric"),
        worst(comparison)
    )
}

/// A progress line in the terminal.
pub(super) struct Progress {
    start: Instant,
    /// The worst metric and the time left, at the last update.
    estimate: String,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            estimate: String::new(),
        }
    }

    /// Shows the number of pairs, and updates the worst metric every five pairs.
    pub(super) fn show(&mut self, pairs: usize, left: Duration, worst: impl FnOnce() -> String) {
        if !term::shows_progress() {
            return;
        }
        if pairs.is_multiple_of(5) {
            self.estimate = format!("; {}at most {} s more", worst(), left.as_secs());
        }
        let seconds = self.start.elapsed().as_secs();
        let pairs = counted(pairs as u64, "pair");
        term::progress(&format!("{pairs}, {seconds} s{}", self.estimate));
    }

    /// Prints a separate line if no terminal shows the progress.
    pub(super) fn note(text: impl FnOnce() -> String) {
        if !term::shows_progress() && !term::is_quiet() {
            term::note(text().trim_end_matches([',', ' ', ';']));
        }
    }
}

/// The undecided metric with the largest slowdown.
pub(super) fn worst(comparison: &Comparison) -> String {
    let scenarios = comparison.scopes.iter().flat_map(|scope| &scope.scenarios);
    let metrics = scenarios.flat_map(|scenario| {
        scenario
            .metrics
            .iter()
            .map(move |metric| (scenario, metric))
    });
    let open = metrics.filter(|(_, metric)| is_open(metric));
    let found = open.filter_map(|(scenario, metric)| match &metric.judgement.reason {
        Reason::Pairs(finding) => Some((&scenario.scenario, metric, finding)),
        _ => None,
    });
    let worst = found.max_by(|(.., a), (.., b)| a.median.total_cmp(&b.median));
    worst.map_or_else(String::new, |(name, metric, finding)| {
        format!(
            "worst: {} {}, ",
            term::printable_end(name, 40),
            estimate(metric, finding)
        )
    })
}

/// The number of gated metrics that more pairs could still decide.
fn open_metrics(comparison: &Comparison) -> usize {
    comparison
        .metrics()
        .filter(|metric| is_open(metric))
        .count()
}

/// The undecided benchmarks' names, and the number of all benchmarks.
pub(super) fn open_benchmarks(comparison: &Comparison) -> (Vec<String>, usize) {
    let (mut open, mut all) = (Vec::new(), 0);
    for scenario in comparison.scopes.iter().flat_map(|scope| &scope.scenarios) {
        all += 1;
        if scenario.metrics.iter().any(is_open) {
            open.push(scenario.scenario.to_string());
        }
    }
    (open, all)
}

/// Whether the metric is gated, and more pairs could still find it slower.
pub(super) fn may_be_slower(metric: &MetricComparison) -> bool {
    let is_not_slower = matches!(&metric.judgement.reason, Reason::Pairs(finding) if finding.outcome == Outcome::NotSlower);
    is_open(metric) && !is_not_slower
}

/// Whether the metric is gated, and more pairs could still decide it.
pub(super) fn is_open(metric: &MetricComparison) -> bool {
    match &metric.judgement.reason {
        Reason::Pairs(finding) if metric.judgement.is_gated() => finding.is_open(),
        _ => false,
    }
}
