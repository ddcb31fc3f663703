//! Numbers as decimal text, rounded exactly.
//!
//! A number that people compare by eye must not depend on how a formatter breaks ties. Here, the exact binary
//! fraction is rounded, and exact ties go away from zero: `0.125` becomes `0.13`, but `1.005`, whose float is
//! slightly smaller, becomes `1.00`.

use crate::row::Value;

/// The text for infinity and NaN.
pub const NOT_A_NUMBER: &str = "n/a";

/// The most decimal places of a 64-bit float; every place after them is zero.
pub const MAX_DECIMALS: usize = 1074;

/// `value` in plain decimal with exactly `decimals` places (at most 1074), exact ties away from zero.
///
/// A result of zero carries no minus sign; an infinity or NaN is [`NOT_A_NUMBER`].
pub fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return NOT_A_NUMBER.to_owned();
    }
    let decimals = decimals.min(MAX_DECIMALS);
    scaled(value, decimals).map_or_else(
        || fixed_by_text(value, decimals),
        |(whole, _)| digits(whole, decimals),
    )
}

/// Formats any finite number, without the fast path of `scaled`.
fn fixed_by_text(value: f64, decimals: usize) -> String {
    let mut text = format!("{value:.decimals$}");
    // With one more place, a tie is exact. `format!` breaks it to an even last digit; if that was towards zero, the
    // digit is raised by one.
    if is_tie(value, decimals) && format!("{value:.0$}", decimals + 1).starts_with(&text) {
        let last = text.pop().map_or('1', |even| char::from(even as u8 + 1));
        text.push(last);
    }
    if text.starts_with('-') && is_zero(&text) {
        text.remove(0);
    }
    text
}

/// Rounds `value` to `decimals` places, exact ties away from zero: the number that [`fixed`] writes. Infinity and NaN
/// stay as they are.
///
/// ```
/// # use perf_model::decimal::nearest;
/// assert_eq!((nearest(29.122_581, 4), nearest(0.125, 2)), (29.1226, 0.13));
/// ```
pub fn nearest(value: f64, decimals: usize) -> f64 {
    match scaled(value, decimals) {
        // The quotient of two exact numbers is the nearest float. Adding 0.0 turns −0.0 into 0.0.
        Some((whole, power)) => whole / power + 0.0,
        None => fixed(value, decimals).parse().unwrap_or(value),
    }
}

/// `value` scaled by a power of ten and rounded to an integer, and that power; both exact. `None` if the product's
/// rounding error could move it across a tie.
fn scaled(value: f64, decimals: usize) -> Option<(f64, f64)> {
    /// The powers of ten up to 10^15, all exact as floats.
    const POWERS: [f64; 16] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ];
    let power = *POWERS.get(decimals)?;
    let scaled = value * power;
    // Without SSE 4.1, `fract` and `round` are library calls.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it saturates, and large numbers are rejected below"
    )]
    let whole = Value::Int(scaled as i64).as_f64();
    let rest = (scaled - whole).abs();
    // The product is off by at most half a unit in its last place.
    let is_clear = (rest - 0.5).abs() > scaled.abs() * f64::EPSILON;
    let away = if rest > 0.5 {
        1_f64.copysign(scaled)
    } else {
        0.0
    };
    (is_clear && scaled.abs() < 2_f64.powi(52)).then_some((whole + away, power))
}

/// Formats a scaled integer with `decimals` places.
fn digits(whole: f64, decimals: usize) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, and below 2^52"
    )]
    let mut left = whole.abs() as u64;
    // Sixteen digits (there are at most 15 decimal places), a point and a sign.
    let mut text = [0; 18];
    let mut start = text.len();
    let mut push = |byte: u8| {
        start -= 1;
        text[start] = byte;
    };
    let mut places = 0;
    while left > 0 || places <= decimals {
        if places == decimals && decimals > 0 {
            push(b'.');
        }
        push(b'0' + (left % 10) as u8);
        left /= 10;
        places += 1;
    }
    if whole < 0.0 {
        push(b'-');
    }
    String::from_utf8_lossy(&text[start..]).into_owned()
}

/// Rounds `value` to this many significant digits, exact ties to even, like `format!("{value:.3e}")`.
///
/// ```
/// # use perf_model::decimal::nearest_of;
/// assert_eq!((nearest_of(29.122_581, 4), nearest_of(-0.000_199_96, 4)), (29.12, -0.0002));
/// ```
pub fn nearest_of(value: f64, digits: usize) -> f64 {
    let after_first = digits.clamp(1, MAX_DECIMALS) - 1;
    let slowly = || format!("{value:.after_first$e}").parse().unwrap_or(value);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "of a float, so within ±324; it saturates for zero"
    )]
    let exponent = value.abs().log10().floor() as isize;
    let Some(scaled) = after_first
        .checked_add_signed(exponent.saturating_neg())
        .and_then(|decimals| scaled(value, decimals))
    else {
        return slowly();
    };
    // Close to a power of ten, the logarithm may be rounded to the wrong side.
    let (whole, power) = scaled;
    let all_digits =
        i32::try_from(after_first).map(|places| 10_f64.powi(places)..=10_f64.powi(places + 1));
    if all_digits.is_ok_and(|all| all.contains(&whole.abs())) {
        whole / power
    } else {
        slowly()
    }
}

/// The decimal exponent of `value` after rounding to `after_first` places after its first digit: 9.996 becomes
/// 1.00e1.
pub fn exponent(value: f64, after_first: usize) -> Option<isize> {
    /// Farther than this from a rounding boundary, the logarithm is exact enough.
    const CLEAR: f64 = 1e-9;
    let logarithm = value.abs().log10();
    let places = i32::try_from(after_first).ok()?;
    // The logarithm of the mantissa at which rounding carries: with two places, 9.995 becomes 10.0.
    let carried = (1.0 - 0.5 * 10_f64.powi(-places - 1)).log10();
    let beyond = logarithm - logarithm.floor() - 1.0 - carried;
    if logarithm.is_finite()
        && beyond.abs() > CLEAR
        && (logarithm - logarithm.round()).abs() > CLEAR
    {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "of a float, so within ±324"
        )]
        return Some(logarithm.floor() as isize + isize::from(beyond > 0.0));
    }
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

/// Whether a relative change exceeds a limit when both are read as decimals: from 1 to 1.02 is exactly 2%, although
/// the float is slightly larger.
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

/// A value rounded as the baseline stores it. Round a new value like this before comparing it with a baseline:
/// otherwise the digits that the baseline lost look like a change.
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

/// Rounds to `decimals` places, or more if needed for two significant digits: 0.0004 ms must not become zero. Reading
/// the text and writing it again gives the same text. A number that would round to −1, which marks an unmeasured
/// value, keeps its digits.
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
        // Not as a float, so a count above 2^53 keeps its last digits.
        Value::Int(whole) if decimals > 0 => format!("{whole}.{:0<decimals$}", ""),
        Value::Int(whole) => whole.to_string(),
        Value::Real(number) => fixed(number, decimals),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn significant_digits_match_the_formatted_text(bits: u64, short in -99_999_999i64..99_999_999, shift in 0i32..12, digits in 1usize..16) {
            let short = Value::decimal(short, -shift).unwrap().as_f64();
            let (tie, power) = ((short * 8.0).round() / 16.0, 10_f64.powi(shift - 6));
            let below = f64::from_bits(power.to_bits() - 1);
            for number in [f64::from_bits(bits), short, -short, tie, power, below, 0.0, -0.0] {
                let after_first = digits - 1;
                let text = format!("{number:.after_first$e}");
                let expected: f64 = text.parse().unwrap();
                let nearest = nearest_of(number, digits);
                prop_assert!(nearest.to_bits() == expected.to_bits() || number.is_nan(), "{} {}", number, text);
            }
        }
    }

    proptest! {
        #[test]
        fn exponent_matches_the_rounded_text(bits: u64, nines in 0usize..8, shift in -12i32..12, places in 0usize..9) {
            let near = format!("{}5e{shift}", "9".repeat(nines)).parse::<f64>().unwrap();
            let next = f64::from_bits(near.to_bits() - 1);
            for number in [f64::from_bits(bits), near, next, -near].into_iter().filter(|number| number.is_normal()) {
                let text = format!("{number:.places$e}");
                prop_assert_eq!(exponent(number, places), text.split_once('e').unwrap().1.parse().ok(), "{}", text);
            }
        }

        #[test]
        fn fast_path_matches_the_exact_fraction(bits: u64, short in -99_999_999i64..99_999_999, shift in 0i32..12, decimals in 0usize..25) {
            let short = Value::decimal(short, -shift).unwrap().as_f64();
            // A multiple of 1/16 is often an exact tie.
            let tie = (short * 8.0).round() / 16.0;
            for number in [f64::from_bits(bits), short, tie] {
                let text = if number.is_finite() { fixed_by_text(number, decimals) } else { NOT_A_NUMBER.to_owned() };
                prop_assert_eq!(&fixed(number, decimals), &text, "{}", number);
                let expected = text.parse().unwrap_or(number);
                prop_assert_eq!(nearest(number, decimals).to_bits(), expected.to_bits(), "{} {}", number, text);
            }
        }
    }
}
