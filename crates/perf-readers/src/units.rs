//! Converts numbers with units, as tools print them, without loss. Conversions move the decimal point, and binary
//! prefixes multiply the digits.

use perf_model::row::Value;

/// The conversion to another unit: an integer factor, and the number of places by which the decimal point moves.
type Scale = (u128, i32);

/// The prefixes of units, longer ones first.
const PREFIXES: [(&str, Scale); 12] = [
    ("Ki", (1 << 10, 0)),
    ("Mi", (1 << 20, 0)),
    ("Gi", (1 << 30, 0)),
    ("Ti", (1 << 40, 0)),
    ("Pi", (1 << 50, 0)),
    ("K", (1, 3)),
    ("k", (1, 3)),
    ("M", (1, 6)),
    ("G", (1, 9)),
    ("T", (1, 12)),
    ("P", (1, 15)),
    ("", (1, 0)),
];

/// Converts a number and its unit of time to nanoseconds.
pub(crate) fn nanoseconds(number: &str, unit: &str) -> Option<Value> {
    let scale = match unit {
        "ps" => (1, -3),
        "m" => (60, 9),
        "h" => (3600, 9),
        "d" => (86_400, 9),
        _ => (1, to_nanoseconds(unit)?),
    };
    scaled(number, scale)
}

/// Returns the symbol for a unit of time that is written out: `ms` for `msec`.
pub(crate) fn time_symbol(unit: &str) -> &str {
    match unit {
        "nsec" | "nsecs" | "nanoseconds" => "ns",
        "usec" | "usecs" | "microseconds" | "µs" | "μs" => "us",
        "msec" | "msecs" | "milliseconds" => "ms",
        "sec" | "secs" | "second" | "seconds" => "s",
        "min" | "minutes" => "m",
        other => other,
    }
}

pub(crate) fn percentage_of(value: Value, percent: Value) -> Option<Value> {
    Value::new(value.as_f64() * percent.as_f64() / 100.0)
}

/// Converts `1:02:03` and `0:01.53` to seconds.
pub(crate) fn clock(text: &str) -> Option<Value> {
    let mut parts = text.rsplit(':');
    let seconds = Value::parse(parts.next()?)?;
    let whole = parts
        .zip([60_i64, 3600])
        .try_fold(0_i64, |whole, (part, each)| {
            whole.checked_add(part.parse::<i64>().ok()?.checked_mul(each)?)
        })?;
    match seconds {
        Value::Int(seconds) => seconds.checked_add(whole).map(Value::Int),
        Value::Real(_) if whole == 0 => Some(seconds),
        // Clocks show two digits after the point.
        Value::Real(seconds) => Value::parse(&format!(
            "{:.2}",
            seconds + f64::from(i32::try_from(whole).ok()?)
        )),
    }
}

/// Converts a number to `base` units. The number's unit is `base` with an optional prefix: `1.5`, `KiB` and `B` give
/// 1536.
pub(crate) fn quantity(number: &str, unit: &str, base: &str) -> Option<Value> {
    let prefix = unit.strip_suffix(base)?;
    let (_, scale) = PREFIXES.iter().find(|(known, _)| *known == prefix)?;
    scaled(number, *scale)
}

/// Converts a size to bytes. Its unit is a power of 1024, as many tools print it: `1.5` and `KB` give 1536.
pub(crate) fn binary_bytes(number: &str, unit: &str) -> Option<Value> {
    if unit == "B" {
        quantity(number, unit, "B")
    } else {
        quantity(number, &unit.replace('B', "iB"), "B")
    }
}

/// Multiplies a decimal number by the factor and moves its decimal point. The number may contain thousands separators.
fn scaled(number: &str, (factor, places): Scale) -> Option<Value> {
    const MOST_DIGITS: usize = 22; // multiplied by the largest factor, they still fit into a `u128`
    if !has_thousands(number) {
        return None;
    }
    let (mut value, mut digits, mut behind_point) = (0_u128, 0, None);
    for byte in number.bytes().filter(|byte| *byte != b',') {
        match byte {
            b'\'' if digits > 0 => {}
            b'.' if behind_point.is_none() => behind_point = Some(0),
            b'0'..=b'9' if digits < MOST_DIGITS => {
                value = value * 10 + u128::from(byte - b'0');
                digits += 1;
                behind_point = behind_point.map(|behind| behind + 1);
            }
            _ => return None,
        }
    }
    let (value, places) = (
        Some(value).filter(|_| digits > 0)? * factor,
        places - behind_point.unwrap_or(0),
    );
    shifted(&value.to_string(), places)
}

/// Parses a number as people write it, with commas, spaces or apostrophes between the thousands.
pub(crate) fn grouped(text: &str) -> Option<Value> {
    const MARKS: [char; 5] = [',', ' ', '\'', '\u{a0}', '\u{202f}'];
    if text.contains(MARKS) {
        return Value::parse(&text.replace(MARKS, "")).filter(|_| has_thousands(text));
    }
    Value::parse(text)
}

/// Whether all of these numbers certainly have decimal points. Some tools print numbers in the system's locale.
///
/// `1,129` may be 1129 or 1.129, unless another number shows the meaning of the comma. `1.129` is trusted unless
/// another cell in the document contains a decimal comma, because nearly all tools print points in every locale.
pub(crate) fn have_decimal_points<'t>(
    numbers: impl Iterator<Item = &'t str>,
    mut other_cells: impl Iterator<Item = &'t str>,
) -> bool {
    let (mut is_certain, mut has_either_comma, mut has_either_point) = (false, false, false);
    for number in numbers {
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let mut groups = whole.trim_start_matches('-').split(',');
        let first = groups.next().unwrap_or_default();
        let groups: Vec<&str> = groups.collect();
        let are_thousands = groups.is_empty() || (first != "0" && first.len() <= 3);
        let is_group = |group: &&str| group.len() == 3;
        if fraction.contains(['.', ',']) || !are_thousands || !groups.iter().all(is_group) {
            return false;
        }
        match (groups.len(), fraction.len()) {
            (0, 0) => {}
            (0, 3) if first != "0" => has_either_point = true,
            (1, 0) => has_either_comma = true,
            _ => is_certain = true,
        }
    }
    is_certain || !(has_either_comma || (has_either_point && other_cells.any(has_comma_last)))
}

/// Whether the last separator of a number is a comma.
fn has_comma_last(cell: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || ['.', ','].contains(&c);
    let is_number = cell.starts_with(|c: char| c.is_ascii_digit()) && cell.chars().all(is_part);
    let last = cell.rfind(['.', ',']);
    is_number && last.is_some_and(|at| cell[at..].starts_with(',') && at + 1 < cell.len())
}

/// Whether all apostrophes in a number are thousands separators. An apostrophe can also mean minutes.
fn has_thousands(number: &str) -> bool {
    let mut parts = number.split('\'');
    let first = parts.next().unwrap_or_default();
    let digits = |part: &str| part.bytes().take_while(u8::is_ascii_digit).count();
    let mut parts = parts.peekable();
    parts.peek().is_none()
        || (first.ends_with(|c: char| c.is_ascii_digit()) && parts.all(|part| digits(part) == 3))
}

/// Converts a number to a unit `10^places` times finer. Its digits stay and only the exponent changes, so 1.4 ms are
/// exactly 1400000 ns.
pub(crate) fn shifted(number: &str, places: i32) -> Option<Value> {
    if places == 0 {
        return Value::parse(number);
    }
    let (digits, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let exponent: i32 = exponent.parse().ok()?;
    Value::parse(&format!("{digits}e{}", exponent.checked_add(places)?))
}

/// Returns the number of places by which the decimal point moves to convert this unit of time to nanoseconds.
pub(crate) fn to_nanoseconds(unit: &str) -> Option<i32> {
    match unit {
        "ns" => Some(0),
        "us" | "µs" | "μs" => Some(3),
        "ms" => Some(6),
        "s" => Some(9),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversion_keeps_digits() {
        let real = |number| Some(Value::Real(number));
        for (number, unit, expected) in [
            ("1.4", "ms", Some(Value::Int(1_400_000))),
            ("0.4", "ms", Some(Value::Int(400_000))),
            ("13,967,756.30", "ns", real(13_967_756.3)),
            ("13'967", "ns", Some(Value::Int(13_967))),
            ("'13", "ns", None),
            ("320.62", "ps", real(0.32062)),
            ("1.7378", "\u{b5}s", real(1737.8)),
            ("1.7378", "\u{3bc}s", real(1737.8)),
            ("2", "m", Some(Value::Int(120_000_000_000))),
            (
                "9007199254740993",
                "ns",
                Some(Value::Int(9_007_199_254_740_993)),
            ),
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
            (
                "134.90",
                "GiB/s",
                "B/s",
                Some(Value::Real(144_847_772_057.6)),
            ),
            ("84.595", "Melem/s", "elem/s", Some(Value::Int(84_595_000))),
            ("3.125", "", "", Some(Value::Real(3.125))),
            ("12", "elem/s", "B/s", None),
            ("12", "QB", "B", None),
        ] {
            assert_eq!(quantity(number, unit, base), expected, "{number} {unit}");
        }
    }

    #[test]
    fn decimal_commas_are_never_read_as_points() {
        for (numbers, expected) in [
            ("900,3 4,62 1.129", false),
            ("1.129 7.513", true),
            ("99.260,6", false),
            ("1.234.567", false),
            ("0,123", false),
            ("900.3 1,129", true),
            ("1,234,567", true),
            ("7.513 42", true),
            ("42", true),
            ("1,129", false),
            ("1,129 7.513", false),
            ("900,3 900.3", false),
            ("1.2,3.4", false),
        ] {
            let found = have_decimal_points(numbers.split(' '), std::iter::empty());
            assert_eq!(found, expected, "{numbers}");
        }
        for (numbers, other, expected) in [
            ("1.129", "1,00", false),
            ("1.129", "1.00", true),
            ("1.129", "f(1,2)", true),
            ("1.12", "1,00", true),
        ] {
            let found = have_decimal_points(numbers.split(' '), other.split(' '));
            assert_eq!(found, expected, "{numbers} with {other}");
        }
    }

    #[test]
    fn shift_keeps_digits() {
        let in_nanoseconds =
            |number, unit| shifted(number, to_nanoseconds(unit)?).map(|value| value.to_string());
        assert_eq!(in_nanoseconds("0.4", "ms").as_deref(), Some("400000"));
        assert_eq!(in_nanoseconds("1.1", "us").as_deref(), Some("1100"));
        assert_eq!(
            in_nanoseconds("4.6000000000000488E-05", "ms").as_deref(),
            Some("46.00000000000049")
        );
        assert_eq!(shifted("2768895", -6), Some(Value::Real(2.768_895)));
        assert_eq!(shifted("1e2147483647", 9), None);
        assert_eq!(
            shifted("1e999", -990)
                .map(|value| value.to_string())
                .as_deref(),
            Some("1000000000")
        );
        assert_eq!(
            (shifted("", 1), shifted("1.2.3", 1), shifted("ns", 1)),
            (None, None, None)
        );
    }
}
