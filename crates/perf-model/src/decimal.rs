//! Numbers as decimal text, rounded exactly.
//!
//! A number that people compare by eye must not depend on how a formatter breaks ties. Here, the exact binary
//! fraction is rounded, and exact ties go away from zero: `0.125` becomes `0.13`, but `1.005`, whose float is
//! slightly smaller, becomes `1.00`.

use crate::row::Value;

/// The text for infinity and NaN.
pub const NOT_A_NUMBER: &str = "n/a";

/// The maximum number of decimal places of a 64-bit float. All further places are zero.
pub const MAX_DECIMALS: usize = 1074;

/// Formats `value` in plain decimal with exactly `decimals` places (at most 1074). Exact ties are rounded away from zero.
///
/// Zero has no minus sign. Infinity and NaN become [`NOT_A_NUMBER`].
pub fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return NOT_A_NUMBER.to_owned();
    }
    let decimals = decimals.min(MAX_DECIMALS);
    let mut text = format!("{value:.decimals$}");
    // One more place shows a tie exactly. `format!` rounds a tie to an even last digit. If that was towards zero, raise the
    // digit by one.
    if is_tie(value, decimals) && format!("{value:.0$}", decimals + 1).starts_with(&text) {
        let last = text.pop().map_or('1', |even| char::from(even as u8 + 1));
        text.push(last);
    }
    if text.starts_with('-') && is_zero(&text) {
        text.remove(0);
    }
    text
}

/// Rounds `value` to `decimals` places, exact ties away from zero. The result is the number that [`fixed`] writes. Infinity
/// and NaN do not change.
///
/// ```
/// # use perf_model::decimal::nearest;
/// assert_eq!((nearest(29.122_581, 4), nearest(0.125, 2)), (29.1226, 0.13));
/// ```
pub fn nearest(value: f64, decimals: usize) -> f64 {
    fixed(value, decimals).parse().unwrap_or(value)
}

/// Rounds `value` to this many significant digits, exact ties to even, like `format!("{value:.3e}")`.
///
/// ```
/// # use perf_model::decimal::nearest_of;
/// assert_eq!((nearest_of(29.122_581, 4), nearest_of(-0.000_199_96, 4)), (29.12, -0.0002));
/// ```
pub fn nearest_of(value: f64, digits: usize) -> f64 {
    let after_first = digits.clamp(1, MAX_DECIMALS) - 1;
    format!("{value:.after_first$e}").parse().unwrap_or(value)
}

/// The decimal exponent of `value` after rounding to `after_first` places after its first digit: 9.996 becomes
/// 1.00e1.
pub fn exponent(value: f64, after_first: usize) -> Option<isize> {
    format!("{value:.after_first$e}")
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse().ok())
}

/// Whether `value` lies exactly halfway between two numbers with `decimals` places.
///
/// Such a value times `2 * 10^decimals` is an odd integer. Powers of five are odd, so this is true if and only if the
/// lowest set bit of `value` is worth `2^-(decimals + 1)`.
fn is_tie(value: f64, decimals: usize) -> bool {
    let bits = value.to_bits();
    let exponent = i64::from(((bits >> 52) & 0x7ff) as u16);
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, shift) = if exponent == 0 {
        (fraction, -1074)
    } else {
        (fraction | 1 << 52, exponent - 1075)
    };
    let Ok(wanted) = i64::try_from(decimals + 1) else {
        return false;
    };
    mantissa != 0 && i64::from(mantissa.trailing_zeros()) + shift == -wanted
}

/// Whether a decimal text contains no digit other than zero.
pub fn is_zero(text: &str) -> bool {
    !text.bytes().any(|b| matches!(b, b'1'..=b'9'))
}

/// Whether a relative change exceeds a limit by more than rounding errors: a change from 1 to 1.02 is exactly 2%,
/// although its float is slightly larger.
///
/// ```
/// # use perf_model::decimal::exceeds;
/// assert!((1.02_f64 - 1.0) / 1.0 > 0.02 && !exceeds((1.02 - 1.0) / 1.0, 0.02));
/// // One unit in the twelfth digit is a real difference.
/// assert!(exceeds((182_201_439.403 - 122_074_964.4) / 182_201_439.403, 0.33));
/// ```
pub fn exceeds(share: f64, limit: f64) -> bool {
    // Rounding moves the quotient of two decimals by less than two epsilons, and a quotient of means by one more.
    const ROUNDING: f64 = 16.0 * f64::EPSILON;
    share - limit > ROUNDING * limit.abs().max(1.0)
}

/// Rounds a value as the baseline stores it. Round a new value like this before comparing it with a baseline.
/// Otherwise, the digits that the baseline lost look like a change.
pub fn stored(value: Value, decimals: Option<u8>) -> Value {
    let (Value::Real(real), Some(decimals)) = (value, decimals) else {
        return value;
    };
    let scale = 10f64.powi(i32::from(decimals));
    if Value::new((real * scale).round() / scale) == Some(value) {
        return value; // it has no more digits than the baseline stores
    }
    Value::parse(&rounded(value, usize::from(decimals))).unwrap_or(value)
}

/// Rounds to `decimals` places, or to more places if two significant digits need them: 0.0004 ms must not become zero.
/// Reading the text and writing it again gives the same text. A number that would be rounded to −1, which marks an
/// unmeasured value, keeps its digits.
pub fn rounded(value: Value, decimals: usize) -> String {
    let text = with_decimals(value, decimals);
    let is_lost = text.starts_with("-1") && Value::parse(&text).is_some_and(Value::is_unmeasured);
    if is_lost && !value.is_unmeasured() {
        value.to_string()
    } else {
        text
    }
}

fn with_decimals(value: Value, decimals: usize) -> String {
    let number = value.as_f64();
    if let Value::Real(number) = value
        && number.abs() >= 1.0
        && decimals > 0
    {
        return fixed(number, decimals); // two significant digits need at most one decimal
    }
    // The exponent after rounding to two digits: 0.00999 becomes 1.0e-2, so like 0.01 it needs three places.
    let exponent = exponent(number, 1).filter(|_| number != 0.0);
    let needed = exponent.map_or(0, |exponent| 1usize.saturating_add_signed(-exponent));
    let decimals = decimals.max(needed);
    match value {
        // Don't convert to a float, because a count above 2^53 would lose its last digits.
        Value::Int(whole) if decimals > 0 => format!("{whole}.{:0<decimals$}", ""),
        Value::Int(whole) => whole.to_string(),
        Value::Real(number) => fixed(number, decimals),
    }
}
