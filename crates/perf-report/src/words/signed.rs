//! Raw changes with their sign.

use perf_config::Plus;
use perf_model::metric::{Direction, Metric, Unit};

use super::percent;
use crate::number::significant;

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
