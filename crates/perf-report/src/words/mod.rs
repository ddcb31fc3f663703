//! Verdicts in words: the parts that all rules share. Each rule's own sentence stands in `crate::rules`.
//!
//! A sentence is plain text without its full stop. Its numbers have one scale, that of the metric.

pub(crate) mod change;
mod confirmation;
mod numbers;
pub(crate) mod power;

use perf_config::{Config, HistoryPolicy};
use perf_verdict::{MetricComparison, Rule, Verdict};

pub(crate) use self::confirmation::{allowed, confirmation};
pub(crate) use self::numbers::{Numbers, change_of, change_of_drop, counted, signed, signed_pair};
pub(crate) use self::power::evidence;
use crate::number::{fixed, thousands};
use crate::rules::finding;
pub(crate) use crate::rules::{environment::shift, trend::level_change};

/// A fraction as a percentage with at most this many decimals: `33%`.
pub fn percent(fraction: f64, decimals: usize) -> String {
    let text = fixed(fraction * 100.0, decimals);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{}%", thousands(text))
}

/// The machine word for a verdict.
pub fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Regressed => "regressed",
        Verdict::Improved => "improved",
        Verdict::Inconclusive => "inconclusive",
        Verdict::Moved => "moved",
        Verdict::Unchanged => "unchanged",
        Verdict::NotComparable => "not comparable",
        Verdict::Unmeasured => "unmeasured",
    }
}

/// The machine word for a gate's rule.
pub fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::Threshold(_) => "threshold",
        Rule::Exact => "exact",
        Rule::Count(_) => "count",
        Rule::Equal => "equal",
        Rule::Budget => "budget",
        Rule::Report => "report",
    }
}

/// The rule that decided: the gate's, or a stronger one.
pub fn decided_by(compared: &MetricComparison) -> &'static str {
    let judgement = &compared.judgement;
    judgement.reason.finding().name().unwrap_or_else(|| rule(judgement.rule))
}

/// Why a metric got its verdict, without a full stop.
pub fn reason(compared: &MetricComparison) -> String {
    let reason = finding(&compared.judgement.reason).reason(compared);
    // Without a change there is no quotient.
    let relative_to = compared.relative_to.as_ref().filter(|_| compared.judgement.change.is_some());
    match (relative_to, &compared.minus) {
        (Some(reference), Some(minus)) => format!("less {minus}, relative to {reference}: {reason}"),
        (Some(reference), None) => format!("relative to {reference}: {reason}"),
        (None, Some(minus)) if compared.judgement.change.is_some() => format!("less {minus}: {reason}"),
        (None, _) => reason,
    }
}

/// The reason, a soft limit that it exceeds, and a waiver that excuses it.
pub fn sentence(compared: &MetricComparison, config: &Config) -> String {
    let mut said = reason(compared);
    if compared.judgement.warned {
        said += "; above the soft limit";
    }
    if let Some(waiver) = compared.judgement.waived.and_then(|at| config.waivers.get(at)) {
        said = format!("{said}; waived: {} ({}, until {})", waiver.reason, waiver.by, waiver.until);
    }
    said
}

/// That the data are too noisy for their limit or for any, and the remedy.
pub(crate) fn too_noisy(compared: &MetricComparison) -> Option<String> {
    finding(&compared.judgement.reason).too_noisy(compared)
}

/// What would detect smaller changes, as an imperative.
pub(crate) fn remedy(compared: &MetricComparison, policy: &HistoryPolicy) -> Option<String> {
    finding(&compared.judgement.reason).remedy(compared, policy)
}
