//! Histories with one number a line, as dashboards keep them: `suite,name,unixMs,commit,value,unit`.
//!
//! The suite is where the scenario `name` ran, and the unit is the metric: `ns/iter` implies that less is better,
//! `ops/sec` that more is.

use std::sync::Arc;

use perf_model::row::{AGGREGATE, Interner, Key, Metrics, Outcome, Row, Value};
use serde::Deserialize;

/// The columns that make a file one of these.
const COLUMNS: [&str; 6] = ["suite", "name", "unixMs", "commit", "value", "unit"];

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct LongError {
    line: u64,
    why: String,
}

/// A line, as it is written.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    suite: String,
    name: String,
    unix_ms: i64,
    commit: String,
    value: String,
    unit: String,
}

/// Whether the first line of a text names those columns.
pub fn is_long(text: &str) -> bool {
    let first = text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default();
    let names: Vec<&str> = first.split(',').map(str::trim).collect();
    COLUMNS.iter().all(|column| names.contains(column))
}

/// Reads such a text into rows, the oldest first.
///
/// # Errors
/// The first line that cannot be read.
pub fn read(text: &str) -> Result<Vec<Row>, LongError> {
    let mut reader = csv::Reader::from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let mut names = Interner::default();
    let mut rows: Vec<(i64, Row)> = Vec::new();
    for (at, record) in reader.deserialize::<Line>().enumerate() {
        let line = record.map_err(|error| LongError {
            line: error.position().map_or(at as u64 + 2, csv::Position::line),
            why: error.to_string(),
        })?;
        rows.extend(row(&line, &mut names).map(|row| (line.unix_ms, row)));
    }
    rows.sort_by_key(|(time, _)| *time);
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

/// The row of a line; `None` where it has no number.
fn row(line: &Line, names: &mut Interner) -> Option<Row> {
    let value = Value::parse(line.value.trim())?;
    // Some tools put more numbers behind the unit.
    let unit = line.unit.split_whitespace().next()?;
    let key = Key {
        scenario: names.intern(&line.name),
        platform: names.intern(&line.suite),
        commit: names.intern(&line.commit),
        ..Key::default()
    };
    Some(Row {
        key: Arc::new(key),
        run_index: AGGREGATE,
        launch: None,
        outcome: Outcome::Measured,
        measured_at: None,
        metrics: Metrics::from_iter([(names.intern(unit), value)]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "suite,name,unixMs,commit,value,unit,range\n\
        Go,fib,20,bbb,12.5,ns/op\t 4 more,±1\n\
        Rust,fib,10,aaa,3e2,ns/iter,\"+/- 2,802\"\n\
        Rust,other,10,aaa,,ns/iter,\n";

    #[test]
    fn lines_become_rows_by_time_and_units_metrics() {
        let rows = read(TEXT).unwrap();
        let described = |row: &Row| {
            let (metric, value) = row.metrics.iter().next().unwrap();
            format!("{} {} {} {metric}={value}", row.platform, row.scenario, row.commit)
        };
        assert_eq!(
            rows.iter().map(described).collect::<Vec<_>>(),
            ["Rust fib aaa ns/iter=300", "Go fib bbb ns/op=12.5"]
        );
        assert!(is_long(TEXT) && !is_long("scenario,platform,commit\n"));
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        let text = format!("{TEXT}Go,fib,soon,ccc,1,ns/op,\n");
        assert!(read(&text).unwrap_err().to_string().starts_with("line 5: "));
    }
}
