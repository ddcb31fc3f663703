//! A measurement that focuses on one benchmark or metric, and ends once it is known whether the head changed it.

use std::collections::BTreeSet;

use anyhow::anyhow;
use perf_cli::ResultExt;
use perf_cli::term::{in_backticks, printable};
use perf_config::Config;
use perf_model::diagnostic::named;
use perf_model::methodology::ONE_BUILD;
use perf_model::row::{Name, Row};
use perf_model::suggest::suggest;
use perf_verdict::rules::pairs::{Finding, Outcome, SLOWER, look_beyond};
use perf_verdict::statistics::bisection::evidence;
use perf_verdict::{Comparison, MetricComparison, Reason, ScenarioComparison};
use serde::Serialize;

use crate::judge::compare_rows;

/// The maximum number of benchmarks in a hint.
const LISTED: usize = 10;
/// In ratios, smaller values are raised to this share of the largest value, because a ratio to zero is infinite.
const SMALLEST: f64 = 1e-9;

/// The benchmark or metric that a measurement is about. Such a measurement is sensitive: see [`comparison`].
#[derive(Clone, Default, Serialize)]
pub struct Focus {
    /// The benchmark's key or label, or a unique part of its key.
    pub benchmark: Option<String>,
    /// Whether `benchmark` is a key. If so, the tool runs only this benchmark from the start.
    pub is_key: bool,
    /// The metric; `None` for all gated metrics.
    pub metric: Option<String>,
    /// The change to look for in the head, if any.
    pub change: Option<KnownChange>,
}

/// A change that the head may contain.
#[derive(Clone, Copy, Serialize)]
pub struct KnownChange {
    /// The expected change, as the logarithm of the ratio of head to base.
    pub size: f64,
    /// The log odds, for or against the change, at which the measurement ends.
    pub evidence: f64,
}

/// The limit for a sensitive comparison. The layout of unchanged code alone can cause differences of about this size.
const SENSITIVE: f64 = 0.01;

/// Compares the rows of pairs. If `is_sensitive`, the limit is 1% instead of the gates' limits, unless each build has a
/// different code layout.
pub fn comparison(
    base: &[Row],
    current: &[Row],
    config: &Config,
    is_sensitive: bool,
    findings: &[perf_model::finding::Finding],
) -> Comparison {
    let is_placed_by_builds = |row: &Row| {
        let methodology = row.methodology.as_deref().unwrap_or_default();
        methodology.contains(ONE_BUILD)
    };
    let is_limited = is_sensitive && !current.iter().any(is_placed_by_builds);
    let limit = is_limited.then_some(SENSITIVE);
    compare_rows(base, current, config, limit, true, findings)
}

/// Returns the log ratio of head to base in each pair.
pub fn differences(metric: &MetricComparison) -> Vec<f64> {
    let pairs = &metric.extra.pairs;
    let most = pairs
        .iter()
        .flat_map(|(base, current)| [base.abs(), current.abs()])
        .fold(0.0, f64::max);
    let least = if most > 0.0 { most * SMALLEST } else { 1.0 };
    let number = |value: f64| value.max(least).ln();
    pairs
        .iter()
        .map(|(base, current)| number(*current) - number(*base))
        .collect()
}

/// Returns the smallest slowdown that the metric's gate fails, as a log ratio.
pub fn margin(metric: &MetricComparison) -> f64 {
    match &metric.judgement.reason {
        Reason::Pairs(finding) => finding.margin,
        _ => SLOWER,
    }
}

/// Returns the pairs rule's outcome for these log ratios. A positive ratio means slower. If all ratios are equal, the
/// values were counted exactly, and any change decides.
pub fn outcome(differences: &[f64], margin: f64) -> Outcome {
    exact_outcome(differences)
        .or_else(|| Some(analysis(differences, margin)?.outcome))
        .unwrap_or(Outcome::Open)
}

fn analysis(differences: &[f64], margin: f64) -> Option<Finding> {
    let pairs: Vec<(f64, f64)> = differences
        .iter()
        .map(|difference| (0.0, *difference))
        .collect();
    look_beyond(&pairs, margin)
}

fn exact_outcome(differences: &[f64]) -> Option<Outcome> {
    let is_exact = differences.len() > 1
        && differences
            .windows(2)
            .all(|two| two[0].total_cmp(&two[1]).is_eq());
    match differences.first().filter(|_| is_exact)? {
        first if *first > 0.0 => Some(Outcome::Slower),
        first if *first < 0.0 => Some(Outcome::Faster),
        _ => None,
    }
}

/// Whether the benchmark or metric in focus is decided.
pub fn is_decided(focus: &Focus, comparison: &Comparison) -> bool {
    let Some(name) = &focus.metric else {
        let mut all = comparison.scopes.iter().flat_map(|scope| &scope.scenarios);
        return all.all(is_settled);
    };
    for metric in comparison.metrics() {
        if *metric.metric.name != **name {
            continue;
        }
        let differences = differences(metric);
        let is_decided = match focus.change {
            Some(change) => {
                evidence(&differences, change.size, change.evidence).abs() >= change.evidence
            }
            // Could more pairs change the outcome?
            None => {
                exact_outcome(&differences).is_some()
                    || analysis(&differences, margin(metric)).is_some_and(|found| !found.is_open())
            }
        };
        if !is_decided {
            return false;
        }
    }
    true
}

/// Whether the benchmark is known to differ, or more pairs could not find a difference.
fn is_settled(scenario: &ScenarioComparison) -> bool {
    let mut is_any_open = false;
    for metric in &scenario.metrics {
        if let Reason::Pairs(found) = &metric.judgement.reason
            && metric.judgement.is_gated()
        {
            if !found.is_open() && matches!(found.outcome, Outcome::Slower | Outcome::Faster) {
                return true;
            }
            is_any_open |= found.is_open();
        }
    }
    !is_any_open
}

/// Finds a benchmark by its name, its label, or a unique part of its name.
///
/// # Errors
/// Fails if `wanted` matches no benchmark, or several.
pub fn find_benchmark(
    wanted: &str,
    names: &BTreeSet<Name>,
    config: &Config,
) -> anyhow::Result<Name> {
    let is_labelled = |name: &&Name| config.label(name) == wanted;
    if let Some(name) = names.get(wanted).or_else(|| names.iter().find(is_labelled)) {
        return Ok(Name::clone(name));
    }
    let parts: Vec<&Name> = names.iter().filter(|name| name.contains(wanted)).collect();
    let mut ends = parts.clone();
    ends.retain(|name| {
        let start = name.strip_suffix(wanted);
        start.is_some_and(|start| start.ends_with(['.', '/', ':', ' ']))
    });
    if let ([name], _) | (_, [name]) = (&ends[..], &parts[..]) {
        return Ok(Name::clone(name));
    }
    let shown = printable(wanted);
    if parts.is_empty() {
        let hint = suggest(wanted, names.iter().map(|name| &**name)).unwrap_or_default();
        return Err(anyhow!("no benchmark matches `{shown}`")).hint(printable(&hint));
    }
    let parts: Vec<String> = parts.iter().map(|name| in_backticks(name)).collect();
    Err(anyhow!("several benchmarks match `{shown}`")).hint(format!(
        "use a longer part, such as {}",
        named(&parts, LISTED)
    ))
}

#[cfg(test)]
mod tests {
    use perf_model::row::{Conditions, Key, Metrics, Value};

    use super::*;

    /// Rows of 30 pairs with this time and about 0.3% noise.
    fn side(time: i64, methodology: &str) -> Vec<Row> {
        let mut rows = Vec::new();
        for pair in 0..30 {
            let mut metrics = Metrics::default();
            metrics.insert("timeNs".into(), Value::Int(time + 37 * pair % 31 - 15));
            let conditions = Conditions {
                methodology: Some(methodology.into()),
                ..Conditions::default()
            };
            let key = Key {
                scenario: "work".into(),
                conditions: conditions.into(),
            };
            rows.push(crate::rows::of_key(key.into(), pair, metrics));
        }
        rows
    }

    #[test]
    fn sensitive_limit_does_not_apply_if_builds_change_the_code_layout() {
        let found = |methodology: &str, is_sensitive| {
            let [base, current] = [10_000, 10_150].map(|time| side(time, methodology));
            let compared = comparison(&base, &current, &Config::default(), is_sensitive, &[]);
            let mut metrics = compared.metrics();
            let metric = metrics.next().unwrap();
            let Reason::Pairs(found) = &metric.judgement.reason else {
                panic!("{:?}", metric.judgement.reason);
            };
            let differs = outcome(&differences(metric), margin(metric));
            assert_eq!(differs, found.outcome);
            found.outcome
        };
        assert_eq!(found("in turn", true), Outcome::Slower);
        assert_eq!(found("in turn", false), Outcome::Same);
        assert_eq!(found(ONE_BUILD, true), Outcome::Same);
    }
}
