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
        // Without SSE 4.1, `fract` is a library call.
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
        Self::parse_short(text.as_bytes()).or_else(|| Self::parse_any(text))
    }

    /// The fast path of [`Self::parse`] for numbers with few digits and no exponent, which most are.
    fn parse_short(text: &[u8]) -> Option<Self> {
        const MOST_DIGITS: usize = 16; // including the point; more might not fit into a float exactly
        let (sign, text) = text.strip_prefix(b"-").map_or((1, text), |rest| (-1, rest));
        if text.len() > MOST_DIGITS {
            return None;
        }
        let (mut digits, mut point) = (0, None);
        for (at, byte) in text.iter().enumerate() {
            match byte {
                b'0'..=b'9' => digits = digits * 10 + i64::from(byte - b'0'),
                b'.' if point.is_none() => point = Some(at),
                _ => return None,
            }
        }
        let decimals = point.map_or(0, |point| text.len() - point - 1);
        let is_number = text.len() > usize::from(point.is_some());
        Self::decimal(sign * digits, -i32::try_from(decimals).ok()?).filter(|_| is_number)
    }

    /// `digits` times `10^exponent`, if both are exact as floats, so that one operation gives the nearest float.
    pub fn decimal(digits: i64, exponent: i32) -> Option<Self> {
        const EXACT: u64 = 1 << 53;
        const POWERS: [f64; 23] = [
            1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
        ];
        if exponent == 0 {
            return Some(Self::Int(digits));
        }
        let power = POWERS.get(exponent.unsigned_abs() as usize)?;
        let real =
            Self::Int(Some(digits).filter(|digits| digits.unsigned_abs() <= EXACT)?).as_f64();
        match exponent {
            ..0 if digits % 10 != 0 => Some(Self::Real(real / power)), // it has a fraction
            ..0 => Self::new(real / power),
            _ => Self::new(real * power),
        }
    }

    fn parse_any(text: &str) -> Option<Self> {
        let first = *text.trim_start_matches(['-', '+']).as_bytes().first()?;
        if !(first.is_ascii_digit() || first == b'.') {
            return None; // what `f64` would read as infinity or NaN
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
        fn fast_path_parses_the_same_number(text in "-?[0-9]{0,9}[.]?[0-9]{0,9}|[-+.e0-9]{0,8}") {
            prop_assert_eq!(Value::parse(&text), Value::parse_any(&text));
        }

        #[test]
        fn decimal_is_the_number_that_its_text_denotes(digits: i64, few in -99_999_i64..99_999, exponent in -30..30) {
            for digits in [digits, digits % (1 << 54), few] {
                if let Some(value) = Value::decimal(digits, exponent).filter(|_| exponent != 0) {
                    prop_assert_eq!(Some(value), Value::parse_any(&format!("{digits}e{exponent}")));
                }
            }
        }

        #[test]
        fn written_number_reads_back_as_itself(bits: u64) {
            let number = f64::from_bits(bits);
            prop_assume!(number.is_finite());
            let value = Value::new(number).unwrap();
            prop_assert_eq!(Value::parse(&value.to_string()), Some(value));
        }
    }
}
