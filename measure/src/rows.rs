//! Creates rows, and writes them as CSV.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use perf_cli::{file, term};
use perf_config::Config;
use perf_model::row::{Conditions, Key, Metrics, Name, Outcome, Row, Value};
use perf_readers::baseline;

/// Collects metrics by name, without those that were not measured.
pub fn metrics<'n>(named: impl IntoIterator<Item = (&'n str, Option<Value>)>) -> Metrics {
    named
        .into_iter()
        .filter_map(|(name, value)| Some((Name::from(name), value?)))
        .collect()
}

/// Converts a count to a value. Returns `None` if the count does not fit into a row.
pub fn count(count: u64) -> Option<Value> {
    i64::try_from(count).ok().map(Value::Int)
}

/// Converts a count to a float.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub fn float(count: u64) -> f64 {
    count as f64
}

/// Creates a benchmark's row with this methodology.
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

/// Creates a row with this key. The row has no launch ID.
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

/// Returns the names of the benchmarks in these rows.
pub fn names(rows: &[Row]) -> BTreeSet<Name> {
    rows.iter().map(|row| Name::clone(&row.scenario)).collect()
}

/// Corrects benchmark names to match a run of the whole suite. Go appends the number of processors to each name, so the
/// result `Read/all-8` of a single sub-benchmark is ambiguous: `-8` may be part of the name.
pub fn name_as_known(rows: &mut [Row], is_known: impl Fn(&str) -> bool) {
    let printed = names(rows);
    for row in rows {
        if let Some(name) = known_name(&row.scenario, &is_known)
            && !printed.contains(&name)
        {
            Arc::make_mut(&mut row.key).scenario = name;
        }
    }
}

/// Returns the name without the number at its end, if only the shorter name is known.
pub fn known_name(benchmark: &str, is_known: impl Fn(&str) -> bool) -> Option<Name> {
    if is_known(benchmark) {
        return None;
    }
    let (name, number) = benchmark.rsplit_once('-')?;
    let is_renamed = number.parse::<u32>().is_ok() && is_known(name);
    is_renamed.then(|| name.into())
}

/// Cuts a name to the maximum length in a row.
pub fn shortened(name: &str) -> Name {
    format!("{name:.200}").into()
}

/// Writes rows to a file or to standard output.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn write(rows: &[Row], path: Option<&Path>) -> anyhow::Result<()> {
    let text = baseline::write(rows, &[], &Config::default())?;
    match path {
        Some(path) => file::write_if_changed(path, text.as_bytes()).map(drop),
        None => term::data(&text),
    }
}
