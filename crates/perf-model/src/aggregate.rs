//! Combines many samples into one row: all samples of a run, which keeps a baseline small, or all iterations of a process
//! run.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::row::{AGGREGATE, Key, Metrics, Name, Outcome, Row, Value, metric_names};
use crate::suite::median;

/// The two ends of a spread, which are written next to a median.
struct Spread {
    /// With fewer samples than this, the ends are left out.
    fewest: usize,
    /// Each end is `1/parts` of the samples in from the extreme: 4 for quartiles.
    parts: usize,
    /// The suffixes of the metric's name.
    ends: [&'static str; 2],
}

const QUARTILES: Spread = Spread {
    fewest: 4,
    parts: 4,
    ends: ["lower", "upper"],
};

const DECILES: Spread = Spread {
    fewest: 5,
    parts: 10,
    ends: ["d1", "d9"],
};

/// Combines each measurement's rows into one row. Each metric's value comes from the aggregate row if that contains the
/// metric. Otherwise, the value is the median of the samples, and the quartiles are added as `<metric>.lower` and
/// `<metric>.upper`. Skipped and failed rows are kept separate.
///
/// A measurement is all rows with the same scenario, platform, commit, machine type and methodology. The median is computed
/// as in [`Measurement::value`](crate::suite::Measurement::value), so a comparison gets the same value from the samples and
/// from the combined row.
pub fn aggregate(rows: Vec<Row>) -> Vec<Row> {
    by_measurement(rows, &QUARTILES)
}

/// Like [`aggregate`], but for the iterations of one process run. With 5 or more iterations, the first and the ninth
/// decile are added as `<metric>.d1` and `<metric>.d9`. Background load slows most iterations, but barely affects the
/// fastest tenth. With fewer than ten iterations, the two are the minimum and the maximum.
pub fn aggregate_launch(rows: Vec<Row>) -> Vec<Row> {
    by_measurement(rows, &DECILES)
}

fn by_measurement(rows: Vec<Row>, spread: &Spread) -> Vec<Row> {
    let mut measurements: IndexMap<(Arc<Key>, Outcome), Vec<Row>> = IndexMap::new();
    for row in rows {
        measurements
            .entry((Arc::clone(&row.key), row.outcome))
            .or_default()
            .push(row);
    }
    measurements
        .into_values()
        .filter_map(|rows| summary_row(rows, spread))
        .collect()
}

/// Returns the one row that replaces all `rows`.
fn summary_row(mut rows: Vec<Row>, spread: &Spread) -> Option<Row> {
    if rows.len() == 1 {
        return rows.pop();
    }
    let mut measured = Metrics::default();
    let names: Vec<Name> = metric_names(&rows).into_iter().cloned().collect();
    let aggregate = rows.iter().find(|row| row.run_index == AGGREGATE);
    for name in names {
        if let Some(value) = aggregate.and_then(|row| row.metrics.get(&name)) {
            measured.insert(name, value);
            continue;
        }
        let values = rows.iter().filter_map(|row| row.metrics.get(&name));
        let mut samples: Vec<Value> = values.collect();
        samples.sort_by(|a, b| a.as_f64().total_cmp(&b.as_f64()));
        if let Some(middle) = median(samples.clone()) {
            measured.insert(Name::clone(&name), middle);
        }
        if samples.len() >= spread.fewest {
            let part = samples.len() / spread.parts;
            let ends = [samples[part], samples[samples.len() - 1 - part]];
            for (end, value) in spread.ends.into_iter().zip(ends) {
                measured.insert(format!("{name}.{end}").into(), value);
            }
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
