//! Keeps the earlier rows when an existing baseline is written again: all rows when appending, and unchanged benchmarks'
//! rows when replacing, so that the file's diff shows only real changes.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::Context;
use indexmap::{IndexMap, IndexSet};
use perf_cli::term;
use perf_config::Config;
use perf_model::row::{Identity, Name, Row, Value, metric_names};
use perf_model::suite::{Definitions, Measurement};

use crate::date_of_run;
use crate::digits::spread;

/// Returns the file's rows, followed by the new rows that the file does not contain, and the columns of both. The new rows
/// already have the file's precision, so a row is not duplicated because of rounding.
pub(crate) fn appended(
    path: &Path,
    mut rows: Vec<Row>,
    named: Vec<Name>,
    config: &Config,
) -> anyhow::Result<(Vec<Row>, Vec<Name>)> {
    let exists = path
        .try_exists()
        .with_context(|| format!("cannot access `{}`", term::shown(path)))?;
    if !exists {
        return Ok((rows, named));
    }
    let before = perf_cli::load::read_strictly(path, &config.clone().keeping_all())?;
    let known: HashSet<Row> = before.rows.iter().cloned().map(undated).collect();
    rows.retain(|row| !known.contains(&undated(row.clone())));
    let columns = before.columns.into_iter().chain(named);
    Ok(([before.rows, rows].concat(), columns.collect()))
}

/// Returns the row in a form for finding duplicates. The order of its metrics does not matter, and its date only matters if
/// it has no commit.
fn undated(row: Row) -> Row {
    Row {
        measured_at: date_of_run(&row),
        metrics: row.metrics.sorted(),
        ..row
    }
}

/// Keeps each measurement's last `commits` commits, in order of first appearance. Runs without a commit are
/// distinguished by their dates. Returns the number of dropped rows.
pub(crate) fn keep_last(rows: &mut Vec<Row>, commits: NonZeroUsize) -> usize {
    let before = rows.len();
    let run = |row: &Row| (Name::clone(&row.commit), date_of_run(row));
    let mut runs: HashMap<Identity, IndexSet<(Name, Option<i64>)>> = HashMap::new();
    for row in &*rows {
        runs.entry(row.identity()).or_default().insert(run(row));
    }
    rows.retain(|row| {
        let Some(runs) = runs.get(&row.identity()) else {
            return false;
        };
        let at = runs.get_index_of(&run(row)).unwrap_or_default();
        at + commits.get() >= runs.len()
    });
    before - rows.len()
}

/// A measurement's identity with its full methodology, because [`Identity`] leaves out the toolchain.
type MeasurementKey = (Identity, Option<Name>);

fn key(row: &Row) -> MeasurementKey {
    (row.identity(), row.methodology.clone())
}

/// Replaces the rows of unchanged benchmarks in a run by the file's rows. Returns all rows, and the number of unchanged
/// benchmarks.
pub(crate) fn with_unchanged_rows(
    before: &[Row],
    rows: Vec<Row>,
    config: &Config,
) -> (Vec<Row>, usize) {
    let mut old = by_key(before);
    let new = by_key(&rows);
    old.retain(|key, old| new.get(key).is_some_and(|new| !has_moved(old, new, config)));
    let count = old.len();
    let mut settled = Vec::with_capacity(rows.len());
    let mut done = IndexSet::new();
    for row in rows {
        let key = key(&row);
        match old.get(&key) {
            None => settled.push(row),
            Some(old) if done.insert(key) => settled.extend(old.iter().copied().cloned()),
            Some(_) => {}
        }
    }
    (settled, count)
}

fn by_key(rows: &[Row]) -> IndexMap<MeasurementKey, Vec<&Row>> {
    let mut by_key: IndexMap<MeasurementKey, Vec<&Row>> = IndexMap::new();
    for row in rows {
        by_key.entry(key(row)).or_default().push(row);
    }
    by_key
}

/// Whether a benchmark changed by more than the tolerance and its noise, or was measured differently, such as with other
/// metrics or more than twice as many samples.
fn has_moved(old: &[&Row], new: &[&Row], config: &Config) -> bool {
    let is_one = |rows: &[&Row]| rows.iter().all(|row| row.key == rows[0].key);
    if !is_one(old) || !is_one(new) || old.len() * 2 < new.len() {
        return true;
    }
    let [old, new] = [old, new].map(|rows| {
        let scenario = &rows[0].scenario;
        Measurement {
            scenario,
            family: config.family(scenario),
            rows: rows.to_vec(),
        }
    });
    if old.outcome() != new.outcome() {
        return true;
    }
    let [then, now] = [&old, &new].map(|side| metric_names(side.rows.iter().copied()));
    then != now
        || now
            .into_iter()
            .any(|name| has_metric_moved(&old, &new, name, config))
}

fn has_metric_moved(
    old: &Measurement<'_>,
    new: &Measurement<'_>,
    name: &Name,
    config: &Config,
) -> bool {
    let metric = config.metric(name);
    // The ends of an interval are not compared separately.
    if metric.spread_of.is_some() {
        return false;
    }
    let (then, now) = (old.value(&metric, config), new.value(&metric, config));
    let (Some(then), Some(now)) = (then, now) else {
        return then != now;
    };
    if metric.meaning.exact || then == now {
        return then != now;
    }
    let noise = noise(old, name).max(noise(new, name));
    let allowed = (then.as_f64().abs() * config.deltas.tolerance).max(noise);
    (now.as_f64() - then.as_f64()).abs() > allowed
}

/// Returns the interquartile range of the samples, or the range that an aggregate row stores.
fn noise(side: &Measurement<'_>, name: &Name) -> f64 {
    let samples = side.samples(name).into_iter();
    let mut samples: Vec<f64> = samples.map(Value::as_f64).collect();
    samples.sort_by(f64::total_cmp);
    if let Some(spread) = spread(&samples) {
        return spread;
    }
    let end = |end: &str| side.samples(&format!("{name}.{end}")).first().copied();
    match (end("upper"), end("lower")) {
        (Some(upper), Some(lower)) => upper.as_f64() - lower.as_f64(),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use perf_readers::Collector;

    use super::*;

    fn read(text: &str) -> Vec<Row> {
        let config = Config::default();
        let mut collector = Collector::new(&config);
        collector.read("rows", &mut text.as_bytes()).unwrap();
        collector.finish().rows
    }

    /// Each benchmark's commit after a refresh from one file to another.
    fn commits(old: &str, new: &str) -> Vec<String> {
        let (rows, _) = with_unchanged_rows(&read(old), read(new), &Config::default());
        let mut commits: Vec<String> = rows
            .iter()
            .map(|row| format!("{} {}", row.scenario, row.commit))
            .collect();
        commits.dedup();
        commits
    }

    #[test]
    fn change_within_tolerance_and_noise_keeps_rows() {
        let old =
            "scenario,commit,decodeNs,allocs\nA,one,100,5\nB,one,100,5\nC,one,100,5\nD,one,100,5\n";
        let new =
            "scenario,commit,decodeNs,allocs\nA,two,101,5\nB,two,103,5\nC,two,100,6\nE,two,1,1\n";
        assert_eq!(commits(old, new), ["A one", "B two", "C two", "E two"]);
        let samples = |commit: &str, numbers: [u32; 4]| {
            let header = "scenario,commit,runIndex,decodeNs\n".to_owned();
            let rows = numbers.iter().enumerate();
            rows.fold(header, |text, (at, number)| {
                text + &format!("A,{commit},{at},{number}\n")
            })
        };
        let old = samples("one", [90, 95, 105, 110]);
        assert_eq!(
            commits(&old, &samples("two", [94, 99, 109, 114])),
            ["A one"]
        );
        assert_eq!(
            commits(&old, &samples("two", [124, 129, 139, 144])),
            ["A two"]
        );
    }

    #[test]
    fn another_method_or_machine_is_another_measurement() {
        let rows = |commit: &str, method: &str, class: &str| {
            format!(
                "scenario,commit,decodeNs,methodology,machineClass\nA,{commit},100,{method},{class}\n"
            )
        };
        let old = rows("one", "min of 5", "m1");
        assert_eq!(commits(&old, &rows("two", "min of 5", "m1")), ["A one"]);
        assert_eq!(commits(&old, &rows("two", "min of 9", "m1")), ["A two"]);
        assert_eq!(commits(&old, &rows("two", "min of 5", "m2")), ["A two"]);
    }

    #[test]
    fn new_metrics_outcomes_and_samples_replace_old_rows() {
        let old = "scenario,commit,decodeNs\nA,one,100\n";
        assert_eq!(
            commits(old, "scenario,commit,decodeNs,allocs\nA,two,100,5\n"),
            ["A two"]
        );
        assert_eq!(
            commits(old, "scenario,commit,decodeNs,outcome\nA,two,100,failed\n"),
            ["A two"]
        );
        let several = "scenario,commit,runIndex,decodeNs\nA,two,0,100\nA,two,1,100\nA,two,2,100\n";
        assert_eq!(commits(old, several), ["A two"]);
        // If a benchmark has rows of several commits in the file, they are replaced.
        let rolling = "scenario,commit,decodeNs\nA,zero,100\nA,one,100\n";
        assert_eq!(
            commits(rolling, "scenario,commit,decodeNs\nA,two,100\n"),
            ["A two"]
        );
    }

    #[test]
    fn file_that_is_not_a_baseline_is_replaced() {
        assert_eq!(
            commits("", "scenario,commit,decodeNs\nA,two,100\n"),
            ["A two"]
        );
        assert_eq!(
            commits("nonsense\n", "scenario,commit,decodeNs\nA,two,100\n"),
            ["A two"]
        );
    }
}
