//! What benchmark tools print, a module for each tool.
//!
//! A reader keeps the unit in which its tool prints a metric, and says it in the metric's name (`timeNs`,
//! `allocatedBytes`), as names are all that a baseline keeps. A tool that lets each benchmark choose a unit is
//! read in the finest of them. What the name cannot tell is declared.

pub(super) mod autocannon;
pub(super) mod benchmarkdotnet;
pub(super) mod benchmarkjs;
pub(super) mod bmf;
mod cargo;
pub(super) mod cargo_criterion;
pub(super) mod catch2;
mod command;
pub(super) mod criterion;
pub(super) mod criterion_text;
pub(super) mod custom;
pub(super) mod divan;
pub(super) mod go;
pub(super) mod google_benchmark;
pub(super) mod gungraun;
pub(super) mod hdrhistogram;
pub(super) mod hyperfine;
pub(super) mod iai;
pub(super) mod jmh;
pub(super) mod julia;
pub(super) mod junit;
pub(super) mod k6;
pub(super) mod libtest;
pub(super) mod oha;
pub(super) mod pytest_benchmark;
pub(super) mod rustls;
pub(super) mod tinybench;
mod units;
pub(super) mod unity;
mod valgrind;
pub(super) mod vitest;
pub(super) mod wrk;

use std::collections::HashMap;

use super::row_collector::RowCollector;
use perf_model::row::{AGGREGATE, Value};

/// Tells of the last line of an input that has no end, and of which a tool would have printed more.
fn breaks_off(number: u64, line: &[u8], sink: &mut RowCollector<'_>) {
    sink.skip(number, line, || "the output breaks off on this line".to_owned());
}

/// A number as people write it, with commas or spaces between the thousands.
fn grouped(text: &str) -> Option<Value> {
    if text.contains([',', ' ', '\u{a0}', '\u{202f}']) {
        return Value::parse(&text.replace([',', ' ', '\u{a0}', '\u{202f}'], ""));
    }
    Value::parse(text)
}

/// A number that is written in one unit, in another that is `10^places` times finer. Its digits stay: only the
/// exponent changes, so that 1.4 ms are 1400000 ns exactly.
fn shifted(number: &str, places: i32) -> Option<Value> {
    if places == 0 {
        return Value::parse(number);
    }
    if let Some(value) = shifted_short(number, places) {
        return Some(value);
    }
    let (digits, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let exponent: i32 = exponent.parse().ok()?;
    Value::parse(&format!("{digits}e{}", exponent.checked_add(places)?))
}

/// As [`shifted`], for a number without an exponent that has few digits, as most are.
fn shifted_short(number: &str, places: i32) -> Option<Value> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let mut digits = 0_i64;
    for digit in whole.bytes().chain(fraction.bytes()) {
        let digit = Some(digit).filter(u8::is_ascii_digit)? - b'0';
        digits = digits.checked_mul(10)?.checked_add(i64::from(digit))?;
    }
    let exponent = places.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    Value::decimal(digits, exponent).filter(|_| exponent != 0 && !(whole.is_empty() && fraction.is_empty()))
}

/// By how many places a number in this unit of time is shifted to be one in nanoseconds.
fn to_nanoseconds(unit: &str) -> Option<i32> {
    match unit {
        "ns" => Some(0),
        "us" | "µs" | "μs" => Some(3),
        "ms" => Some(6),
        "s" => Some(9),
        _ => None,
    }
}

/// Whether anything was measured that a row beside samples could say.
fn says_something(summary: &[(String, Option<Value>)]) -> bool {
    summary.iter().any(|(_, value)| value.is_some())
}

/// The run indices of measurements with these names: one that was measured once stands for itself, others are
/// samples.
fn run_indices<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Vec<i64> {
    let mut times: HashMap<&str, i64> = HashMap::new();
    for name in names.clone() {
        *times.entry(name).or_insert(0) += 1;
    }
    let mut runs: HashMap<&str, i64> = HashMap::new();
    let run_index = |name| {
        let run = runs.entry(name).or_insert(0);
        *run += 1;
        if times.get(name) == Some(&1) { AGGREGATE } else { *run - 1 }
    };
    names.map(run_index).collect()
}

/// The model of a processor as a short key: `intel-xeon-platinum-8370c` for `Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz`.
fn machine_class(model: &str) -> String {
    let model = model.to_lowercase().replace("(r)", " ").replace("(tm)", " ");
    let model = model.split('@').next().unwrap_or_default();
    let words =
        model.split(|c: char| !c.is_alphanumeric()).filter(|word| !["", "cpu", "processor"].contains(word));
    words.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_in_another_unit_has_the_same_digits() {
        let in_nanoseconds =
            |number, unit| shifted(number, to_nanoseconds(unit)?).map(|value| value.to_string());
        assert_eq!(in_nanoseconds("0.4", "ms").as_deref(), Some("400000"));
        assert_eq!(in_nanoseconds("1.1", "us").as_deref(), Some("1100"));
        assert_eq!(in_nanoseconds("4.6000000000000488E-05", "ms").as_deref(), Some("46.00000000000049"));
        assert_eq!(shifted("2768895", -6), Some(Value::Real(2.768_895)));
        assert_eq!(shifted("1e2147483647", 9), None);
        assert_eq!(shifted("1e999", -990).map(|value| value.to_string()).as_deref(), Some("1000000000"));
        assert_eq!((shifted("", 1), shifted("1.2.3", 1), shifted("ns", 1)), (None, None, None));
    }

    proptest::proptest! {
        #[test]
        fn a_short_number_is_shifted_as_any_other(number in "[0-9]{0,9}[.]?[0-9]{0,9}", places in -12..12_i32) {
            let expected = Value::parse(&format!("{number}e{places}"));
            proptest::prop_assert_eq!(shifted_short(&number, places).or(expected), expected);
        }
    }

    #[test]
    fn the_model_of_a_processor_is_a_short_key() {
        assert_eq!(
            machine_class("Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz"),
            "intel-xeon-platinum-8370c"
        );
        assert_eq!(machine_class("AMD EPYC 7763 64-Core Processor                "), "amd-epyc-7763-64-core");
    }
}
