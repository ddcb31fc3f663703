//! The words that all rules share: names of verdicts, numbers, changes. Each rule's own sentence stands in `crate::rules`.
//!
//! A sentence is plain text without its full stop. Its numbers have one scale, that of the metric.

pub(crate) mod change;
mod confirmation;
mod numbers;
pub(crate) mod power;
mod signed;
mod subject;

use perf_model::row::Name;
use perf_verdict::{Instrument, NotGated, Rule};

pub use crate::rules::OTHER_BENCHMARK;

pub(crate) use self::confirmation::{
    allowed, and_confirmation, confirmation, confirmation_state, rerun,
};
pub(crate) use self::numbers::{NO_BREAK, SentenceNumbers};
pub(crate) use self::signed::{MINUS, signed};
pub(crate) use self::subject::{Subject, change_of, versus};
use crate::number::{fixed, thousands};

/// A fraction as a percentage with at most this many decimals: `33%`.
pub fn percent(fraction: f64, decimals: usize) -> String {
    let text = fixed(fraction * 100.0, decimals);
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    thousands(text) + "%"
}

/// The name of a clock.
pub(crate) fn clock(instrument: Instrument) -> &'static str {
    match instrument {
        Instrument::Cpu => "CPU time",
        Instrument::Undelayed => "the time without run-queue delay",
        Instrument::Wall => "wall time",
    }
}

/// The reason why a metric is not gated; `derived_from` is the metric that it is another form of.
pub fn not_gated(why: NotGated, derived_from: Option<&Name>) -> String {
    match (why, derived_from) {
        (NotGated::NoGate, _) => "not gated: the gates of the config leave it out".to_owned(),
        (NotGated::Informational, _) => "not gated (informational)".to_owned(),
        (NotGated::Noise, _) => "not gated: mostly noise".to_owned(),
        (NotGated::Quieter(instrument), _) => {
            format!("not gated: {} is, as it varies less", clock(instrument))
        }
        (NotGated::Derived, Some(name)) => format!("not gated: another form of `{name}`"),
        (NotGated::Derived, None) => "not gated: another form of a metric that is".to_owned(),
        (NotGated::UnknownDirection, _) => "not gated: unknown which way is better".to_owned(),
        (NotGated::Tail, _) => "not gated: a percentile of too few values".to_owned(),
    }
}

/// The machine word for a gate's rule.
pub fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::Limit(_) => "limit",
        Rule::Exact => "exact",
        Rule::Count(_) => "count",
        Rule::Equal => "equal",
        Rule::Budget => "budget",
        Rule::Report => "report",
    }
}
