//! Times and rates without the digits that are only noise.
//!
//! Decimals below a thousandth of the noise are left out, but at least four significant digits remain. Whole numbers,
//! and therefore counts, are unchanged.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use perf_config::Config;
use perf_model::decimal::{exponent, nearest};
use perf_model::metric::{Metric, UnitFamily, metric};
use perf_model::row::{AGGREGATE, Name, Row, Value};
use perf_model::suite::Definitions;

use crate::runs::RunPlaces;

/// The digits that are kept below the first one of the noise.
const BELOW_NOISE: isize = 3;

/// The minimum number of digits, and the number if the noise is unknown.
const UNKNOWN: isize = 7;
const LEAST: isize = 4;

/// The least number of samples that show noise.
const TELLING: usize = 4;

/// The significant digits that every float has.
const EXACT: usize = 15;
/// More decimals than these no measured number has.
const MOST: isize = 17;

/// Rounds the timed metrics of each run. Returns whether different rows may have become equal.
pub(crate) fn round(rows: &mut [Row], runs: Option<RunPlaces>, config: &Config) -> bool {
    let mut timed = Timed {
        config,
        shapes: HashMap::default(),
    };
    let is_fraction =
        |(row, name): (&Row, &Name)| matches!(row.metrics.get(name), Some(Value::Real(_)));
    if !rows
        .iter()
        .any(|row| timed.names(row).iter().any(|name| is_fraction((row, name))))
    {
        return false;
    }
    let (mut names, mut values) = (Vec::new(), MetricValues::default());
    let (mut numbers, mut may_repeat) = (Vec::new(), false);
    runs.unwrap_or_else(|| RunPlaces::of(rows)).each(|places| {
        may_repeat = may_repeat || has_repeated(rows, places, &mut numbers);
        timed.names_of(rows, places, &mut names);
        for name in &names {
            if let Some(decimals) = values.read(rows, places, name).decimals() {
                for at in places {
                    rows[*at]
                        .metrics
                        .change(name, |value| rounded(value, decimals));
                }
            }
        }
    });
    may_repeat
}

/// True if two of these rows have the same run index, as rows that contradict each other do.
fn has_repeated(rows: &[Row], places: &[usize], numbers: &mut Vec<(Option<i64>, i64)>) -> bool {
    numbers.clear();
    numbers.extend(
        places
            .iter()
            .map(|at| (rows[*at].measured_at, rows[*at].run_index)),
    );
    if !numbers.is_sorted() {
        numbers.sort_unstable();
    }
    numbers.windows(2).any(|two| two[0] == two[1])
}

/// The timed metrics of rows.
struct Timed<'c> {
    config: &'c Config,
    /// The timed metrics by the sequence of names that thousands of rows share.
    shapes: HashMap<usize, Vec<Name>, RandomState>,
}

impl Timed<'_> {
    fn names(&mut self, row: &Row) -> &[Name] {
        self.shapes
            .entry(row.metrics.names_at())
            .or_insert_with(|| {
                let names = row.metrics.iter().map(|(name, _)| name);
                names
                    .filter(|name| is_timed(name, self.config))
                    .cloned()
                    .collect()
            })
    }

    /// Collects the metric names of these rows into `names`.
    fn names_of(&mut self, rows: &[Row], places: &[usize], names: &mut Vec<Name>) {
        names.clear();
        let mut last = None;
        for row in places.iter().map(|at| &rows[*at]) {
            if last.replace(row.metrics.names_at()) != Some(row.metrics.names_at()) {
                for name in self.names(row) {
                    if !names.contains(name) {
                        names.push(Name::clone(name));
                    }
                }
            }
        }
    }
}

/// One metric's values in one run; reused, to avoid allocating.
#[derive(Default)]
struct MetricValues {
    samples: Vec<f64>,
    /// The values of rows that sum up samples, or stand alone.
    others: Vec<f64>,
    has_fractions: bool,
}

impl MetricValues {
    fn read(&mut self, rows: &[Row], places: &[usize], name: &Name) -> &mut Self {
        self.samples.clear();
        self.others.clear();
        self.has_fractions = false;
        for row in places.iter().map(|at| &rows[*at]) {
            let Some(value) = row.metrics.get(name) else {
                continue;
            };
            self.has_fractions |= matches!(value, Value::Real(_));
            let of_kind = if row.run_index == AGGREGATE {
                &mut self.others
            } else {
                &mut self.samples
            };
            of_kind.push(value.as_f64());
        }
        self
    }

    /// The decimals that the values need, and still need when they are rounded so. `None` for values that nothing is
    /// known of, and for whole numbers.
    fn decimals(&mut self) -> Option<usize> {
        if !self.has_fractions {
            return None;
        }
        let mut decimals = self.needed()?;
        loop {
            for value in self.samples.iter_mut().chain(&mut self.others) {
                *value = nearest(*value, decimals);
            }
            let fewer = self.needed().filter(|fewer| *fewer < decimals);
            decimals = match fewer {
                Some(fewer) => fewer,
                None => return Some(decimals),
            };
        }
    }

    fn needed(&mut self) -> Option<usize> {
        self.samples.sort_unstable_by(f64::total_cmp);
        // The smallest has the most decimals.
        let all = self.samples.iter().chain(&self.others);
        let above_zero = all.copied().filter(|value| *value > 0.0);
        let smallest = above_zero
            .min_by(f64::total_cmp)
            .filter(|value| value.is_finite())?;
        // The place of the first digit: 2 for 100 to 999.
        let place = |number| exponent(number, EXACT - 1);
        let size = place(smallest)?;
        let needed = match spread(&self.samples).and_then(place) {
            Some(noise) => (BELOW_NOISE - noise).max(LEAST - 1 - size),
            None => UNKNOWN - 1 - size,
        };
        usize::try_from(needed.clamp(0, MOST)).ok()
    }
}

/// Whether values are measured with noise and have no declared number of decimals. A baseline contains units only in
/// names, so a name also declares it: written rows are rounded in the same way when they are read again.
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

/// The distance between the quartiles.
pub(crate) fn spread(sorted: &[f64]) -> Option<f64> {
    let quarter = sorted.len() / 4;
    let ends = sorted
        .get(quarter)
        .zip(sorted.get(sorted.len().checked_sub(quarter + 1)?));
    let (lower, upper) = ends.filter(|_| sorted.len() >= TELLING)?;
    Some(upper - lower).filter(|spread| *spread > 0.0)
}

fn rounded(value: Value, decimals: usize) -> Value {
    match value {
        // What would become 0 keeps its digits: it was measured.
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
        round(&mut rows, None, &Config::default());
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
        round(&mut rows, None, &config);
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
