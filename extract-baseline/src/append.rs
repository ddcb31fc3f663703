//! Appends to a file with many runs: adds rows, and drops the oldest runs.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::Context;
use indexmap::IndexSet;
use perf_cli::term;
use perf_config::Config;
use perf_model::row::{Identity, Name, Row};
use perf_readers::ParseReport;

use crate::date_of_run;

/// The file's rows, then the new rows that it does not contain. Both are compared at the file's precision, so that
/// rounding does not duplicate a row.
pub(crate) fn appended(
    path: &Path,
    rows: &[Row],
    named: Vec<Name>,
    config: &Config,
) -> anyhow::Result<(Vec<Row>, Vec<Name>)> {
    let exists = path
        .try_exists()
        .with_context(|| format!("cannot access `{}`", term::shown(path)))?;
    let mut before = ParseReport::default();
    if exists {
        before = perf_cli::load::read_strictly(path, &config.clone().keeping_all())?;
    }
    let known: HashSet<Row> = before.rows.iter().cloned().map(undated).collect();
    let mut all = before.rows;
    for row in crate::as_read(rows, config)? {
        if !known.contains(&undated(row.clone())) {
            all.push(row);
        }
    }
    Ok((all, before.columns.into_iter().chain(named).collect()))
}

/// The row in a comparable form: the same numbers for a commit are not new if only the date or the order differs.
fn undated(row: Row) -> Row {
    Row {
        measured_at: date_of_run(&row),
        metrics: row.metrics.sorted(),
        ..row
    }
}

/// Keeps each measurement's rows for its last `commits` commits, by first appearance. Returns the number of dropped
/// rows.
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
