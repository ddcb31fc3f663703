//! Verdicts in words: one sentence for each, with the numbers that made it.
//!
//! A sentence is plain text without its full stop. Its numbers are in one scale, that of the metric, and a
//! percentage says what it is of.

mod launches;
mod numbers;
mod obstacles;
mod power;
mod series;
mod single;

use perf_config::Config;
use perf_verdict::compare::MetricComparison;
use perf_verdict::{Reason, Rule, Verdict};

pub(crate) use self::numbers::{Numbers, change_of, signed};
pub(crate) use self::power::{better_means, evidence, too_noisy};
pub(crate) use self::series::{everything as shift, level_change};
use crate::number::{fixed, thousands};

/// A fraction as a percentage with so many decimals, without trailing zeros behind the point: `33 %`.
pub fn percent(fraction: f64, decimals: usize) -> String {
    let text = fixed(fraction * 100.0, decimals);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{} %", thousands(text))
}

/// The word for a verdict.
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

/// The rule, as the report names it.
pub fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::Threshold(_) => "threshold",
        Rule::Exact => "exact",
        Rule::Count(_) => "count",
        Rule::Report => "report",
    }
}

/// What the verdict rests on: the rule for one baseline value, or what is stronger.
pub fn decided_by(compared: &MetricComparison) -> &'static str {
    match &compared.judgement.because {
        Reason::History(_) => "history",
        Reason::EnvironmentShift(_) => "guard",
        Reason::Samples(_) => "samples",
        Reason::Pairs(_) => "pairs",
        Reason::Ratchet(_) => "ratchet",
        Reason::BelowFloor { .. } => "floor",
        Reason::Tail(_) => "tail",
        _ => rule(compared.judgement.rule),
    }
}

/// Why a metric got its verdict, as a sentence without its full stop.
pub fn reason(compared: &MetricComparison) -> String {
    let said = match &compared.judgement.because {
        Reason::Drop { drop, limit } => single::drop(compared, *drop, *limit),
        Reason::Difference(difference) => single::difference(compared, *difference),
        Reason::Growth { growth, limit, values } => single::growth(compared, *growth, *limit, *values),
        Reason::BelowFloor { difference, floor } => single::below_floor(compared, *difference, *floor),
        Reason::NotGated => format!("{}; not gated", single::change(compared)),
        Reason::NoDirection => {
            format!("{}; not gated, as it is not known which way is better", single::change(compared))
        }
        Reason::History(found) => series::history(compared, found),
        Reason::EnvironmentShift(shifted) => series::shifted(compared, &shifted.0, shifted.1.as_ref()),
        Reason::Ratchet(found) => series::ratchet(compared, found),
        Reason::Samples(found) => launches::samples(compared, found),
        Reason::Pairs(found) => launches::pairs(compared, found),
        Reason::Tail(found) => {
            let tail = launches::tail(found.quantile, found.values, found.needed);
            format!("{}; not gated: {tail}", single::change(compared))
        }
        obstacle => obstacles::obstacle(compared, obstacle),
    };
    match &compared.relative_to {
        // Else there is no quotient to speak of.
        Some(reference) if compared.judgement.change.is_some() => format!("relative to {reference}, {said}"),
        _ => said,
    }
}

/// The reason, and what people decided about it: a soft limit that it is over, a waiver that excuses it.
pub fn sentence(compared: &MetricComparison, config: &Config) -> String {
    let mut said = reason(compared);
    if compared.judgement.warned {
        said += "; over its soft limit";
    }
    if let Some(waiver) = compared.judgement.waived.and_then(|at| config.waivers.get(at)) {
        said = format!("{said}; known: {} ({}, until {})", waiver.reason, waiver.by, waiver.until);
    }
    said
}
