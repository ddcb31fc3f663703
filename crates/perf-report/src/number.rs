//! Numbers as text: thousands separators, and one unit for a whole column.

mod scale;

pub use perf_model::decimal::{NOT_A_NUMBER, fixed};
pub use scale::{Scale, scale_for};

use perf_model::decimal::MAX_DECIMALS;

/// `digits`, a decimal text, with `,` between the thousands of its integer part; sign and fraction are kept.
///
/// A text whose integer part is not all digits comes back unchanged.
pub fn thousands(digits: &str) -> String {
    let unsigned = digits.trim_start_matches(['-', '+']);
    let (sign, rest) = (&digits[..digits.len() - unsigned.len()], unsigned);
    let (integer, fraction) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
    if integer.len() <= 3 {
        return digits.to_owned();
    }
    if !integer.bytes().all(|b| b.is_ascii_digit()) {
        return digits.to_owned();
    }
    let mut out = String::with_capacity(digits.len() + integer.len() / 3);
    out.push_str(sign);
    let (mut group, mut rest) = integer.split_at(integer.len() % 3);
    while !rest.is_empty() {
        out.push_str(group);
        if !group.is_empty() {
            out.push(',');
        }
        (group, rest) = rest.split_at(3);
    }
    out.push_str(group);
    out.push_str(fraction);
    out
}

/// A count with `,` between its thousands.
pub(crate) fn whole(count: usize) -> String {
    thousands(&count.to_string())
}

/// `1 launch`, `2,000 launches`, `3 other entries`.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = match noun.strip_suffix('y') {
        _ if count == 1 => noun.to_owned(),
        Some(stem) => format!("{stem}ies"),
        None if noun.ends_with("ch") => format!("{noun}es"),
        None => format!("{noun}s"),
    };
    format!("{} {plural}", whole(count))
}

/// `value` in plain decimal with `digits` significant digits (at least one), thousands separated.
///
/// Digits before the decimal point are never dropped, so a large number may show more of them:
/// `1234.5` to three digits is `1,235`, `9.996` is `10.0`, `0.00012345` is `0.000123`. Zero is `0`.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let after_first = digits.clamp(1, MAX_DECIMALS) - 1;
    let exponent = exponent(value, after_first);
    let decimals = after_first.saturating_add_signed(exponent.map_or(0, isize::wrapping_neg));
    thousands(&fixed(value, decimals))
}

/// The exponent of a value that is rounded to this many places after its first digit: 9.996 becomes 1.00e1.
fn exponent(value: f64, after_first: usize) -> Option<isize> {
    /// Farther from where it rounds up than this share, floats are exact enough.
    const CLEAR: f64 = 1e-9;
    let logarithm = value.abs().log10();
    let places = i32::try_from(after_first).ok()?;
    // From 9.995 on, three digits are those of 10.0.
    let carried = (1.0 - 0.5 * 10_f64.powi(-places - 1)).log10();
    let beyond = logarithm - logarithm.floor() - 1.0 - carried;
    if logarithm.is_finite() && beyond.abs() > CLEAR && (logarithm - logarithm.round()).abs() > CLEAR {
        #[expect(clippy::cast_possible_truncation, reason = "of a float, so within ±324")]
        return Some(logarithm.floor() as isize + isize::from(beyond > 0.0));
    }
    format!("{value:.after_first$e}").split_once('e').and_then(|(_, exponent)| exponent.parse().ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn exponent_is_that_of_the_rounded_text(bits: u64, nines in 0usize..8, shift in -12i32..12, places in 0usize..9) {
            let near = format!("{}5e{shift}", "9".repeat(nines)).parse::<f64>().unwrap();
            let next = f64::from_bits(near.to_bits() - 1);
            for number in [f64::from_bits(bits), near, next, -near].into_iter().filter(|number| number.is_normal()) {
                let text = format!("{number:.places$e}");
                prop_assert_eq!(exponent(number, places), text.split_once('e').unwrap().1.parse().ok(), "{}", text);
            }
        }
    }
}
