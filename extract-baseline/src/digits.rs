//! Times and rates without the digits that are only noise.
//!
//! Decimals are left out as far as a thousandth of the noise allows, and never so many that fewer than four significant
//! digits remain; whole numbers, and so counts, stay as they are.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;
use perf_config::Config;
use perf_model::decimal::fixed;
use perf_model::metric::{Metric, UnitFamily};
use perf_model::row::{AGGREGATE, Metrics, Name, Names, Row, Value};
use perf_model::suite::Definitions;

use crate::thin::run;

/// The digits that are kept below the first one of the noise.
const BELOW_NOISE: i32 = 3;

/// The digits that are kept where the noise is unknown, and at least.
const UNKNOWN: i32 = 7;
const LEAST: i32 = 4;

/// The least number of samples that show noise.
const TELLING: usize = 4;

/// More decimals than these no measured number has.
const MOST: i32 = 17;

/// Rounds what is timed in each run of a benchmark.
pub(crate) fn round(rows: &mut [Row], config: &Config) {
    let mut runs: IndexMap<_, Vec<usize>> = IndexMap::new();
    for (at, row) in rows.iter().enumerate() {
        runs.entry(run(row)).or_default().push(at);
    }
    let mut shared: HashMap<usize, Names> = HashMap::new();
    for places in runs.into_values() {
        let decimals = decimals_of(rows, &places, config);
        for at in places.into_iter().filter(|_| !decimals.is_empty()) {
            rows[at].metrics = rounded(&rows[at].metrics, &decimals, &mut shared);
        }
    }
}

/// The decimals of each metric that has too many.
fn decimals_of(rows: &[Row], places: &[usize], config: &Config) -> HashMap<Name, usize> {
    let is_whole = |at: &usize| rows[*at].metrics.iter().all(|(_, value)| matches!(value, Value::Int(_)));
    if places.iter().all(is_whole) {
        return HashMap::new();
    }
    let mut values: IndexMap<&Name, (Vec<f64>, Vec<f64>)> = IndexMap::new();
    for row in places.iter().map(|at| &rows[*at]) {
        for (name, value) in row.metrics.iter() {
            let (all, samples) = values.entry(name).or_default();
            all.push(value.as_f64());
            samples.extend((row.run_index != AGGREGATE).then_some(value.as_f64()));
        }
    }
    let is_timed = |name: &Name| is_timed(&config.metric(name));
    let timed = values.into_iter().filter(|(name, _)| is_timed(name));
    timed.filter_map(|(name, (all, samples))| Some((Name::clone(name), decimals(all, samples)?))).collect()
}

/// Whether values are measured with noise, and nobody has said how many decimals they have.
fn is_timed(metric: &Metric) -> bool {
    let family = metric.meaning.unit.line().family;
    let is_timed = matches!(family, UnitFamily::Time | UnitFamily::Rate | UnitFamily::ByteRate);
    is_timed && !metric.meaning.exact && metric.decimals.is_none()
}

/// The decimals that values need, and still need when they are rounded so. `None` for values that nothing is known of.
fn decimals(mut all: Vec<f64>, mut samples: Vec<f64>) -> Option<usize> {
    let mut decimals = needed(&mut all, &mut samples)?;
    loop {
        for value in all.iter_mut().chain(&mut samples) {
            *value = fixed(*value, decimals).parse().unwrap_or(*value);
        }
        let fewer = needed(&mut all, &mut samples).filter(|fewer| *fewer < decimals);
        decimals = match fewer {
            Some(fewer) => fewer,
            None => return Some(decimals),
        };
    }
}

fn needed(all: &mut [f64], samples: &mut [f64]) -> Option<usize> {
    all.sort_by(f64::total_cmp);
    samples.sort_by(f64::total_cmp);
    // The smallest has the most decimals.
    let smallest = all.iter().copied().find(|value| *value > 0.0).filter(|value| value.is_finite())?;
    let size = exponent(smallest)?;
    let needed = match spread(samples).and_then(exponent) {
        Some(noise) => (BELOW_NOISE - noise).max(LEAST - 1 - size),
        None => UNKNOWN - 1 - size,
    };
    usize::try_from(needed.clamp(0, MOST)).ok()
}

/// The distance between the quartiles.
pub(crate) fn spread(sorted: &[f64]) -> Option<f64> {
    let quarter = sorted.len() / 4;
    let ends = sorted.get(quarter).zip(sorted.get(sorted.len().checked_sub(quarter + 1)?));
    let (lower, upper) = ends.filter(|_| sorted.len() >= TELLING)?;
    Some(upper - lower).filter(|spread| *spread > 0.0)
}

/// The place of the first digit: 2 for 100 to 999.
fn exponent(number: f64) -> Option<i32> {
    format!("{number:e}").split_once('e')?.1.parse().ok()
}

fn rounded(
    metrics: &Metrics,
    decimals: &HashMap<Name, usize>,
    shared: &mut HashMap<usize, Names>,
) -> Metrics {
    let names = shared
        .entry(metrics.names_at())
        .or_insert_with(|| Arc::new(metrics.iter().map(|(name, _)| Name::clone(name)).collect()));
    let rounded = |(name, value): (&Name, Value)| match (value, decimals.get(name)) {
        (Value::Real(real), Some(decimals)) if real > 0.0 => {
            Value::parse(&fixed(real, *decimals)).unwrap_or(value)
        }
        _ => value,
    };
    let values: Vec<Value> = metrics.iter().map(rounded).collect();
    Metrics::of_distinct(Arc::clone(names), &values)
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
    fn without_samples_seven_digits_are_kept() {
        let one =
            "scenario,decodeNs,requestsPerSecond\nA,29.122581303926072,18204417.512\nB,0.00012345678901,3\n";
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
