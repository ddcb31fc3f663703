//! Formats a metric's numbers and changes in sentences.

use std::ops::Deref;

use perf_config::{Config, Plus};
use perf_model::metric::{Direction, Metric};
use perf_model::row::Value;
use perf_verdict::MetricComparison;
use perf_verdict::cost_scale::distance_of_limit;
use perf_verdict::evidence::instrument::is_speed;

use crate::cell::{CellFormat, UNMEASURED};
use crate::number::{Scale, fixed, significant, thousands};

/// The sign of negative changes: U+2212, not a hyphen.
const MINUS: char = '\u{2212}';

/// A compared metric, and the meaning of a plus sign in the project's reports.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'c> {
    compared: &'c MetricComparison,
    plus: Plus,
}

impl Deref for Subject<'_> {
    type Target = MetricComparison;

    fn deref(&self) -> &MetricComparison {
        self.compared
    }
}

impl<'c> Subject<'c> {
    pub(crate) fn new(compared: &'c MetricComparison, config: &Config) -> Self {
        Self {
            compared,
            plus: config.deltas.plus,
        }
    }

    pub(crate) fn direction(&self) -> Direction {
        self.compared.metric.meaning.direction
    }

    /// Converts a distance to a raw change of the number: a cost of +50% is +50% for a time and −33% for a throughput.
    pub(crate) fn change_of(&self, distance: f64) -> f64 {
        change_of(self.direction(), distance)
    }

    /// Returns the raw change that a fixed limit allows, or `None` if the limit allows any change.
    pub(crate) fn change_of_limit(&self, limit: f64) -> Option<f64> {
        distance_of_limit(self.direction(), limit).map(|distance| self.change_of(distance))
    }

    /// Formats a raw change with its word: `+41% slower`. A change within the tolerance has no word: `−0.5%`.
    pub(crate) fn changed(&self, change: f64) -> String {
        if self.judgement.moved {
            with_word(&self.metric, change, self.signed(change))
        } else {
            self.signed(change)
        }
    }

    /// Like [`Self::changed`], for a distance.
    pub(crate) fn effect(&self, distance: f64) -> String {
        self.changed(self.change_of(distance))
    }

    /// Formats a raw change, such as a limit, without a word: `+33%`.
    pub(crate) fn signed(&self, change: f64) -> String {
        signed(&self.metric, self.plus, change, 1)
    }

    /// Formats a raw change with its word, and its limit. Both have enough digits to differ.
    pub(crate) fn change_and_limit(&self, change: f64, limit: f64) -> (String, String) {
        let at = |decimals| {
            [change, limit].map(|share| signed(&self.metric, self.plus, share, decimals))
        };
        let differing = (1..6).map(at).find(|[change, limit]| change != limit);
        let [shown, limit] = differing.unwrap_or_else(|| at(1));
        let shown = if self.judgement.moved {
            with_word(&self.metric, change, shown)
        } else {
            shown
        };
        (shown, limit)
    }
}

/// Converts a distance to a raw change of a number.
pub(crate) fn change_of(direction: Direction, distance: f64) -> f64 {
    if direction == Direction::Higher {
        (-distance).exp_m1()
    } else {
        distance.exp_m1()
    }
}

/// Formats a change and its reference: `+5% slower than the baseline` or `+5% vs. the baseline`.
pub(crate) fn versus(change: &str, reference: &str) -> String {
    let has_word = change.ends_with(char::is_alphabetic);
    let joint = if has_word { "than" } else { "vs." };
    format!("{change} {joint} {reference}")
}

/// Formats a fraction as a percentage with at most `decimals` decimals: `33%`.
pub fn percent(fraction: f64, decimals: usize) -> String {
    let text = fixed(fraction * 100.0, decimals);
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    thousands(text) + "%"
}

/// Formats a raw change: `+32%`, `+3.2%` or `−0.05%`. At 10% or more, a single decimal is omitted.
pub(crate) fn signed(metric: &Metric, plus: Plus, change: f64, decimals: usize) -> String {
    if change.is_infinite() {
        return "from 0".to_owned();
    }
    let is_flipped = plus == Plus::Better && metric.meaning.direction == Direction::Lower;
    let is_minus = (change < 0.0) != is_flipped;
    let sign = if is_minus { MINUS } else { '+' };
    let size = change.abs();
    let decimals = if decimals == 1 && size >= 0.0995 {
        0
    } else {
        decimals
    };
    let text = percent(size, decimals);
    if size == 0.0 {
        "0%".to_owned()
    } else if text == "0%" {
        format!("{sign}{}%", significant(size * 100.0, 1))
    } else {
        format!("{sign}{text}")
    }
}

/// Formats a difference with its sign: `+7`, `−1,024 B`.
pub(crate) fn with_sign(difference: &str) -> String {
    match difference.strip_prefix('-') {
        Some(size) => format!("{MINUS}{size}"),
        None => format!("+{difference}"),
    }
}

/// Appends the word for the change's direction, if there is one.
fn with_word(metric: &Metric, change: f64, text: String) -> String {
    let meaning = &metric.meaning;
    let is_worse = (change > 0.0) == (meaning.direction == Direction::Lower);
    let word = match meaning.direction {
        _ if change == 0.0 || change.is_infinite() => return text,
        Direction::Unknown => return text,
        _ if is_speed(metric) => ["faster", "slower"],
        _ => ["better", "worse"],
    };
    format!("{text} {}", word[usize::from(is_worse)])
}

/// The no-break space between a number and its unit.
pub(crate) const NO_BREAK: char = '\u{a0}';

/// The default number of significant digits, and the maximum for numbers that would otherwise look equal.
const DIGITS: std::ops::Range<usize> = 3..8;

/// The number format of a sentence, with one unit for all of its numbers.
pub(crate) struct SentenceNumbers {
    format: CellFormat,
    digits: usize,
}

impl SentenceNumbers {
    /// The format for these numbers, which are the metric's own values or ratios to its reference.
    pub(crate) fn new(compared: &MetricComparison, numbers: &[f64]) -> Self {
        if compared.reference.relative_to.is_some() {
            return Self::with(CellFormat::PLAIN, numbers);
        }
        Self::of_metric(compared, numbers)
    }

    /// The format for these numbers, which are the metric's own values.
    pub(crate) fn of_metric(compared: &MetricComparison, numbers: &[f64]) -> Self {
        let values: Vec<Value> = numbers.iter().copied().filter_map(Value::new).collect();
        Self::with(format(&compared.metric, &values), numbers)
    }

    /// The format for a table row, which always has three significant digits.
    pub(crate) fn short(compared: &MetricComparison, numbers: &[f64]) -> Self {
        Self {
            digits: DIGITS.start,
            ..Self::new(compared, numbers)
        }
    }

    /// Like [`Self::short`], for the metric's own values.
    pub(crate) fn of(metric: &Metric, values: &[Value]) -> Self {
        Self {
            format: format(metric, values),
            digits: DIGITS.start,
        }
    }

    /// The scale and the unit for the numbers.
    pub(crate) fn format(&self) -> &CellFormat {
        &self.format
    }

    /// Uses enough digits to distinguish different numbers.
    fn with(format: CellFormat, numbers: &[f64]) -> Self {
        let mut distinct = numbers.to_vec();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup_by_key(|number| number.to_bits());
        let mut digits = DIGITS.start;
        for more in DIGITS {
            let mut texts: Vec<String> = Vec::new();
            for number in &distinct {
                texts.push(significant(*number, more));
            }
            texts.dedup();
            if texts.len() == distinct.len() {
                digits = more;
                break;
            }
        }
        Self { format, digits }
    }

    /// Formats a number with its unit.
    pub(crate) fn full(&self, number: f64) -> String {
        Value::new(number).map_or_else(|| UNMEASURED.to_owned(), |value| self.value(value))
    }

    /// Formats a value with its unit.
    pub(crate) fn value(&self, value: Value) -> String {
        let text = match &self.format {
            CellFormat::Scaled(scale) if scale.decimals > 0 => {
                significant(value.as_f64() / scale.divisor, self.digits) + &scale.unit()
            }
            format => format.plain(value),
        };
        unbroken(&text)
    }

    /// Formats a number without its unit, for a place next to another number with the unit.
    pub(crate) fn bare(&self, number: f64) -> String {
        self.without_unit(&self.full(number))
    }

    fn without_unit(&self, full: &str) -> String {
        let unit = unbroken(&self.format.unit());
        full.strip_suffix(&unit).unwrap_or(full).to_owned()
    }

    /// Formats two numbers as `12.1 → 16.0 ms`.
    pub(crate) fn arrow(&self, from: f64, to: f64) -> String {
        format!("{} → {}", self.bare(from), self.full(to))
    }

    /// Like [`Self::arrow`], for values: counts keep all digits.
    pub(crate) fn arrow_of(&self, from: Value, to: Value) -> String {
        format!(
            "{} → {}",
            self.without_unit(&self.value(from)),
            self.value(to)
        )
    }
}

/// Chooses the format for these values: the unit of the largest value, unless the smallest would be unreadable in it.
fn format(metric: &Metric, values: &[Value]) -> CellFormat {
    let of_all = CellFormat::of(metric, values);
    let mut smallest = f64::INFINITY;
    let mut largest = None;
    let mut largest_size = 0.0;
    for value in values {
        let size = value.as_f64().abs();
        if size > 0.0 {
            smallest = size.min(smallest);
        }
        if size > largest_size {
            (largest, largest_size) = (Some(*value), size);
        }
    }
    let CellFormat::Scaled(scale @ Scale { decimals: 1.., .. }) = &of_all else {
        // Whole numbers are shown in full.
        return of_all;
    };
    match largest.map(|largest| CellFormat::of(metric, &[largest])) {
        Some(CellFormat::Scaled(coarse)) if smallest > largest_size / 1000.0 => {
            CellFormat::Scaled(Scale {
                decimals: scale.decimals,
                ..coarse
            })
        }
        _ => of_all,
    }
}

/// Replaces spaces by no-break spaces.
fn unbroken(text: &str) -> String {
    text.replace(' ', "\u{a0}")
}
