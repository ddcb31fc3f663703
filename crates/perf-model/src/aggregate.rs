//! Combines many samples into one row: all samples of a run (to keep a baseline small) or all iterations of a process
//! run.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::row::{AGGREGATE, Key, Metrics, Name, Outcome, Row, Value, metric_names};
use crate::suite::median;

/// The fewest samples for which quartiles are written next to the median.
const MIN_FOR_QUARTILES: usize = 4;
/// The fewest iterations of a process run for which deciles are written next to the median.
const MIN_FOR_DECILES: usize = 5;

/// Combines each measurement's rows into one row. Each metric's value comes from the aggregate row if there is
/// one; otherwise it is the median of the samples, with the quartiles as `<metric>.lower` and `<metric>.upper`.
/// Skipped and failed rows are kept separate.
///
/// A measurement is all rows with the same scenario, platform, commit, machine type and methodology. The median is
/// computed as in [`Measurement::value`](crate::suite::Measurement::value), so a comparison gets the same value
/// either way.
pub fn aggregate(rows: Vec<Row>) -> Vec<Row> {
    by_measurement(rows, |samples| {
        (samples.len() >= MIN_FOR_QUARTILES).then(|| ends(samples, 4, ["lower", "upper"]))
    })
}

/// Like [`aggregate`], for the iterations of one process run. With 5 or more iterations, the first and last deciles
/// are written as `<metric>.d1` and `<metric>.d9`: background load slows most iterations of a busy moment, but hardly
/// the fastest tenth. With fewer than ten iterations, the fastest tenth is the minimum.
pub fn aggregate_launch(rows: Vec<Row>) -> Vec<Row> {
    by_measurement(rows, |samples| {
        (samples.len() >= MIN_FOR_DECILES).then(|| ends(samples, 10, ["d1", "d9"]))
    })
}

/// The two ends of a spread, as pairs of suffix and value.
type Ends = [(&'static str, Value); 2];

fn by_measurement(rows: Vec<Row>, spread: impl Fn(&[Value]) -> Option<Ends>) -> Vec<Row> {
    let mut measurements: IndexMap<(Arc<Key>, Outcome), Vec<Row>> = IndexMap::new();
    for row in rows {
        measurements
            .entry((Arc::clone(&row.key), row.outcome))
            .or_default()
            .push(row);
    }
    measurements
        .into_values()
        .filter_map(|rows| summary_row(rows, &spread))
        .collect()
}

/// The one row that replaces all `rows`.
fn summary_row(mut rows: Vec<Row>, spread: &impl Fn(&[Value]) -> Option<Ends>) -> Option<Row> {
    if rows.len() == 1 {
        return rows.pop();
    }
    let mut measured = Metrics::default();
    let names: Vec<Name> = metric_names(&rows).into_iter().cloned().collect();
    let aggregate_value = |name: &str| {
        rows.iter()
            .find(|row| row.run_index == AGGREGATE)?
            .metrics
            .get(name)
    };
    for name in names {
        let samples: Vec<Value> = rows
            .iter()
            .filter_map(|row| row.metrics.get(&name))
            .collect();
        if let Some(value) = aggregate_value(&name) {
            measured.insert(name, value);
            continue;
        }
        let ends = spread(&samples);
        if let Some(value) = median(samples) {
            measured.insert(Name::clone(&name), value);
        }
        for (end, value) in ends.into_iter().flatten() {
            measured.insert(format!("{name}.{end}").into(), value);
        }
    }
    let first = rows.into_iter().next()?;
    Some(Row {
        run_index: AGGREGATE,
        launch: None,
        metrics: measured,
        ..first
    })
}

/// The sorted samples at one `1 / parts` from either end.
fn ends(samples: &[Value], parts: usize, names: [&'static str; 2]) -> Ends {
    let mut sorted = samples.to_vec();
    sorted.sort_by(|a, b| a.as_f64().total_cmp(&b.as_f64()));
    let part = sorted.len() / parts;
    [
        (names[0], sorted[part]),
        (names[1], sorted[sorted.len() - 1 - part]),
    ]
}
