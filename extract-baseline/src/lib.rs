//! `extract-perf-baseline`: turns benchmark rows into a normalised baseline CSV.

mod cli;
mod digits;
mod existing;
mod thin;

use std::path::Path;

use indexmap::{IndexMap, IndexSet};
use perf_cli::load::benchmark_files;
use perf_cli::{Exit, ResultExt, Written, file, term};
use perf_config::{BaselineSection, Config, Digits, Refresh};
use perf_model::aggregate::aggregate;
use perf_model::diagnostic::{Diagnostic, counted, named};
use perf_model::row::{Key, Name, Row};
use perf_readers::{Collector, ParseReport, baseline};

pub use crate::cli::{BaselineRequest, Cli};

/// Runs the command.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    if !cli.request.source.answer()? {
        term::diagnostics(&baseline(&cli.request)?);
    }
    Ok(Exit::Ok)
}

/// Reads a run's rows, and adds their origin: platform, commit, machine, methodology and date.
///
/// # Errors
/// Fails if no rows were read, or if a required benchmark was not measured.
pub fn rows(request: &BaselineRequest, config: &Config) -> anyhow::Result<(ParseReport, Config)> {
    let mut parsed = request.source.rows(config)?;
    let (config, mut found) = perf_cli::load::with_inputs(config.clone(), [&parsed].into_iter());
    perf_cli::load::require(&parsed.rows, &config)?;
    request.filter.select(&mut parsed, &config)?;
    let rows = &mut parsed.rows;
    if let Some(path) = &request.machine_specs {
        found.extend(perf_cli::load::stamp_machine(rows, path));
    }
    perf_cli::load::stamp_measured_commit(rows, request.commit.as_deref());
    let (methodology, missing) = benchmark_files::methodology(&config, &benchmark_files::root()?)?;
    found.extend(missing);
    perf_cli::load::stamp_methodology(rows, methodology.as_ref());
    if let Some(date) = request.measured_at {
        for row in &mut *rows {
            row.measured_at.get_or_insert(date);
        }
    }
    if request.keep.is_some() {
        found.extend(unordered(rows));
    }
    term::diagnostics(&found);
    Ok((parsed, config))
}

/// Writes the baseline, and returns notes about changes to the file.
///
/// # Errors
/// Fails if no rows were read, or if the file cannot be written. An existing file then stays as it was.
pub fn baseline(request: &BaselineRequest) -> anyhow::Result<Vec<Diagnostic>> {
    let inputs = request.source.input.iter();
    let inputs: Vec<Option<&Path>> = inputs.map(|path| Some(path.as_path())).collect();
    perf_cli::load::check_no_overwrite(&[request.output.as_deref()], &inputs)?;
    let (parsed, config) = rows(request, &request.source.config()?)?;
    let named: Vec<Name> = parsed.columns.iter().cloned().collect();
    let mut rows = parsed.rows;
    let read = rows.len();
    if request.aggregate || config.files().aggregate {
        rows = aggregate(rows);
    }
    let mut notes = Vec::new();
    notes.extend(shrink(&mut rows, request.keeping(&config), &config)?);
    match &request.output {
        Some(path) if path.as_os_str() != "-" => {
            notes.extend(write(request, path, read, rows, named, &config)?);
        }
        _ => term::data(&baseline::write(&rows, &named, &config)?)?,
    }
    Ok(notes)
}

/// Drops samples and digits that do not affect verdicts. Afterwards, the rows are the same as if they were read from the
/// file.
fn shrink(
    rows: &mut Vec<Row>,
    keeping: BaselineSection,
    config: &Config,
) -> anyhow::Result<Option<Diagnostic>> {
    let mut note = None;
    let most = usize::try_from(keeping.samples).unwrap_or(usize::MAX);
    if (1..rows.len()).contains(&most) {
        let thinned = thin::thin(rows, most, config);
        if thinned > 0 {
            let benchmarks = counted(thinned as u64, "benchmark");
            note = Some(Diagnostic::note(format!(
                "kept about {most} samples of {benchmarks}, at their quantiles; `--samples 0` keeps all"
            )));
        }
    }
    if keeping.digits == Digits::Noise {
        digits::round(rows, config);
    }
    // Reading merges rows that became equal by rounding, and renumbers the remaining process runs.
    let mut collector = Collector::new(config);
    let text = baseline::write(rows, &[], config)?;
    collector.read("rows", &mut text.as_bytes())?;
    let read = collector.finish();
    // If a row cannot be read back, keep the rows as they are.
    if read.skipped_count == 0 {
        *rows = read.rows;
    }
    Ok(note)
}

/// Warns about rows without commit and date, because `--keep` cannot distinguish their runs.
fn unordered(rows: &[Row]) -> Option<Diagnostic> {
    let is_unnamed = |row: &&Row| row.commit.is_empty() && row.measured_at.is_none();
    let count = rows.iter().filter(is_unnamed).count() as u64;
    if count == 0 {
        return None;
    }
    let rows = counted(count, "row");
    let message =
        format!("{rows} without commit and date: `--keep` cannot determine the newest run");
    let hint = "set the commit with `--commit`, or the date with `--measured-at now`";
    Some(Diagnostic::warning(message).hint(hint))
}

fn write(
    request: &BaselineRequest,
    path: &Path,
    read: usize,
    mut rows: Vec<Row>,
    mut named: Vec<Name>,
    config: &Config,
) -> anyhow::Result<Vec<Diagnostic>> {
    let keeping = request.keeping(config);
    let mut changes = Vec::new();
    if request.append {
        file::require_ordinary(path)?;
        (rows, named) = existing::appended(path, rows, named, config)?;
        if let Some(commits) = request.keep {
            let dropped = existing::keep_last(&mut rows, commits);
            if dropped > 0 {
                changes.push(format!(
                    "dropped rows older than their benchmark's last {commits} commits: {dropped}"
                ));
            }
        }
    } else if request.replace && path.is_file() {
        // A pipe or a device contains no earlier rows, and an unreadable file's rows cannot be kept.
        let before = perf_cli::load::read(&[path], None, &config.clone().keeping_all());
        let before = before.unwrap_or_default().rows;
        // Do not warn about benchmarks that the config drops.
        let listed = perf_cli::load::read(&[path], None, config);
        term::diagnostics(&lost_benchmarks(
            path,
            &listed.unwrap_or_default().rows,
            &rows,
        ));
        if keeping.refresh == Refresh::Moved {
            file::require_ordinary(path)?;
            let settled;
            (rows, settled) = existing::with_unchanged_rows(&before, rows, config);
            // The rows from the file may contain more samples than the current limit.
            shrink(&mut rows, keeping, config)?;
            if settled > 0 {
                let benchmarks = counted(settled as u64, "benchmark");
                changes.push(format!(
                    "{benchmarks} did not change and keep their rows; `--refresh all` writes every row"
                ));
            }
        }
    }
    let text = baseline::write(&rows, &named, config)?;
    let mut written = Written::Created;
    if request.append || request.replace {
        written = file::write_if_changed(path, text.as_bytes())?;
    } else {
        let created = file::create_new(path, text.as_bytes());
        if path.exists() {
            created.hint("`--replace` overwrites it, `--append` adds to it")?;
        } else {
            created?;
        }
    }
    let state = if written == Written::Unchanged {
        "is up to date"
    } else {
        "is written"
    };
    let all = rows.len();
    let note = format!(
        "`{}` {state}: {read} rows read, {all} in it",
        term::shown(path)
    );
    changes.insert(0, note);
    Ok(changes.into_iter().map(Diagnostic::note).collect())
}

/// Warns about benchmarks that are in the file, but not in the run. Another suite may have written the file, or the run was
/// interrupted.
fn lost_benchmarks(path: &Path, before: &[Row], rows: &[Row]) -> Option<Diagnostic> {
    let kept: IndexSet<&Name> = rows.iter().map(|row| &row.scenario).collect();
    let before: IndexSet<&Name> = before.iter().map(|row| &row.scenario).collect();
    let lost = before.difference(&kept);
    let lost: Vec<String> = lost.map(|name| term::in_backticks(name)).collect();
    if lost.is_empty() {
        return None;
    }
    Some(Diagnostic::warning(format!(
        "`{}` loses benchmarks that were not measured: {}",
        term::shown(path),
        named(&lost, 1)
    )))
}

/// Returns the indices of each run's rows. Runs are in order of first appearance. Rows belong to the same run if their keys
/// are equal and, without a commit, also their dates.
fn places_by_run(rows: &[Row]) -> Vec<Vec<usize>> {
    let mut runs: IndexMap<(&Key, Option<i64>), Vec<usize>> = IndexMap::new();
    for (at, row) in rows.iter().enumerate() {
        runs.entry((&row.key, date_of_run(row)))
            .or_default()
            .push(at);
    }
    runs.into_values().collect()
}

/// Returns the date of a row without a commit, which distinguishes its run from others. Returns `None` if the row has a
/// commit.
fn date_of_run(row: &Row) -> Option<i64> {
    row.measured_at.filter(|_| row.commit.is_empty())
}
