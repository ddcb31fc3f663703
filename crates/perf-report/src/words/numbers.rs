//! The numbers of one sentence: one scale, and the unit where it is needed.

use perf_model::metric::Direction;
use perf_model::row::Value;
use perf_verdict::MetricComparison;
use perf_verdict::oriented::distance_of_drop;

use crate::cell::{Format, UNMEASURED};
use crate::number::{Scale, significant, thousands};
use crate::words::percent;

/// How the numbers of one sentence are written.
pub(crate) struct Numbers(Format);

impl Numbers {
    /// For these judged numbers: the metric's own, or quotients.
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

    /// A value and its unit; of a count all digits.
    pub(crate) fn value(&self, value: Value) -> String {
        self.0.plain(value)
    }

    /// `12.10 → 16.00 ms`.
    pub(crate) fn arrow(&self, from: f64, to: f64) -> String {
        format!("{} → {}", self.bare(from), self.full(to))
    }

    /// The same of values, of which counts keep all digits.
    pub(crate) fn arrow_of(&self, from: Value, to: Value) -> String {
        format!("{} → {}", self.0.bare(from), self.0.plain(to))
    }
}

/// A distance of costs as a change of the number: a cost of +50% is +50% of a time and -33% of a throughput.
pub(crate) fn change_of(direction: Direction, distance: f64) -> f64 {
    if direction == Direction::Higher { (-distance).exp_m1() } else { distance.exp_m1() }
}

/// The change of the number for a drop of throughput by this share; `None` from 1 on.
pub(crate) fn change_of_drop(direction: Direction, drop: f64) -> Option<f64> {
    distance_of_drop(drop).map(|distance| change_of(direction, distance))
}

/// `+32.2%`, `-0.05%`: zero only for zero.
pub(crate) fn signed(change: f64) -> String {
    signed_within(change, 1)
}

/// A change and its limit, with enough digits to differ.
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
        _ if size == 0.0 => "0%".to_owned(),
        "0%" => format!("{sign}{}%", significant(size * 100.0, 1)),
        _ => format!("{sign}{text}"),
    }
}

/// `1 launch`, `2 launches`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let plural = match count {
        1 => "",
        _ if noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{} {noun}{plural}", thousands(&count.to_string()))
}
