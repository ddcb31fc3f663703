//! Thins samples, so that a baseline in git stays small. Medians do not change, and other quantiles hardly do.
//!
//! Samples at evenly spaced quantiles of the benchmark's first metric are kept unchanged. Samples with different
//! metrics are thinned separately. Samples within process runs are dropped before whole process runs, because only
//! process runs are independent of each other. If a metric's median would change, an aggregate row stores the old
//! median.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;

use indexmap::IndexMap;
use perf_config::Config;
use perf_model::methodology::RANDOM_ORDER;
use perf_model::row::{AGGREGATE, Name, Outcome, Row, Value, metric_names};
use perf_model::suite::{Definitions, Measurement, Rows, median};

use crate::places_by_run;

/// Keeps about `most` samples per run. Returns the number of benchmarks that lost samples.
pub(crate) fn thin(rows: &mut Vec<Row>, most: usize, config: &Config) -> usize {
    let mut is_left_out = vec![false; rows.len()];
    let mut aggregates: HashMap<usize, Row> = HashMap::new();
    let mut thinned = 0;
    for places in places_by_run(rows) {
        let methodology = rows[places[0]].methodology.as_deref();
        let mut samples = places.clone();
        samples.retain(|at| is_sample(&rows[*at]));
        if methodology.is_some_and(|text| text.contains(RANDOM_ORDER)) || samples.len() <= most {
            continue;
        }
        let kept = kept_samples(rows, &samples, most, config);
        if kept.len() == samples.len() {
            continue;
        }
        thinned += 1;
        for at in samples {
            is_left_out[at] = !kept.contains(&at);
        }
        let mut remaining = places.clone();
        remaining.retain(|at| !is_left_out[*at]);
        aggregates.extend(aggregate(rows, &places, &remaining));
    }
    for (at, row) in std::mem::take(rows).into_iter().enumerate() {
        if is_left_out[at] {
            continue;
        }
        let aggregate = aggregates.remove(&at);
        if aggregate.is_none() || row.run_index != AGGREGATE {
            rows.push(row);
        }
        rows.extend(aggregate);
    }
    thinned
}

fn is_sample(row: &Row) -> bool {
    row.run_index != AGGREGATE && row.outcome == Outcome::Measured
}

/// A sample's value, and the index of its row.
type Sample = (f64, usize);

/// Returns the indices of the samples to keep. Samples with different sets of metrics are thinned separately.
/// Otherwise, the first row would determine the metric that orders a mixture. Dropping that row would change the order,
/// and the written baseline would be thinned again.
fn kept_samples(rows: &[Row], samples: &[usize], most: usize, config: &Config) -> HashSet<usize> {
    let mut alike: IndexMap<Vec<&str>, Vec<usize>> = IndexMap::new();
    for at in samples {
        let mut names: Vec<&str> = rows[*at].metrics.iter().map(|(name, _)| &**name).collect();
        names.sort_unstable();
        alike.entry(names).or_default().push(*at);
    }
    let mut kept = HashSet::new();
    for samples in alike.into_values() {
        let leading = leading(rows, &samples, config);
        // A sample without a process-run number is a separate process run.
        let mut launches: IndexMap<Result<NonZeroU32, usize>, Vec<Sample>> = IndexMap::new();
        for at in samples {
            let value = leading.as_ref().and_then(|name| rows[at].metrics.get(name));
            let launch = launches.entry(rows[at].launch.ok_or(at)).or_default();
            launch.push((value.map_or(0.0, Value::as_f64), at));
        }
        kept.extend(choose_samples(launches.into_values().collect(), most));
    }
    kept
}

/// Returns the metric that orders a benchmark's samples.
fn leading(rows: &[Row], samples: &[usize], config: &Config) -> Option<Name> {
    let rows: Rows<'_> = samples.iter().map(|at| &rows[*at]).collect();
    let scenario = &rows.first()?.scenario;
    let measurement = Measurement {
        scenario,
        family: config.family(scenario),
        rows,
    };
    measurement
        .primary(config)
        .map(|metric| Name::clone(&metric.name))
}

/// Chooses the samples to keep: from every process run or, if there are more than `most` process runs, from some of
/// them. Returns the indices of their rows.
fn choose_samples(mut launches: Vec<Vec<Sample>>, most: usize) -> Vec<usize> {
    for launch in &mut launches {
        // Equal values keep their order.
        launch.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    }
    if launches.len() > most {
        // Equal medians keep their order.
        launches.sort_by(|one, other| middle(one).total_cmp(&middle(other)));
        let mut chosen = Vec::new();
        for place in quantiles(launches.len(), most) {
            chosen.push(std::mem::take(&mut launches[place]));
        }
        launches = chosen;
    }
    let each = most / launches.len().max(1);
    let mut samples = Vec::new();
    for launch in launches {
        for place in quantiles(launch.len(), each) {
            samples.push(launch[place].1);
        }
    }
    samples
}

fn middle(sorted: &[Sample]) -> f64 {
    let (lower, upper) = ((sorted.len() - 1) / 2, sorted.len() / 2);
    f64::midpoint(sorted[lower].0, sorted[upper].0)
}

/// Divides `all` sorted values into about `most` equal parts, and returns the position of each part's middle. The number of
/// positions is even if `all` is even, and odd otherwise. The positions include the one or two middle values, so that the
/// median stays the same.
fn quantiles(all: usize, most: usize) -> Vec<usize> {
    if all <= most {
        return (0..all).collect();
    }
    let mut count = most;
    if !(all - most).is_multiple_of(2) {
        count = most.saturating_sub(1);
    }
    if count == 0 {
        count = 2 - all % 2;
    }
    let mut lower = Vec::new();
    for part in 0..count / 2 {
        lower.push((2 * part + 1) * all / (2 * count));
    }
    let mut middle = Some(all / 2);
    if count.is_multiple_of(2) {
        middle = None;
        if let Some(last) = lower.last_mut() {
            *last = all / 2 - 1;
        }
    }
    let upper: Vec<usize> = lower.iter().rev().map(|place| all - 1 - place).collect();
    lower.into_iter().chain(middle).chain(upper).collect()
}

/// Returns an aggregate row that stores the medians that would otherwise change, and its position. The row replaces the
/// existing aggregate row, or follows the last remaining row. Returns `None` if no median changes.
fn aggregate(rows: &[Row], all: &[usize], remaining: &[usize]) -> Option<(usize, Row)> {
    let mut places = all.iter().copied();
    let known = places.find(|at| rows[*at].run_index == AGGREGATE);
    let before = known.map(|at| rows[at].metrics.clone()).unwrap_or_default();
    let mut metrics = before.clone();
    for name in metric_names(all.iter().map(|at| &rows[*at])) {
        let [old, new] = [all, remaining].map(|places| {
            let values = places.iter().filter_map(|at| rows[*at].metrics.get(name));
            median(values.collect())
        });
        if let Some(old) = old.filter(|_| old != new)
            && before.get(name).is_none()
        {
            metrics.insert(Name::clone(name), old);
        }
    }
    if metrics == before {
        return None;
    }
    let at = known.or_else(|| remaining.last().copied())?;
    let aggregate = Row {
        run_index: AGGREGATE,
        launch: None,
        metrics,
        ..rows[at].clone()
    };
    Some((at, aggregate))
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

    fn numbers(rows: &[Row], metric: &str) -> Vec<f64> {
        let samples = rows.iter().filter(|row| is_sample(row));
        let mut numbers: Vec<f64> = samples
            .filter_map(|row| Some(row.metrics.get(metric)?.as_f64()))
            .collect();
        numbers.sort_by(f64::total_cmp);
        numbers
    }

    /// The value that a comparison uses.
    fn value(rows: &[Row], metric: &str) -> Option<f64> {
        let aggregate = rows.iter().find(|row| row.run_index == AGGREGATE);
        let value = aggregate.and_then(|row| row.metrics.get(metric));
        let samples = || {
            median(
                rows.iter()
                    .filter_map(|row| row.metrics.get(metric))
                    .collect(),
            )
        };
        value.or_else(samples).map(Value::as_f64)
    }

    fn launches(rows: &[Row]) -> usize {
        let named: HashSet<_> = rows
            .iter()
            .filter(|row| is_sample(row))
            .map(|row| row.launch)
            .collect();
        let alone = rows
            .iter()
            .filter(|row| is_sample(row) && row.launch.is_none())
            .count();
        named.iter().flatten().count() + alone
    }

    fn csv(header: &str, lines: impl IntoIterator<Item = String>) -> Vec<Row> {
        let lines: String = lines
            .into_iter()
            .fold(String::new(), |text, line| text + &line + "\n");
        read(&format!("{header}\n{lines}"))
    }

    #[test]
    fn median_and_quartiles_stay() {
        for count in [1000, 1001] {
            let mut rows = csv(
                "scenario,runIndex,decodeNs",
                (0..count).map(|n| format!("A,{n},{}", n * n)),
            );
            let before = numbers(&rows, "decodeNs");
            assert_eq!(thin(&mut rows, 30, &Config::default()), 1);
            let after = numbers(&rows, "decodeNs");
            assert_eq!(value(&rows, "decodeNs"), Some(median_of(&before)));
            assert_eq!(after.len(), if count == 1000 { 30 } else { 29 });
            for quarter in [1, 3] {
                let at = |numbers: &[f64]| numbers[numbers.len() * quarter / 4];
                assert!((at(&after) / at(&before)).ln().abs() < 0.1, "{quarter}");
            }
            // A run without too many samples does not change.
            let again = rows.clone();
            assert_eq!(thin(&mut rows, 30, &Config::default()), 0);
            assert_eq!(rows, again);
        }
    }

    fn median_of(sorted: &[f64]) -> f64 {
        f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2])
    }

    #[test]
    fn iterations_stay_iterations_of_their_launches() {
        let row = |n: u32| format!("A,{n},{},{}", 100 + n * 7 % 13, n / 100 + 1);
        let mut rows = csv("scenario,runIndex,decodeNs,launchIndex", (0..500).map(row));
        thin(&mut rows, 30, &Config::default());
        assert_eq!(launches(&rows), 5);
        assert!(
            rows.iter()
                .all(|row| row.run_index == AGGREGATE || row.launch.is_some())
        );
        let one = (0..500).map(|n| format!("A,{n},{},1", 100 + n * 7 % 13));
        let mut rows = csv("scenario,runIndex,decodeNs,launchIndex", one);
        thin(&mut rows, 30, &Config::default());
        assert_eq!((launches(&rows), numbers(&rows, "decodeNs").len()), (1, 30));
    }

    #[test]
    fn excess_process_runs_are_dropped_whole() {
        let row = |n: u32| format!("A,{n},{},{}", 100 + n / 3, n / 3 + 1);
        let mut rows = csv("scenario,runIndex,decodeNs,launchIndex", (0..300).map(row));
        thin(&mut rows, 30, &Config::default());
        assert_eq!(launches(&rows), 30);
        // The reader drops the numbers of process runs with a single row.
        let text = perf_readers::baseline::write(&rows, &[], &Config::default()).unwrap();
        assert!(read(&text).iter().all(|row| row.launch.is_none()));
    }

    #[test]
    fn pairs_are_kept() {
        let row = |n: u32| format!("A,{n},{},pairs in random order", 100 + n);
        let mut rows = csv("scenario,runIndex,decodeNs,methodology", (0..60).map(row));
        assert_eq!(thin(&mut rows, 30, &Config::default()), 0);
        assert_eq!(rows.len(), 60);
    }

    #[test]
    fn medians_of_other_metrics_stay() {
        let row = |n: u32| format!("A,{n},{},{}", 100 + n, 4 + u32::from(n * 37 % 101 > 50));
        let mut rows = csv("scenario,runIndex,decodeNs,allocs", (0..101).map(row));
        let before = ["decodeNs", "allocs"].map(|name| value(&rows, name));
        thin(&mut rows, 30, &Config::default());
        assert_eq!(
            ["decodeNs", "allocs"].map(|name| value(&rows, name)),
            before
        );
    }

    /// The first remaining row has no value for the metric that comes first in the other rows and in the file.
    #[test]
    fn thinning_is_stable_for_any_first_metric() {
        let row = |n: u32| {
            if n == 1 {
                "B,1,,82,7759".to_owned()
            } else {
                format!("B,{n},{},82,", 7000 + n.min(7))
            }
        };
        let first = std::iter::once("A,0,10,82,".to_owned());
        let mut rows = csv(
            "scenario,runIndex,nsPerOp,rate,nqPerOp",
            first.chain((0..103).map(row)),
        );
        assert_eq!(thin(&mut rows, 30, &Config::default()), 1);
        let text = perf_readers::baseline::write(&rows, &[], &Config::default()).unwrap();
        let mut again = read(&text);
        assert_eq!(again.len(), rows.len());
        assert_eq!(thin(&mut again, 30, &Config::default()), 0, "{text}");
    }

    #[test]
    fn failures_and_short_series_stay() {
        let mut rows = csv(
            "scenario,runIndex,decodeNs,outcome",
            (0..40).map(|n| format!("A,{n},{},", 100 + n)),
        );
        rows.extend(read("scenario,runIndex,decodeNs\nB,0,1\nB,1,2\n"));
        rows.extend(read("scenario,outcome\nC,failed\n"));
        thin(&mut rows, 30, &Config::default());
        assert_eq!(
            rows.iter()
                .filter(|row| row.outcome == Outcome::Failed)
                .count(),
            1
        );
        assert_eq!(rows.iter().filter(|row| &*row.scenario == "B").count(), 2);
    }

    proptest! {
        #[test]
        fn quantiles_are_symmetric_and_have_the_middle(all in 1usize..3000, most in 1usize..60) {
            let places = quantiles(all, most);
            prop_assert!(places.is_sorted_by(|one, next| one < next), "{places:?}");
            prop_assert!(places.len() <= most.max(2) && places.len() + 1 >= most.min(all));
            prop_assert!(places.iter().rev().map(|place| all - 1 - place).eq(places.iter().copied()));
            prop_assert!(places.contains(&(all / 2)) && places.contains(&((all - 1) / 2)), "{places:?}");
        }

        #[test]
        fn value_stays(numbers in prop::collection::vec((0u32..1000, 0u32..5, 1u32..20), 1..200)) {
            let row = |(at, (number, count, launch)): (usize, &(u32, u32, u32))| format!("A,{at},{number},{count},{launch}");
            let mut rows = csv("scenario,runIndex,decodeNs,allocs,launchIndex", numbers.iter().enumerate().map(row));
            let before = ["decodeNs", "allocs"].map(|name| value(&rows, name));
            thin(&mut rows, 10, &Config::default());
            prop_assert_eq!(["decodeNs", "allocs"].map(|name| value(&rows, name)), before);
        }
    }
}
