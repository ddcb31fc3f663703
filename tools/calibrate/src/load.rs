//! Reads files as histories.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use perf_cli::{Failure, term};
use perf_config::Config;
use perf_model::diagnostic::Diagnostic;
use perf_model::finding::FindingKind;
use perf_model::metric::Declarations;
use perf_model::row::{Metrics, Name, Row};

use crate::runs::{RunHistory, ScenarioChoice};

/// A file's rows in order, its declared metrics, and diagnostics.
#[derive(Default)]
struct Read {
    rows: Vec<Row>,
    declared: Declarations,
    found: Vec<Diagnostic>,
}

/// Reads the rows of many commits: a baseline with commits, or an export of another service. Copies of earlier rows are
/// ignored.
///
/// # Errors
/// The file cannot be read, or contains no selected rows.
pub fn history(
    path: &Path,
    config: &Config,
    choice: &ScenarioChoice,
) -> anyhow::Result<RunHistory> {
    to_history(path, without_copies(read(path, config)?), choice)
}

/// Like [`history`], but for one program's process runs. Keeps equal rows.
pub fn launches(
    path: &Path,
    config: &Config,
    choice: &ScenarioChoice,
) -> anyhow::Result<RunHistory> {
    to_history(path, read(path, config)?, choice)
}

/// Like [`history`], but uses all rows if none is selected.
///
/// # Errors
/// The file cannot be read, or contains no rows.
pub fn history_or_whole(
    path: &Path,
    config: &Config,
    choice: &ScenarioChoice,
) -> anyhow::Result<RunHistory> {
    let mut read = without_copies(read(path, config)?);
    if choice.names_any(&read.rows) {
        return to_history(path, read, choice);
    }
    let shown = term::shown(path);
    read.found.push(Diagnostic::note(format!(
        "`{shown}` contains none of the requested benchmarks, so all its rows are used"
    )));
    to_history(path, read, &ScenarioChoice::default())
}

/// Reads the last versions of a baseline from git. Rows that a version copied from an earlier one are ignored.
///
/// # Errors
/// Git does not know the file, or its versions contain no selected rows.
pub fn history_of_git(
    path: &Path,
    most: usize,
    config: &Config,
    choice: &ScenarioChoice,
) -> anyhow::Result<RunHistory> {
    let mut versions = perf_cli::load::git::versions(path, most)?;
    let snapshots = perf_cli::load::history::rows_of_versions(&mut versions, config);
    let mut found = versions.diagnostics();
    let mut rows: Vec<Row> = snapshots
        .into_iter()
        .flat_map(|snapshot| snapshot.rows)
        .collect();
    keep_first(&mut rows);
    found.extend(in_order(path, &mut rows));
    to_history(
        path,
        Read {
            rows,
            found,
            ..Read::default()
        },
        choice,
    )
}

fn read(path: &Path, config: &Config) -> anyhow::Result<Read> {
    let mut parsed = perf_cli::load::read_history(path, config)?;
    // If a commit was measured several times, keep all results.
    parsed
        .findings
        .retain(|finding| finding.benchmark.is_none() || finding.kind != FindingKind::Ambiguous);
    let mut found = parsed.diagnostics();
    found.extend(in_order(path, &mut parsed.rows));
    Ok(Read {
        rows: parsed.rows,
        declared: parsed.declared,
        found,
    })
}

/// Sorts rows by date if all have one. Returns a warning if they were not in order.
fn in_order(path: &Path, rows: &mut [Row]) -> Option<Diagnostic> {
    let has_dates = rows.iter().all(|row| row.measured_at.is_some());
    let dated: Vec<&Row> = rows
        .iter()
        .filter(|row| row.measured_at.is_some())
        .collect();
    // Rows of the same commit may be in any order.
    let descend = dated
        .windows(2)
        .any(|two| two[1].measured_at < two[0].measured_at && two[0].commit != two[1].commit);
    let so = if has_dates {
        ": its rows are sorted by date"
    } else {
        ", and some rows have none: its rows are used in file order"
    };
    if has_dates {
        rows.sort_by_key(|row| row.measured_at);
    }
    descend.then(|| {
        Diagnostic::warning(format!(
            "the dates in `{}` are not in order{so}",
            term::shown(path)
        ))
    })
}

fn without_copies(mut read: Read) -> Read {
    let before = read.rows.len();
    keep_first(&mut read.rows);
    if read.rows.len() < before {
        let copies = before - read.rows.len();
        read.found.push(Diagnostic::note(format!(
            "ignored copies of earlier rows: {copies}"
        )));
    }
    read
}

/// Keeps the first of rows that only differ in their dates. Merges rows if one contains all metrics of the other. Without
/// commits, the date distinguishes a row from a copy.
fn keep_first(rows: &mut Vec<Row>) {
    let mut seen: HashSet<Row> = HashSet::new();
    let mut firsts: HashMap<Row, usize> = HashMap::new();
    let mut kept: Vec<Row> = Vec::with_capacity(rows.len());
    for row in std::mem::take(rows) {
        let mut undated = row.clone();
        undated.measured_at = row.measured_at.filter(|_| row.commit.is_empty());
        if !seen.insert(undated.clone()) {
            continue;
        }
        undated.metrics = Metrics::default();
        let first = *firsts.entry(undated).or_insert(kept.len());
        match kept.get_mut(first) {
            Some(first) if is_copy(&first.metrics, &row.metrics) => {
                row.metrics
                    .iter()
                    .for_each(|(name, value)| _ = first.metrics.insert(Name::clone(name), value));
            }
            _ => kept.push(row),
        }
    }
    *rows = kept;
}

/// Whether one of the two contains all the other's values.
fn is_copy(one: &Metrics, other: &Metrics) -> bool {
    let is_within = |less: &Metrics, more: &Metrics| {
        less.iter()
            .all(|(name, value)| more.get(name) == Some(value))
    };
    is_within(one, other) || is_within(other, one)
}

fn to_history(path: &Path, read: Read, choice: &ScenarioChoice) -> anyhow::Result<RunHistory> {
    let name = path
        .file_stem()
        .map(|name| term::printable(&name.to_string_lossy()))
        .unwrap_or_default();
    let Read {
        rows,
        declared,
        found,
    } = read;
    let history = RunHistory {
        found,
        declared,
        ..RunHistory::of(name, rows, choice)
    };
    if history.runs.is_empty() {
        term::diagnostics(&history.found);
        let message = format!("`{}` contains no selected rows", term::shown(path));
        let hint = "`--rows` and `--not` select benchmarks by patterns such as `decode_*`";
        return Err(Failure::new(message).hint(hint).into());
    }
    Ok(history)
}
