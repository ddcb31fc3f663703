//! The numbers of one sentence: in one scale, and the unit said where it is needed.

use perf_model::metric::Direction;
use perf_model::row::Value;
use perf_verdict::compare::MetricComparison;

use crate::cell::{Format, UNMEASURED};
use crate::number::{Scale, significant};
use crate::words::percent;

/// How the numbers of one sentence are written.
pub(crate) struct Numbers(Format);

impl Numbers {
    /// For these numbers of the metric; where it is judged by quotients, for these quotients.
    pub(crate) fn new(compared: &MetricComparison, numbers: &[f64]) -> Self {
        if compared.relative_to.is_some() {
            return Self(Format::Scaled(Scale { divisor: 1.0, suffix: "", decimals: 3 }, ""));
        }
        Self::of_metric(compared, numbers)
    }

    /// For these numbers of the metric itself.
    pub(crate) fn of_metric(compared: &MetricComparison, numbers: &[f64]) -> Self {
        let values: Vec<Value> = numbers.iter().copied().filter_map(Value::new).collect();
        Self(Format::of(&compared.metric, &values))
    }

    /// A number and its unit.
    pub(crate) fn full(&self, number: f64) -> String {
        Value::new(number).map_or_else(|| UNMEASURED.to_owned(), |value| self.0.plain(value))
    }

    /// A number without its unit, beside one that has it.
    pub(crate) fn bare(&self, number: f64) -> String {
        Value::new(number).map_or_else(|| UNMEASURED.to_owned(), |value| self.0.bare(value))
    }

    /// `12.10 → 16.00 ms`.
    pub(crate) fn arrow(&self, from: f64, to: f64) -> String {
        format!("{} → {}", self.bare(from), self.full(to))
    }
}

/// A distance of costs as a change of the number: half as much cost again is +50 % of a time, and -33 % of a
/// throughput.
pub(crate) fn change_of(direction: Direction, distance: f64) -> f64 {
    if direction == Direction::Higher { (-distance).exp_m1() } else { distance.exp_m1() }
}

/// The change of the number that is a drop of throughput by this share; `None` where nothing is so large.
pub(crate) fn change_of_drop(direction: Direction, drop: f64) -> Option<f64> {
    (drop < 1.0).then(|| change_of(direction, -(-drop).ln_1p()))
}

/// `+32.2 %`, `-0.05 %`: never nothing for what is something.
pub(crate) fn signed(change: f64) -> String {
    signed_within(change, 1)
}

/// Two changes, of which one is the limit of the other: with digits enough to tell them apart.
pub(crate) fn signed_pair(change: f64, limit: f64) -> (String, String) {
    let at = |decimals| (signed_within(change, decimals), signed_within(limit, decimals));
    let decimals = (1..6).find(|decimals| at(*decimals).0 != at(*decimals).1);
    at(decimals.unwrap_or(1))
}

fn signed_within(change: f64, decimals: usize) -> String {
    let sign = if change < 0.0 { "-" } else { "+" };
    let size = change.abs();
    let text = percent(size, decimals);
    match text.as_str() {
        _ if size == 0.0 => "0 %".to_owned(),
        "0 %" => format!("{sign}{} %", significant(size * 100.0, 1)),
        _ => format!("{sign}{text}"),
    }
}

/// `1 repeat`, `2 repeats`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    let count = crate::number::thousands(&count.to_string()) + " " + what;
    if count.starts_with("1 ") { count } else { count + "s" }
}
