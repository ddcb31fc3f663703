//! Rounds times and rates to the digits that are not noise.
//!
//! Decimals below a thousandth of the noise are dropped, but at least four significant digits remain. Whole numbers,
//! including counts, do not change.

use indexmap::IndexSet;
use perf_config::Config;
use perf_model::decimal::{exponent, nearest};
use perf_model::metric::{Metric, UnitFamily, metric};
use perf_model::row::{AGGREGATE, Name, Row, Value};
use perf_model::suite::Definitions;

use crate::places_by_run;

/// The number of digits that are kept after the first digit of the noise.
const BELOW_NOISE: isize = 3;

/// The number of significant digits if the noise is unknown.
const UNKNOWN: isize = 7;
/// The minimum number of significant digits.
const LEAST: isize = 4;

/// The minimum number of samples that show the noise.
const TELLING: usize = 4;

/// The number of significant digits that every float can represent.
const EXACT: usize = 15;
/// The maximum number of decimals.
const MOST: isize = 17;

/// Rounds the times and rates of each run.
pub(crate) fn round(rows: &mut [Row], config: &Config) {
    for places in places_by_run(rows) {
        for name in timed_fractions(rows, &places, config) {
            let Some(decimals) = decimals(rows, &places, &name) else {
                continue;
            };
            for at in &places {
                rows[*at]
                    .metrics
                    .change(&name, |value| rounded(value, decimals));
            }
        }
    }
}

/// Returns the times and rates in these rows that have fractional values.
fn timed_fractions(rows: &[Row], places: &[usize], config: &Config) -> IndexSet<Name> {
    let mut names = IndexSet::new();
    for at in places {
        for (name, value) in rows[*at].metrics.iter() {
            let is_fraction = matches!(value, Value::Real(_));
            if is_fraction && !names.contains(name) && is_timed(name, config) {
                names.insert(Name::clone(name));
            }
        }
    }
    names
}

/// Returns the number of decimals that a metric's values need, or `None` without a positive value. Rounding again with the
/// same rules would not change this number.
fn decimals(rows: &[Row], places: &[usize], name: &Name) -> Option<usize> {
    let mut samples = Vec::new();
    // The values of rows that summarise samples.
    let mut others = Vec::new();
    for row in places.iter().map(|at| &rows[*at]) {
        let Some(value) = row.metrics.get(name) else {
            continue;
        };
        let list = if row.run_index == AGGREGATE {
            &mut others
        } else {
            &mut samples
        };
        list.push(value.as_f64());
    }
    let mut decimals = needed(&mut samples, &others)?;
    loop {
        for value in samples.iter_mut().chain(&mut others) {
            *value = nearest(*value, decimals);
        }
        match needed(&mut samples, &others) {
            Some(fewer) if fewer < decimals => decimals = fewer,
            _ => return Some(decimals),
        }
    }
}

fn needed(samples: &mut [f64], others: &[f64]) -> Option<usize> {
    samples.sort_unstable_by(f64::total_cmp);
    // The smallest value needs the most decimals.
    let all = samples.iter().chain(others).copied();
    let smallest = all.filter(|value| *value > 0.0).min_by(f64::total_cmp);
    let smallest = smallest.filter(|value| value.is_finite())?;
    // The power of ten of a number's first digit: 2 for 100 to 999.
    let place = |number| exponent(number, EXACT - 1);
    let size = place(smallest)?;
    let needed = match spread(samples).and_then(place) {
        Some(noise) => (BELOW_NOISE - noise).max(LEAST - 1 - size),
        None => UNKNOWN - 1 - size,
    };
    usize::try_from(needed.clamp(0, MOST)).ok()
}

/// Whether a metric is a time or a rate with noise and without a configured number of decimals. A baseline stores units only
/// in names, so the unit must also follow from the name. Otherwise, rows would be rounded differently when they are read
/// again.
fn is_timed(name: &Name, config: &Config) -> bool {
    let is_noisy = |metric: &Metric| {
        let family = metric.meaning.unit.line().family;
        let is_timed = matches!(
            family,
            UnitFamily::Time | UnitFamily::Rate | UnitFamily::ByteRate
        );
        is_timed && !metric.meaning.exact && metric.decimals.is_none()
    };
    is_noisy(&config.metric(name)) || (!config.lists_metric(name) && is_noisy(&metric(name)))
}

/// Returns the interquartile range of sorted values, if there are enough samples and it is not 0.
pub(crate) fn spread(sorted: &[f64]) -> Option<f64> {
    let quarter = sorted.len() / 4;
    if sorted.len() < TELLING {
        return None;
    }
    let spread = sorted[sorted.len() - quarter - 1] - sorted[quarter];
    (spread > 0.0).then_some(spread)
}

fn rounded(value: Value, decimals: usize) -> Value {
    match value {
        // A positive value that would be rounded to 0 keeps its digits, because it was measured.
        Value::Real(real) if real > 0.0 => match nearest(real, decimals) {
            0.0 => value,
            nearest => Value::new(nearest).unwrap_or(value),
        },
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use perf_readers::Collector;
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Vec<Row> {
        let config = Config::default();
        let mut collector = Collector::new(&config);
        collector.read("rows", &mut text.as_bytes()).unwrap();
        collector.finish().rows
    }

    fn written(text: &str) -> String {
        let mut rows = read(text);
        round(&mut rows, &Config::default());
        perf_readers::baseline::write(&rows, &[], &Config::default()).unwrap()
    }

    #[test]
    fn a_thousandth_of_the_noise_is_kept() {
        let noisy = "scenario,runIndex,decodeNs\nA,0,29.122581303926072\nA,1,26.299988512789096\n\
            A,2,26.161944146627864\nA,3,26.667732424567316\nA,4,27.057220350232296\n";
        insta::assert_snapshot!(written(noisy), @"
        scenario,platform,commit,runIndex,decodeNs
        A,,,0,29.1226
        A,,,1,26.3
        A,,,2,26.1619
        A,,,3,26.6677
        A,,,4,27.0572
        ");
    }

    #[test]
    fn no_measured_time_becomes_zero() {
        let tiny = "scenario,runIndex,decodeNs\nA,0,0.00000000000000000001\nA,1,5.5\nA,2,90.25\nA,3,200.5\nA,4,400.5\n";
        assert!(written(tiny).contains("A,,,0,1e-20\n"), "{}", written(tiny));
    }

    #[test]
    fn without_samples_seven_digits_are_kept() {
        let one = "scenario,decodeNs,requestsPerSecond\nA,29.122581303926072,18204417.512\nB,0.00012345678901,3\n";
        insta::assert_snapshot!(written(one), @"
        scenario,platform,commit,runIndex,decodeNs,requestsPerSecond
        A,,,-1,29.12258,18204418
        B,,,-1,0.0001234568,3
        ");
    }

    #[test]
    fn counts_and_chosen_decimals_are_kept() {
        let counts = "scenario,allocs,instructions,decodeBytes,other\nA,2.123456789012,123456789012,1.123456789012,1.123456789012\n";
        insta::assert_snapshot!(written(counts), @"
        scenario,platform,commit,runIndex,allocs,instructions,decodeBytes,other
        A,,,-1,2.123456789012,123456789012,1.123456789012,1.123456789012
        ");
        let config = Config::parse("metrics.decodeNs.decimals = 12").unwrap();
        let mut rows = read("scenario,decodeNs\nA,29.122581303926072\n");
        let before = rows.clone();
        round(&mut rows, &config);
        assert_eq!(rows, before);
    }

    proptest! {
        #[test]
        fn rounding_twice_is_rounding_once(numbers in prop::collection::vec(1e-9..1e9f64, 1..12)) {
            let lines = numbers.iter().enumerate();
            let lines = lines.fold(String::new(), |text, (at, number)| text + &format!("A,{at},{number}\n"));
            let once = written(&format!("scenario,runIndex,decodeNs\n{lines}"));
            prop_assert_eq!(&written(&once), &once);
            for (value, number) in read(&once).iter().zip(&numbers) {
                let value = value.metrics.get("decodeNs").unwrap().as_f64();
                prop_assert!((value / number - 1.0).abs() < 1e-3, "{value} {number}");
            }
        }
    }
}
