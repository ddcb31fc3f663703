//! `perf-gate history`: exports all versions of a baseline in git to one file, for databases and `--history`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;
use clap::Args;
use perf_cli::git::Git;
use perf_cli::load::ConfigArgs;
use perf_cli::load::git::{self, RefPath};
use perf_cli::load::history::{Snapshot, rows_of_versions};
use perf_cli::{Exit, ResultExt, file, load, term};
use perf_model::diagnostic::Severity;
use perf_model::row::{Key, Row};
use perf_readers::baseline;

use crate::run::baseline_path;

/// Write the history of a baseline in git as rows, for databases such as DuckDB
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Cli {
    /// The CSV to write; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,

    /// The baseline [default: `files.baseline` of the config, or perf-baseline.csv]
    #[arg(short, long, value_name = "CSV", conflicts_with = "baseline_git")]
    baseline: Option<PathBuf>,

    /// The baseline in a commit, such as `origin/main:perf-baseline.csv`
    #[arg(short = 'g', long, value_name = "REF:PATH")]
    baseline_git: Option<RefPath>,

    /// The maximum number of versions, newest first
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    last: u32,

    #[command(flatten)]
    general: ConfigArgs,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate history --output history.csv
  perf-gate history --baseline-git origin/main:perf-baseline.csv --output history.csv
  duckdb -c \"SELECT scenario, count(*) FROM 'history.csv' GROUP BY ALL\"

Exit codes: 0 written; 2 wrong usage or an error";

/// Runs the command.
///
/// # Errors
/// Fails outside of a repository, if the baseline has no versions, or if the file cannot be written.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    if let Some(extension @ ("json" | "ndjson")) = cli
        .output
        .extension()
        .and_then(|extension| extension.to_str())
    {
        return Err(anyhow!(
            "the history is written as CSV, not as `.{extension}`"
        ))
        .hint("choose a name that ends with `.csv`");
    }
    let config = cli.general.load()?;
    let most = usize::try_from(cli.last).unwrap_or(usize::MAX);
    let mut history = if let Some(place) = &cli.baseline_git {
        Git::here().versions(place, most)?
    } else {
        let named = cli.baseline.clone();
        let path = named.unwrap_or_else(|| baseline_path(&config));
        git::versions(&path, most)?
    };
    let snapshots = rows_of_versions(&mut history, &config);
    // Info messages only say that there are fewer versions than requested.
    let mut found = history.diagnostics();
    found.retain(|found| found.severity > Severity::Info);
    term::diagnostics(&found);
    let versions = snapshots.len();
    let rows = merge_versions(snapshots);
    if rows.is_empty() {
        let path = term::printable(&history.path);
        return Err(anyhow!("no commit contains rows in `{path}`"))
            .hint("write the file with `perf-gate baseline`, and commit it");
    }
    let text = baseline::write(&rows, &[], &config)?;
    if cli.output == Path::new("-") {
        term::data(&text)?;
        return Ok(Exit::Ok);
    }
    file::write_if_changed(&cli.output, text.as_bytes())?;
    term::note(&format!(
        "wrote `{}`: {} rows from {versions} versions",
        term::shown(&cli.output),
        rows.len()
    ));
    Ok(Exit::Ok)
}

/// Merges the rows of all versions. Rows without a commit or a date get those of their version. A baseline that keeps the
/// rows of several commits repeats them in many versions, so each distinct row is exported once.
fn merge_versions(snapshots: Vec<Snapshot>) -> Vec<Row> {
    let mut known = HashSet::new();
    let mut rows = Vec::new();
    for mut snapshot in snapshots {
        load::stamp_commit(&mut snapshot.rows, &snapshot.commit);
        for mut row in snapshot.rows {
            // Set the date after this check, because the date differs between versions.
            if known.insert(row.clone()) {
                row.measured_at = row.measured_at.or(snapshot.date);
                // Queries rely on these columns, so don't leave them out.
                let mut key = Key::clone(&row.key);
                let conditions = Arc::make_mut(&mut key.conditions);
                conditions.machine_class.get_or_insert_default();
                conditions.methodology.get_or_insert_default();
                row.key = key.into();
                rows.push(row);
            }
        }
    }
    rows
}
