//! Units that tools print beside a number, converted without loss: by shifting the decimal point, and for binary
//! prefixes by multiplying the digits.

use super::{shifted, to_nanoseconds};
use perf_model::row::Value;

/// What a number of one unit is in another: a whole factor, and by how many places the decimal point moves.
type Scale = (u128, i32);

/// The prefixes of units, the longer ones first.
const PREFIXES: [(&str, Scale); 11] = [
    ("Ki", (1 << 10, 0)),
    ("Mi", (1 << 20, 0)),
    ("Gi", (1 << 30, 0)),
    ("Ti", (1 << 40, 0)),
    ("K", (1, 3)),
    ("k", (1, 3)),
    ("M", (1, 6)),
    ("G", (1, 9)),
    ("T", (1, 12)),
    ("P", (1, 15)),
    ("", (1, 0)),
];

/// A time in nanoseconds, from a number and its unit.
pub(super) fn nanoseconds(number: &str, unit: &str) -> Option<Value> {
    let scale = match unit {
        "ps" => (1, -3),
        "m" => (60, 9),
        "h" => (3600, 9),
        "d" => (86_400, 9),
        _ => (1, to_nanoseconds(unit)?),
    };
    scaled(number, scale)
}

/// A number of `base` units, from a number and a unit that is `base` with a prefix or none: `1.5`, `KiB` and `B`
/// give 1536.
pub(super) fn quantity(number: &str, unit: &str, base: &str) -> Option<Value> {
    let prefix = unit.strip_suffix(base)?;
    let (_, scale) = PREFIXES.iter().find(|(known, _)| *known == prefix)?;
    scaled(number, *scale)
}

/// A decimal number, which may have commas between its thousands, times the factor, with its point moved.
fn scaled(number: &str, (factor, places): Scale) -> Option<Value> {
    const MOST_DIGITS: usize = 22; // times the largest factor they are a whole number still
    let (mut value, mut digits, mut behind_point) = (0_u128, 0, None);
    for byte in number.bytes().filter(|byte| *byte != b',') {
        match byte {
            b'.' if behind_point.is_none() => behind_point = Some(0),
            b'0'..=b'9' if digits < MOST_DIGITS => {
                value = value * 10 + u128::from(byte - b'0');
                digits += 1;
                behind_point = behind_point.map(|behind| behind + 1);
            }
            _ => return None,
        }
    }
    let (value, places) = (Some(value).filter(|_| digits > 0)? * factor, places - behind_point.unwrap_or(0));
    let short = i64::try_from(value).ok().and_then(|value| Value::decimal(value, places));
    short.or_else(|| shifted(&value.to_string(), places))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_digits_in_another_unit() {
        let real = |number| Some(Value::Real(number));
        for (number, unit, expected) in [
            ("1.4", "ms", Some(Value::Int(1_400_000))),
            ("0.4", "ms", Some(Value::Int(400_000))),
            ("13,967,756.30", "ns", real(13_967_756.3)),
            ("320.62", "ps", real(0.32062)),
            ("1.7378", "\u{b5}s", real(1737.8)),
            ("1.7378", "\u{3bc}s", real(1737.8)),
            ("2", "m", Some(Value::Int(120_000_000_000))),
            ("9007199254740993", "ns", Some(Value::Int(9_007_199_254_740_993))),
            ("1.5", "cycles", None),
            ("-1", "ns", None),
            ("", "ns", None),
            (".", "ns", None),
            ("12345678901234567890123", "ns", None),
        ] {
            assert_eq!(nanoseconds(number, unit), expected, "{number} {unit}");
        }
    }

    #[test]
    fn prefixes_are_decimal_or_binary() {
        for (number, unit, base, expected) in [
            ("4.096", "KB", "B", Some(Value::Int(4096))),
            ("1.5", "KiB", "B", Some(Value::Int(1536))),
            ("134.90", "GiB/s", "B/s", Some(Value::Real(144_847_772_057.6))),
            ("84.595", "Melem/s", "elem/s", Some(Value::Int(84_595_000))),
            ("3.125", "", "", Some(Value::Real(3.125))),
            ("12", "elem/s", "B/s", None),
            ("12", "QB", "B", None),
        ] {
            assert_eq!(quantity(number, unit, base), expected, "{number} {unit}");
        }
    }
}
