//! `extract-perf-baseline`: turns benchmark rows into a normalised baseline CSV.

mod append;
mod cli;
mod digits;
mod refresh;
mod runs;
mod thin;

use std::collections::BTreeSet;
use std::path::Path;

use indexmap::IndexSet;
use perf_cli::load::benchmark_files;
use perf_cli::{Exit, Failure, ResultExt, Written, file, term};
use perf_config::{BaselineSection, Config, Digits, Refresh};
use perf_model::aggregate::aggregate;
use perf_model::diagnostic::{Diagnostic, counted, named};
use perf_model::row::{Name, Row};
use perf_model::suite::Definitions;
use perf_readers::{Collector, ParseReport, baseline};

pub use crate::cli::{BaselineRequest, Cli};

/// Runs the command.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    if !cli.request.source.answer()? {
        let report = baseline(&cli.request)?;
        term::diagnostics(&report.notes);
    }
    Ok(Exit::Ok)
}

/// The result of a [`BaselineRequest`].
pub struct BaselineReport {
    /// The rows of this run as they were written.
    pub rows: Vec<Row>,
    /// Notes about changes to the file.
    pub notes: Vec<Diagnostic>,
}

/// Reads a run's rows, and adds their origin: platform, commit, machine, methodology and date.
///
/// # Errors
/// No rows, or a row that the config forbids.
pub fn rows(request: &BaselineRequest, config: &Config) -> anyhow::Result<(ParseReport, Config)> {
    let parsed = request.source.rows(config)?;
    let (config, mut found) = perf_cli::load::with_inputs(config.clone(), [&parsed].into_iter());
    perf_cli::load::require(&parsed.rows, &config)?;
    let mut parsed = keep_scope(parsed, &config, request.scope.as_deref())?;
    let before = parsed.rows.len();
    request.filter.apply(&mut parsed, &config);
    if parsed.rows.is_empty() && before > 0 {
        return Err(Failure::new(format!("none of the {before} rows matches the filters")).into());
    }
    let rows = &mut parsed.rows;
    if let Some(path) = &request.machine_specs {
        found.extend(perf_cli::load::stamp_machine(rows, path));
    }
    perf_cli::load::stamp_measured_commit(rows, request.commit.as_deref());
    let (methodology, missing) = benchmark_files::methodology(&config, &benchmark_files::root()?)?;
    term::diagnostics(found.iter().chain(&missing));
    perf_cli::load::stamp_methodology(rows, methodology.as_ref());
    if let Some(date) = request.measured_at {
        for row in &mut *rows {
            row.measured_at.get_or_insert(date);
        }
    }
    term::diagnostics(&unordered(request, rows));
    Ok((parsed, config))
}

/// Writes the baseline.
///
/// # Errors
/// No rows, or a file that cannot be written; an existing one stays as it was.
pub fn baseline(request: &BaselineRequest) -> anyhow::Result<BaselineReport> {
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
            notes.extend(write(request, path, read, &rows, &named, &config)?);
        }
        _ => term::data(&baseline::write(&rows, &named, &config)?)?,
    }
    Ok(BaselineReport { rows, notes })
}

/// Drops samples and digits that do not change a verdict.
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
    if keeping.digits == Digits::Noise && digits::round(rows, config) {
        *rows = as_read(rows, config)?;
    }
    Ok(note)
}

/// The rows as they will be read back from the written file; duplicate rows are merged.
fn as_read(rows: &[Row], config: &Config) -> anyhow::Result<Vec<Row>> {
    let mut collector = Collector::new(config);
    collector.read("rows", &mut baseline::write(rows, &[], config)?.as_bytes())?;
    let read = collector.finish();
    // If a row cannot be read back, keep all rows as they are.
    Ok(if read.skipped_count == 0 {
        read.rows
    } else {
        rows.to_vec()
    })
}

/// The warning that `--keep` cannot distinguish the runs in a file.
fn unordered(request: &BaselineRequest, rows: &[Row]) -> Option<Diagnostic> {
    let is_unnamed = |row: &Row| row.commit.is_empty() && row.measured_at.is_none();
    let count = rows.iter().filter(|row| is_unnamed(row)).count() as u64;
    (request.keep.is_some() && count > 0).then(|| {
        let rows = counted(count, "row");
        let message =
            format!("{rows} without commit and date: `--keep` cannot determine the newest run");
        Diagnostic::warning(message)
            .hint("set the commit with `--commit`, or the date with `--measured-at now`")
    })
}

fn keep_scope(
    mut parsed: ParseReport,
    config: &Config,
    scope: Option<&str>,
) -> anyhow::Result<ParseReport> {
    let Some(scope) = scope else {
        return Ok(parsed);
    };
    let scope_of = |row: &Row| {
        config
            .scope_of(&row.platform)
            .map(|(_, name)| name.to_owned())
    };
    let others: BTreeSet<String> = parsed.rows.iter().filter_map(scope_of).collect();
    parsed
        .rows
        .retain(|row| scope_of(row).as_deref() == Some(scope));
    if !parsed.rows.is_empty() {
        return Ok(parsed);
    }
    let mut found = "none".to_owned();
    if !others.is_empty() {
        found = others.into_iter().collect::<Vec<_>>().join(", ");
    }
    let failure = Failure::new(format!("no row belongs to the scope `{scope}`"));
    Err(failure
        .hint(format!("scopes found: {}", term::printable(&found)))
        .into())
}

fn write(
    request: &BaselineRequest,
    path: &Path,
    read: usize,
    rows: &[Row],
    named: &[Name],
    config: &Config,
) -> anyhow::Result<Vec<Diagnostic>> {
    let keeping = request.keeping(config);
    let text = baseline::write(rows, named, config)?;
    // The rows in the file, the dropped rows of older commits, and the unchanged benchmarks, which keep their rows.
    let (written, [all, dropped, settled]) = if request.append {
        file::update(path, || {
            let (mut rows, named) = append::appended(path, rows, named.to_vec(), config)?;
            let mut dropped = 0;
            if let Some(commits) = request.keep {
                dropped = append::keep_last(&mut rows, commits);
            }
            let text = baseline::write(&rows, &named, config)?;
            Ok((text.into_bytes(), [rows.len(), dropped, 0]))
        })?
    } else if !request.replace {
        let created = file::create_new(path, text.as_bytes());
        if path.exists() {
            created.hint("`--replace` overwrites it, `--append` adds to it")?;
        } else {
            created?;
        }
        (Written::Created, [rows.len(), 0, 0])
    } else {
        // Pipes and devices contain no earlier rows.
        if path.is_file() {
            term::diagnostics(&leaving(path, rows, config));
        }
        if path.is_file() && keeping.refresh == Refresh::Moved {
            file::update(path, || {
                let (mut rows, settled) = refresh::with_unchanged_rows(path, rows.to_vec(), config);
                // The kept rows may exceed the current limit.
                shrink(&mut rows, keeping, config)?;
                let text = baseline::write(&rows, named, config)?;
                Ok((text.into_bytes(), [rows.len(), 0, settled]))
            })?
        } else {
            let written = file::write_if_changed(path, text.as_bytes())?;
            (written, [rows.len(), 0, 0])
        }
    };
    let state = if written == Written::Unchanged {
        "is up to date"
    } else {
        "is written"
    };
    let mut notes = vec![format!(
        "`{}` {state}: {read} rows read, {all} in it",
        term::shown(path)
    )];
    if settled > 0 {
        let benchmarks = counted(settled as u64, "benchmark");
        notes.push(format!(
            "{benchmarks} did not change and keep their rows; `--refresh all` writes every row"
        ));
    }
    if let Some(commits) = request.keep.filter(|_| dropped > 0) {
        notes.push(format!(
            "dropped rows older than their benchmark's last {commits} commits: {dropped}"
        ));
    }
    Ok(notes.into_iter().map(Diagnostic::note).collect())
}

/// The warning that the file's benchmarks are missing in the run: another suite wrote them, or the run was interrupted.
fn leaving(path: &Path, rows: &[Row], config: &Config) -> Option<Diagnostic> {
    // An unreadable file contains no benchmarks to lose.
    let before = perf_cli::load::read(&[path], None, config).ok()?;
    let kept: IndexSet<&Name> = rows.iter().map(|row| &row.scenario).collect();
    let mut leaving: IndexSet<String> = IndexSet::new();
    for row in &before.rows {
        if !kept.contains(&row.scenario) {
            leaving.insert(format!("`{}`", row.scenario));
        }
    }
    if leaving.is_empty() {
        return None;
    }
    let leaving: Vec<String> = leaving.into_iter().collect();
    Some(Diagnostic::warning(format!(
        "`{}` loses benchmarks that were not measured: {}",
        term::shown(path),
        named(&leaving, 1)
    )))
}
