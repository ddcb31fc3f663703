//! The words that all rules share: names of verdicts, numbers, changes. Each rule's own sentence stands in `crate::rules`.
//!
//! A sentence is plain text without its full stop. Its numbers have one scale, that of the metric.

pub(crate) mod change;
mod confirmation;
mod numbers;
pub(crate) mod power;
mod subject;

use perf_config::Plus;
use perf_model::metric::{Direction, Metric, Unit};
use perf_model::row::Name;
use perf_verdict::{Instrument, NotGated, Rule};

pub(crate) use self::confirmation::{
    allowed, and_confirmation, confirmation, confirmation_state, rerun,
};
pub(crate) use self::numbers::{NO_BREAK, SentenceNumbers};
pub(crate) use self::subject::{Subject, change_of, versus};
use crate::number::{fixed, significant, thousands};
pub use crate::rules::OTHER_BENCHMARK;

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

/// U+2212, the sign of every negative change.
pub(crate) const MINUS: char = '\u{2212}';

/// A raw change: `+32.2%`, `−0.05%`, beyond twice as much `2.5× slower`, from zero `from 0`;
/// zero only for zero.
pub(crate) fn signed(metric: &Metric, plus: Plus, change: f64, decimals: usize) -> String {
    if change.is_infinite() {
        return "from 0".to_owned();
    }
    if change > 1.0 {
        return format!(
            "{}× {}",
            significant(1.0 + change, decimals + 1),
            growth(metric)
        );
    }
    percentage(metric, plus, change, decimals)
}

/// A raw change as a percentage, however large.
pub(crate) fn percentage(metric: &Metric, plus: Plus, change: f64, decimals: usize) -> String {
    let is_flipped = plus == Plus::Better && metric.meaning.direction == Direction::Lower;
    let sign = if (change < 0.0) == is_flipped {
        '+'
    } else {
        MINUS
    };
    let size = change.abs();
    let text = percent(size, decimals);
    match text.as_str() {
        _ if size == 0.0 => "0%".to_owned(),
        "0%" => format!("{sign}{}%", significant(size * 100.0, 1)),
        _ => format!("{sign}{text}"),
    }
}

/// The word for a larger number: `slower`, `faster` or `larger`.
fn growth(metric: &Metric) -> &'static str {
    match (metric.meaning.direction, metric.meaning.unit) {
        (Direction::Lower, unit) if unit.seconds().is_some() => "slower",
        (Direction::Higher, Unit::PerSecond | Unit::BytesPerSecond) => "faster",
        _ => "larger",
    }
}
