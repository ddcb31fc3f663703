//! Numbers as text: thousands separators, and one unit for a whole column.

mod scale;

pub use perf_model::decimal::fixed;
pub use scale::{Scale, scale_for};

use perf_model::decimal::{MAX_DECIMALS, exponent};
use perf_model::diagnostic::plural;

/// Inserts `,` between the thousands of a decimal number's integer part. Sign and fraction are kept.
///
/// If the integer part contains anything but digits, `digits` is returned unchanged.
pub fn thousands(digits: &str) -> String {
    let start = digits.len() - digits.trim_start_matches(['-', '+']).len();
    let end = digits.find('.').unwrap_or(digits.len());
    let integer = &digits[start..end];
    if !integer.bytes().all(|b| b.is_ascii_digit()) {
        return digits.to_owned();
    }
    let mut out = digits[..start].to_owned();
    for (at, digit) in integer.char_indices() {
        if at > 0 && (integer.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + &digits[end..]
}

/// Formats a count with `,` between the thousands.
pub(crate) fn whole(count: usize) -> String {
    thousands(&count.to_string())
}

/// Formats a count with its noun: `1 launch`, `2,000 launches` or `3 other entries`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{} {}", whole(count), plural(count as u64, noun))
}

/// Formats `value` as a plain decimal number with `digits` significant digits (at least one) and thousands separators.
///
/// Digits before the decimal point are never dropped, so a large number may show more digits: with three digits, `1234.5`
/// becomes `1,235`, `9.996` becomes `10.0` and `0.00012345` becomes `0.000123`. Zero is `0`.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let after_first = digits.clamp(1, MAX_DECIMALS) - 1;
    let exponent = exponent(value, after_first);
    let decimals = after_first.saturating_add_signed(exponent.map_or(0, isize::wrapping_neg));
    thousands(&fixed(value, decimals))
}
