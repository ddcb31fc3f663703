//! The output of a measurement: rows, as every other program reads them.

use std::path::Path;
use std::sync::Arc;

use perf_cli::{file, term};
use perf_config::Config;
use perf_model::row::{Conditions, Key, Metrics, Name, Outcome, Row, Value};
use perf_readers::baseline;

/// Metrics by name; what is `None` was not measured.
pub fn metrics<'n>(named: impl IntoIterator<Item = (&'n str, Option<Value>)>) -> Metrics {
    named
        .into_iter()
        .filter_map(|(name, value)| Some((Name::from(name), value?)))
        .collect()
}

/// A count as a value; `None` beyond what a row can hold.
pub fn count(count: u64) -> Option<Value> {
    i64::try_from(count).ok().map(Value::Int)
}

/// A row of this benchmark, measured this way.
pub fn row(scenario: &str, methodology: &str, run_index: i64, metrics: Metrics) -> Row {
    let conditions = Conditions {
        methodology: Some(methodology.into()),
        ..Conditions::default()
    };
    let key = Key {
        scenario: shortened(scenario),
        conditions: conditions.into(),
    };
    of_key(key.into(), run_index, metrics)
}

/// A row of a launch of its own.
pub fn of_key(key: Arc<Key>, run_index: i64, metrics: Metrics) -> Row {
    Row {
        key,
        run_index,
        outcome: Outcome::Measured,
        launch: None,
        measured_at: None,
        metrics,
    }
}

/// Names rows as in a run of all benchmarks, whose names are known. Go has the number of processors behind each name, and a single
/// sub-benchmark, as in `Read/all-8`, does not tell whether it is one.
pub fn name_as_known(rows: &mut [Row], is_known: impl Fn(&str) -> bool) {
    for row in rows.iter_mut().filter(|row| !is_known(&row.key.scenario)) {
        let name = row
            .key
            .scenario
            .rsplit_once('-')
            .filter(|(_, number)| number.parse::<u32>().is_ok());
        if let Some((name, _)) = name.filter(|(name, _)| is_known(name)) {
            row.key = Key {
                scenario: name.into(),
                conditions: Arc::clone(&row.key.conditions),
            }
            .into();
        }
    }
}

/// A name that fits into a row.
pub fn shortened(name: &str) -> Name {
    name.chars().take(200).collect::<String>().into()
}

/// Writes rows to a file, or to standard output.
///
/// # Errors
/// A file that cannot be written.
pub fn write(rows: &[Row], path: Option<&Path>) -> anyhow::Result<()> {
    let text = baseline::write(rows, &[], &Config::default())?;
    match path {
        Some(path) => file::write_if_changed(path, text.as_bytes()).map(drop),
        None => term::data(&text),
    }
}
