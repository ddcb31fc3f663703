//! Files to histories.

use std::collections::HashSet;
use std::path::Path;

use anyhow::Context;
use perf_cli::{Failure, file, term};
use perf_rows::catalogue::Catalogue;
use perf_rows::row::Row;

use crate::long;
use crate::runs::{Choice, History};

/// What the column of dates is called in files that have the rows of many commits. They are in the order of dates.
const DATES: [&str; 3] = ["snapshotDate", "date", "timestamp"];

/// Reads the rows of many commits: a baseline with a column of commits, or one number a line (see [`long`]).
///
/// # Errors
/// A file that cannot be read, or has no rows that count.
pub fn history(path: &Path, catalogue: &Catalogue, choice: &Choice) -> anyhow::Result<History> {
    of(path, rows(path, catalogue)?, choice)
}

/// The same, and all rows of a history that has none of those that count.
///
/// # Errors
/// A file that cannot be read, or has no rows.
pub fn history_or_whole(path: &Path, catalogue: &Catalogue, choice: &Choice) -> anyhow::Result<History> {
    let rows = rows(path, catalogue)?;
    if choice.names_any(&rows) {
        return of(path, rows, choice);
    }
    term::note(&format!("`{}` has no scenario that was asked for, and is taken whole", term::shown(path)));
    of(path, rows, &Choice::default())
}

/// Reads the last versions of a baseline out of git. What a version only copied from the one before counts once.
///
/// # Errors
/// A file that git does not know, or whose versions have no rows that count.
pub fn history_of_git(
    path: &Path,
    most: usize,
    catalogue: &Catalogue,
    choice: &Choice,
) -> anyhow::Result<History> {
    let mut versions = perf_load::git::versions(path, None, most)?;
    let snapshots = perf_load::history::rows_of_versions(&mut versions, catalogue);
    versions.tell();
    let mut seen: HashSet<Row> = HashSet::new();
    let rows = snapshots.into_iter().flat_map(|snapshot| snapshot.rows);
    of(path, rows.filter(|row| seen.insert(row.clone())).collect(), choice)
}

fn rows(path: &Path, catalogue: &Catalogue) -> anyhow::Result<Vec<Row>> {
    let text = file::read_text(path)?;
    if long::is_long(&text) {
        return long::read(&text).with_context(|| term::shown(path));
    }
    let mut undated = catalogue.clone();
    undated.ignore_columns.extend(DATES.map(str::to_owned));
    let mut readout = perf_load::read(&[path], None, &undated)?;
    // Of a commit that was measured again, every time counts.
    readout.conflicts.clear();
    perf_load::tell(&readout);
    catalogue.learn(&readout.declared);
    Ok(readout.rows)
}

fn of(path: &Path, rows: Vec<Row>, choice: &Choice) -> anyhow::Result<History> {
    let name = path.file_stem().map(|name| term::printable(&name.to_string_lossy())).unwrap_or_default();
    let history = History::of(name, rows, choice);
    if history.runs.is_empty() {
        let message = format!("`{}` has no row that counts", term::shown(path));
        let hint = "`--rows` and `--not` choose scenarios by patterns such as `decode_*`";
        return Err(Failure::new(message).hint(hint).into());
    }
    Ok(history)
}
