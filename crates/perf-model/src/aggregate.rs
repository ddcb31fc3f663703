//! Many samples as one row: of a run, for a baseline that is to stay small, or of a launch.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::row::{AGGREGATE, Key, Metrics, Name, Outcome, Row, Value, metric_names};
use crate::suite::median;

/// The least number of samples whose quartiles stand beside the median.
const TELLING: usize = 4;
/// The least number of samples of a launch whose deciles stand beside the median.
const MANY: usize = 5;

/// One row for each measurement: of every metric that of the aggregate row, else the median of the samples, with
/// the quartiles as its spread (`<metric>.lower` and `.upper`). Rows that did not measure stay as they are.
///
/// A measurement is all rows of one scenario, platform, commit, machine class and methodology. The median is the one of
/// [`Measurement::value`](crate::suite::Measurement::value), so that a comparison comes to the same.
pub fn aggregate(rows: Vec<Row>) -> Vec<Row> {
    by_measurement(rows, |samples| {
        (samples.len() >= TELLING).then(|| ends(samples, 4, ["lower", "upper"]))
    })
}

/// As [`aggregate`], for the samples of one launch: with the first and the last decile as the spread (`<metric>.d1` and
/// `.d9`) of at least 5 samples. What else a machine does delays most samples of a busy moment, yet hardly the
/// quickest tenth, which is the quickest of fewer than ten samples.
pub fn aggregate_launch(rows: Vec<Row>) -> Vec<Row> {
    by_measurement(rows, |samples| {
        (samples.len() >= MANY).then(|| ends(samples, 10, ["d1", "d9"]))
    })
}

/// The ends of a spread, by suffix.
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

/// The row that stands for all.
fn summary_row(mut rows: Vec<Row>, spread: &impl Fn(&[Value]) -> Option<Ends>) -> Option<Row> {
    if rows.len() == 1 {
        return rows.pop();
    }
    let mut measured = Metrics::default();
    let names: Vec<Name> = metric_names(&rows).into_iter().cloned().collect();
    let of_all = |name: &str| {
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
        if let Some(value) = of_all(&name) {
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

/// The samples one part in so many from either end.
fn ends(samples: &[Value], parts: usize, names: [&'static str; 2]) -> Ends {
    let mut sorted = samples.to_vec();
    sorted.sort_by(|a, b| a.as_f64().total_cmp(&b.as_f64()));
    let part = sorted.len() / parts;
    [
        (names[0], sorted[part]),
        (names[1], sorted[sorted.len() - 1 - part]),
    ]
}
