//! Numbers as people read them: exact rounding, separators, one unit for a column.

use std::cmp::Ordering;

use perf_model::metric::Unit;
use perf_report::number::{Scale, fixed, scale_for, significant, thousands};
use proptest::prelude::*;

const MILLISECONDS: Unit = Unit::Ms;

#[test]
fn exact_ties_go_away_from_zero_and_nothing_else_does() {
    let cases = [
        (0.125, 2, "0.13"),
        (-0.125, 2, "-0.13"),
        (2.5, 0, "3"),
        (-2.5, 0, "-3"),
        (0.5, 0, "1"),
        (1.5, 0, "2"),
        (1.005, 2, "1.00"),
        (0.25, 1, "0.3"),
        (99.5, 0, "100"),
        (9.875, 2, "9.88"),
        (0.000_976_562_5, 9, "0.000976563"),
        (4_503_599_627_370_495.5, 0, "4503599627370496"),
        (1_125_899_906_842_623.0 + 0.25, 1, "1125899906842623.3"),
    ];
    for (value, decimals, text) in cases {
        assert_eq!(
            fixed(value, decimals),
            text,
            "{value:?} to {decimals} places"
        );
    }
}

#[test]
fn zero_has_no_sign_and_no_number_is_not_available() {
    assert_eq!(fixed(-0.0, 2), "0.00");
    assert_eq!(fixed(-0.004, 2), "0.00");
    assert_eq!(fixed(-0.5, 0), "-1");
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(fixed(value, 2), "n/a");
        assert_eq!(significant(value, 3), "n/a");
    }
}

#[test]
fn extreme_values_keep_every_digit() {
    let huge = fixed(1e300, 1);
    assert!(
        huge.starts_with("1000000000000000052504760255204420248704468581108159154915854115"),
        "{huge}"
    );
    assert_eq!(huge.len(), 301 + ".0".len());
    assert_eq!(fixed(5e-324, 3), "0.000");
    assert_eq!(fixed(5e-324, 1074), format!("{:.1074}", 5e-324));
    // The smallest number is a tie if rounded one decimal before its end.
    assert!(fixed(5e-324, 1073).ends_with('3'));
    assert_eq!(fixed(1.0, usize::MAX).len(), "1.".len() + 1074);
}

#[test]
fn thousands_are_separated_in_the_integer_part_only() {
    let cases = [
        ("0", "0"),
        ("999", "999"),
        ("1000", "1,000"),
        ("-1234567.8901", "-1,234,567.8901"),
        ("+100000", "+100,000"),
        ("n/a", "n/a"),
        ("1e9", "1e9"),
        ("", ""),
        (".5", ".5"),
        ("١٢٣٤", "١٢٣٤"),
    ];
    for (digits, separated) in cases {
        assert_eq!(thousands(digits), separated);
    }
}

#[test]
fn significant_digits_keep_the_whole_integer_part() {
    let cases = [
        (0.0, 3, "0"),
        (1234.5, 3, "1,235"),
        (1234.5, 6, "1,234.50"),
        (12.345, 3, "12.3"),
        (9.996, 3, "10.0"),
        (9.5, 1, "10"),
        (0.000_123_45, 3, "0.000123"),
        (-0.05, 1, "-0.05"),
        (7.0, 0, "7"),
        (2e15, 2, "2,000,000,000,000,000"),
    ];
    for (value, digits, text) in cases {
        assert_eq!(
            significant(value, digits),
            text,
            "{value:?} to {digits} digits"
        );
    }
    assert!(significant(f64::MIN_POSITIVE, usize::MAX).len() > 1000);
}

fn column(unit: Unit, values: &[f64], decimals: usize) -> Vec<String> {
    let scale = scale_for(unit, values, decimals);
    values.iter().map(|value| scale.format(*value)).collect()
}

#[test]
fn a_column_has_the_unit_of_its_median() {
    assert_eq!(
        column(MILLISECONDS, &[1500.0, 2500.0, 90000.0], 2),
        ["1.50 s", "2.50 s", "90.00 s"]
    );
    assert_eq!(
        column(MILLISECONDS, &[0.0005, 0.00125], 2),
        ["500 ns", "1,250 ns"]
    );
    assert_eq!(
        column(Unit::Bytes, &[512.0, 3_000_000.0, 9_000_000.0], 2),
        ["0.50 KiB", "2,929.69 KiB", "8,789.06 KiB"]
    );
    assert_eq!(
        column(Unit::PerSecond, &[12e6, 900e3, 55.5e6], 2),
        ["12.00 M/s", "0.90 M/s", "55.50 M/s"]
    );
    assert_eq!(
        column(Unit::Count, &[0.0, 17.0, 250_000.0], 2),
        ["0", "17", "250,000"]
    );
}

#[test]
fn small_values_get_a_finer_unit() {
    assert_eq!(
        column(MILLISECONDS, &[0.4, 1.4, 2.0], 0),
        ["400 µs", "1,400 µs", "2,000 µs"]
    );
    assert_eq!(
        column(MILLISECONDS, &[0.4, 1.4, 2.0], 1),
        ["0.4 ms", "1.4 ms", "2.0 ms"]
    );
    assert_eq!(
        column(Unit::Ns, &[0.0001, 3.0], 2),
        ["0.000100 ns", "3.00 ns"]
    );
    let nanoseconds = Unit::Ns;
    let column = |least: f64| column(nanoseconds, &[least, 4580.0, 291_512.0], 2);
    assert_eq!(column(92.44), ["0.0924 µs", "4.58 µs", "291.51 µs"]);
    assert_eq!(column(99.7), ["0.10 µs", "4.58 µs", "291.51 µs"]);
}

#[test]
fn a_column_without_numbers_keeps_its_unit() {
    assert_eq!(column(MILLISECONDS, &[0.0, f64::NAN], 2), ["0 ms", "n/a"]);
    assert_eq!(
        scale_for(MILLISECONDS, &[], 2),
        Scale {
            divisor: 1.0,
            suffix: "ms",
            decimals: 0
        },
        "an empty column"
    );
}

/// The exact decimal expansion of a value with all 1074 decimals.
fn exact(value: f64) -> String {
    format!("{:.1074}", value.abs())
}

/// The correct rounding of `value`, computed by hand from its exact expansion.
fn rounded_by_hand(value: f64, decimals: usize) -> String {
    let exact = exact(value);
    let point = exact.len() - ".".len() - 1074;
    let mut digits: Vec<u8> = exact.bytes().filter(u8::is_ascii_digit).collect();
    let up = digits
        .get(point + decimals)
        .is_some_and(|digit| *digit >= b'5');
    digits.truncate(point + decimals);
    let mut at = digits.len();
    let mut carry = up;
    while carry && at > 0 {
        at -= 1;
        carry = digits[at] == b'9';
        digits[at] = if carry { b'0' } else { digits[at] + 1 };
    }
    let mut text = digits.into_iter().map(char::from).collect::<String>();
    let mut point = point;
    if carry {
        text.insert(0, '1');
        point += 1;
    }
    if decimals > 0 {
        text.insert(point, '.');
    }
    let zero = !text.contains(|c: char| ('1'..='9').contains(&c));
    if value.is_sign_negative() && !zero {
        format!("-{text}")
    } else {
        text
    }
}

/// Common values, values near a tie, and arbitrary bit patterns.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        -1e6..1e6_f64,
        any::<f64>(),
        (any::<i32>(), 0..12_i32).prop_map(|(n, halves)| f64::from(n) / 2_f64.powi(halves)),
        (any::<i32>(), 0..6_i32).prop_map(|(n, tenths)| f64::from(n) / 10_f64.powi(tenths)),
    ]
    .prop_filter("finite", |value| value.is_finite())
}

/// Orders two decimal texts with the same number of places.
fn compare(a: &str, b: &str) -> Ordering {
    match (a.strip_prefix('-'), b.strip_prefix('-')) {
        (None, None) => a.len().cmp(&b.len()).then_with(|| a.cmp(b)),
        (Some(a), Some(b)) => compare(b, a),
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
    }
}

proptest! {
    #[test]
    fn rounding_is_exact(value in value(), decimals in 0..8_usize) {
        prop_assert_eq!(fixed(value, decimals), rounded_by_hand(value, decimals));
    }

    #[test]
    fn rounding_keeps_the_order(a in value(), b in value(), decimals in 0..8_usize) {
        let (small, large) = if a <= b { (a, b) } else { (b, a) };
        prop_assert_ne!(compare(&fixed(small, decimals), &fixed(large, decimals)), Ordering::Greater);
    }

    #[test]
    fn separators_can_be_taken_out_again(value in value(), decimals in 0..4_usize) {
        let text = fixed(value, decimals);
        prop_assert_eq!(thousands(&text).replace(',', ""), text);
    }

    #[test]
    fn significant_digits_identify_the_value(value in value(), digits in 1..17_usize) {
        let shown: f64 = significant(value, digits).replace(',', "").parse().unwrap();
        let places = i32::try_from(digits).unwrap();
        // Half a unit of the last shown digit, and the rounding of parsing the text as f64.
        let half_a_digit = value.abs() * 10_f64.powi(1 - places) * 0.5;
        let read_back = value.abs() * f64::EPSILON + f64::from_bits(1);
        prop_assert!((shown - value).abs() <= half_a_digit * 1.001 + read_back, "{}", shown);
    }

    #[test]
    fn no_cell_hides_a_value_behind_zero(
        values in prop::collection::vec(prop_oneof![0.0..10.0_f64, 1e-9..1e12_f64, Just(0.0)], 1..9),
        decimals in 0..4_usize,
        unit in prop::sample::select(vec![
            MILLISECONDS, Unit::Bytes, Unit::PerSecond, Unit::Count,
        ]),
    ) {
        let scale = scale_for(unit, &values, decimals);
        for value in values {
            let text = scale.format(value);
            let digits = text.trim_end_matches(scale.suffix).trim_end();
            let shown: f64 = digits.replace(',', "").parse().unwrap();
            prop_assert_eq!(shown == 0.0, value == 0.0, "{} as {}", value, text);
            prop_assert!(text.ends_with(scale.suffix));
        }
    }

    #[test]
    fn any_column_can_be_scaled(values in prop::collection::vec(any::<f64>(), 0..5)) {
        let scale = scale_for(Unit::Us, &values, 2);
        for value in values {
            prop_assert!(!scale.format(value).is_empty());
        }
    }
}
