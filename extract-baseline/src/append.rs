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
    let keeping = config.clone().keeping_all();
    let before = if exists {
        perf_cli::load::read_strictly(path, &keeping)?
    } else {
        ParseReport::default()
    };
    let known: HashSet<Row> = before.rows.iter().cloned().map(undated).collect();
    let new = crate::as_read(rows, config)?
        .into_iter()
        .filter(|row| !known.contains(&undated(row.clone())));
    let columns = before.columns.into_iter().chain(named).collect();
    Ok((before.rows.into_iter().chain(new).collect(), columns))
}

/// The row in a comparable form: the same numbers for a commit are not new if only the date or the order differs.
fn undated(row: Row) -> Row {
    let metrics = row.metrics.sorted();
    Row {
        measured_at: row.measured_at.filter(|_| row.commit.is_empty()),
        metrics,
        ..row
    }
}

/// The commit, or the date for rows without a commit.
type RunKey = (Name, Option<i64>);

fn run(row: &Row) -> RunKey {
    (
        Name::clone(&row.commit),
        row.measured_at.filter(|_| row.commit.is_empty()),
    )
}

/// Keeps each measurement's rows for its last `commits` commits, by first appearance. Returns the number of dropped
/// rows.
pub(crate) fn keep_last(rows: &mut Vec<Row>, commits: NonZeroUsize) -> usize {
    let before = rows.len();
    let mut runs: HashMap<Identity, IndexSet<RunKey>> = HashMap::new();
    for row in &*rows {
        runs.entry(row.identity()).or_default().insert(run(row));
    }
    rows.retain(|row| {
        let runs = runs.get(&row.identity());
        runs.and_then(|runs| Some((runs.get_index_of(&run(row))?, runs.len())))
            .is_some_and(|(at, all)| at + commits.get() >= all)
    });
    before - rows.len()
}
