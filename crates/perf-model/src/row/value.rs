//! A measured number.

use super::UNMEASURED;

/// A finite measured number. Whole numbers are stored exactly, and always as `Int` if they fit, so two values are
/// equal if and only if their numbers are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Int(i64),
    /// A number with a fraction, or one too large for an `i64`.
    Real(f64),
}

impl Value {
    /// The value of `number`, or `None` for infinity and NaN.
    pub fn new(number: f64) -> Option<Self> {
        const BEYOND: f64 = 9_223_372_036_854_775_808.0; // 2^63
        if !number.is_finite() {
            return None;
        }
        // Without SSE 4.1, `fract` is a library call, so compare with the converted number.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it saturates, and numbers out of range become `Real`"
        )]
        let whole = Self::Int(number as i64);
        if number.abs() < BEYOND && number - whole.as_f64() == 0.0 {
            return Some(whole);
        }
        Some(Self::Real(number))
    }

    /// Parses a plain decimal number: optional sign, digits, fraction, exponent. Spaces, thousands separators, `NaN`,
    /// `inf` and numbers out of a float's range are invalid.
    ///
    /// ```
    /// # use perf_model::row::Value;
    /// assert_eq!(Value::parse("5000.0"), Some(Value::Int(5000)));
    /// assert_eq!(Value::parse("1,234"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let first = *text.trim_start_matches(['-', '+']).as_bytes().first()?;
        if !(first.is_ascii_digit() || first == b'.') {
            return None; // `f64` would parse `inf` and `nan`
        }
        // `5.000` is also parsed as a whole number, so a large one keeps its last digits.
        let is_zero = |(_, fraction): &(&str, &str)| fraction.bytes().all(|digit| digit == b'0');
        let whole = text
            .split_once('.')
            .filter(is_zero)
            .map_or(text, |(whole, _)| whole);
        match whole.parse::<i64>() {
            Ok(whole) => Some(Self::Int(whole)),
            Err(_) => Self::new(text.parse().ok()?).filter(|value| !is_underflow(text, *value)),
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

    /// Whether this value marks "not measured" in files.
    pub fn is_unmeasured(self) -> bool {
        self == Self::Int(UNMEASURED)
    }
}

/// Whether a non-zero literal underflows to 0.0.
fn is_underflow(text: &str, value: Value) -> bool {
    let digits = text.split(['e', 'E']).next().unwrap_or_default();
    value.as_f64() == 0.0 && digits.bytes().any(|byte| matches!(byte, b'1'..=b'9'))
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn whole_numbers_are_parsed_as_integers_in_any_notation() {
        for text in ["5000", "5000.0", "5e3", "+5000", "5000.000"] {
            assert_eq!(Value::parse(text), Some(Value::Int(5000)), "{text}");
        }
        for text in ["9007199254740993", "9007199254740993.000"] {
            assert_eq!(
                Value::parse(text),
                Some(Value::Int(9_007_199_254_740_993)),
                "{text}"
            );
        }
    }

    #[test]
    fn invalid_numbers_are_rejected() {
        for text in [
            "",
            "-",
            "NaN",
            "inf",
            "-infinity",
            "1e999",
            "1,5",
            "0x10",
            " 1",
            "1 ",
            "1_000",
            "--1",
        ] {
            assert_eq!(Value::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn numbers_that_underflow_are_rejected() {
        assert_eq!(
            ["1e-400", "-0.5E-999", "1e400"].map(Value::parse),
            [None; 3]
        );
        assert_eq!(
            ["0e-400", "0.000e5", "-0.0"].map(Value::parse),
            [Some(Value::Int(0)); 3]
        );
        assert!(Value::parse("1e-320").is_some());
    }

    proptest! {
        #[test]
        fn written_number_reads_back_as_itself(bits: u64) {
            let number = f64::from_bits(bits);
            prop_assume!(number.is_finite());
            let value = Value::new(number).unwrap();
            prop_assert_eq!(Value::parse(&value.to_string()), Some(value));
        }
    }
}
