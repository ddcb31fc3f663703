//! The row: one measurement as it was printed, and the numbers in it.
//!
//! A *row* names what was measured (its scenario), where (its platform), of which commit, and which run of
//! several it was; it carries any number of *metrics*. A metric that was not measured is absent, never zero.

use std::sync::Arc;

/// Text that many rows share: platforms, commits and metric names are stored once.
pub type Name = Arc<str>;

/// The run index of a row that summarises several runs, or of one that was run once.
pub const AGGREGATE: i64 = -1;

/// How many metrics a run has at most besides those of the layouts, so that looking one up stays cheap whatever
/// the input.
pub const MOST_METRICS: usize = 256;

/// How many bytes a text of a row has at most, so that every row of a baseline fits into a line.
pub const LONGEST_TEXT: usize = 1024;

/// What a metric's cell holds when it was not measured, on the wire only.
pub const UNMEASURED: i64 = -1;

/// One measurement as printed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// What was measured: a stable machine key, never a label for people.
    pub scenario: Name,
    /// Where it ran, as the benchmark described it; empty when it said nothing.
    pub platform: Name,
    /// The measured commit; empty when the benchmark said nothing.
    pub commit: Name,
    /// Which run of several: rows that differ in nothing else are samples of one measurement, and
    /// [`AGGREGATE`] marks the one that stands for all of them.
    pub run_index: i64,
    /// Whether it was measured at all.
    pub outcome: Outcome,
    /// The kind of machine that measured, so that times from different ones are not compared.
    pub machine_class: Option<Name>,
    /// How it was measured, in the project's own words, so that numbers of different making are not compared.
    pub methodology: Option<Name>,
    /// When it was measured, in seconds since 1970 in UTC. Samples of one measurement may differ in it.
    pub measured_at: Option<i64>,
    /// The measured numbers, in the order in which they were printed.
    pub metrics: Metrics,
}

/// What became of a measurement. A row that did not measure says so, rather than zero or nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// It was taken.
    #[default]
    Measured,
    /// The benchmark says that it was left out.
    Skipped,
    /// It ended in an error.
    Failed,
}

impl Outcome {
    /// The word on the wire and in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }

    /// Reads the word; nothing stands for a measurement.
    pub fn parse(word: &str) -> Option<Self> {
        let known = [Self::Measured, Self::Skipped, Self::Failed];
        known
            .into_iter()
            .find(|outcome| outcome.word() == word || (word.is_empty() && *outcome == Self::Measured))
    }
}

/// The numbers of one row, by metric name, in the order in which they were printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Metrics(Vec<(Name, Value)>);

impl Metrics {
    /// The value of `metric`, or `None` when it was not measured.
    pub fn get(&self, metric: &str) -> Option<Value> {
        self.0.iter().find(|(name, _)| &**name == metric).map(|(_, value)| *value)
    }

    /// Adds a measured value; a name that is there already keeps its first value and gives `false`.
    pub fn insert(&mut self, metric: Name, value: Value) -> bool {
        let absent = self.get(&metric).is_none();
        if absent {
            self.0.push((metric, value));
        }
        absent
    }

    /// The numbers of names of which no two are the same.
    pub(crate) fn of_distinct(measured: Vec<(Name, Value)>) -> Self {
        Self(measured)
    }

    /// Names and values, in the order in which they were printed.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, Value)> {
        self.0.iter().map(|(name, value)| (name, *value))
    }

    /// Whether nothing was measured.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(Name, Value)> for Metrics {
    fn from_iter<I: IntoIterator<Item = (Name, Value)>>(pairs: I) -> Self {
        let mut metrics = Self::default();
        for (name, value) in pairs {
            metrics.insert(name, value);
        }
        metrics
    }
}

/// A finite measured number. Whole numbers are kept exactly, so that a count is a count; the two kinds never
/// hold the same number, so equality is equality of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// A number with a fraction, or one too large for the other kind.
    Real(f64),
}

impl Value {
    /// The value of a finite `number`, or `None` for infinities and NaN.
    pub fn new(number: f64) -> Option<Self> {
        const BEYOND: f64 = 9_223_372_036_854_775_808.0; // 2^63
        if !number.is_finite() {
            return None;
        }
        if number.fract() == 0.0 && number.abs() < BEYOND {
            #[expect(clippy::cast_possible_truncation, reason = "whole and within the range")]
            return Some(Self::Int(number as i64));
        }
        Some(Self::Real(number))
    }

    /// Reads a plain decimal number: an optional sign, digits, a fraction, an exponent. No spaces, no
    /// thousands separators, no `NaN` or `inf`; a number beyond the range of a float is none either.
    ///
    /// ```
    /// # use perf_rows::row::Value;
    /// assert_eq!(Value::parse("5000.0"), Some(Value::Int(5000)));
    /// assert_eq!(Value::parse("1,234"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let first = *text.trim_start_matches(['-', '+']).as_bytes().first()?;
        if !(first.is_ascii_digit() || first == b'.') {
            return None; // what `f64` would read as infinity or NaN
        }
        // `5.000` is read as a whole number too, so that a large one keeps its last digits.
        let is_zero = |(_, fraction): &(&str, &str)| fraction.bytes().all(|digit| digit == b'0');
        let whole = text.split_once('.').filter(is_zero).map_or(text, |(whole, _)| whole);
        match whole.parse::<i64>() {
            Ok(whole) => Some(Self::Int(whole)),
            Err(_) => Self::new(text.parse().ok()?),
        }
    }

    /// The number as a float; exact up to 2^53.
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts above 2^53 are compared as whole numbers elsewhere"
    )]
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Int(whole) => whole as f64,
            Self::Real(real) => real,
        }
    }

    /// Whether this stands for "not measured" on the wire.
    pub fn is_unmeasured(self) -> bool {
        self == Self::Int(UNMEASURED)
    }
}

impl Eq for Value {}

impl std::hash::Hash for Value {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        match self {
            Self::Int(whole) => whole.hash(state),
            Self::Real(real) => real.to_bits().hash(state),
        }
    }
}

impl std::fmt::Display for Value {
    /// The shortest text that reads back as the same number.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(whole) => whole.fmt(f),
            Self::Real(real) if (1e-7..1e21).contains(&real.abs()) => real.fmt(f),
            Self::Real(real) => write!(f, "{real:e}"),
        }
    }
}

/// Stores each distinct text once.
#[derive(Debug, Default)]
pub struct Interner {
    last: Option<Name>,
    seen: std::collections::HashSet<Name>,
}

impl Interner {
    /// The shared copy of `text`. Runs of the same text, as logs have them, cost one comparison.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(last) = self.last.as_ref().filter(|last| &***last == text) {
            return Arc::clone(last);
        }
        let name = self.seen.get(text).cloned().unwrap_or_else(|| {
            let name = Name::from(text);
            self.seen.insert(Arc::clone(&name));
            name
        });
        self.last = Some(Arc::clone(&name));
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn whole_numbers_are_whole_however_they_are_written() {
        for text in ["5000", "5000.0", "5e3", "+5000", "5000.000"] {
            assert_eq!(Value::parse(text), Some(Value::Int(5000)), "{text}");
        }
        for text in ["9007199254740993", "9007199254740993.000"] {
            assert_eq!(Value::parse(text), Some(Value::Int(9_007_199_254_740_993)), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "-", "NaN", "inf", "-infinity", "1e999", "1,5", "0x10", " 1", "1 ", "1_000", "--1"] {
            assert_eq!(Value::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_first_value_of_a_metric_stays() {
        let mut metrics = Metrics::default();
        assert!(metrics.insert("a".into(), Value::Int(1)));
        assert!(!metrics.insert("a".into(), Value::Int(2)));
        assert_eq!(metrics.get("a"), Some(Value::Int(1)));
    }

    proptest! {
        #[test]
        fn a_written_number_reads_back_as_itself(bits: u64) {
            let number = f64::from_bits(bits);
            prop_assume!(number.is_finite());
            let value = Value::new(number).unwrap();
            prop_assert_eq!(Value::parse(&value.to_string()), Some(value));
        }
    }
}
