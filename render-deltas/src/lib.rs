//! `render-perf-deltas`: compares benchmark rows with a baseline, and gives verdicts.
//!
//! [`compare`] turns a [`CompareRequest`] into a [`CompareReport`]. [`run`] fills the request from the command line and
//! shows the report.

mod changed_files;
mod cli;
mod compared;
mod data;
mod outcome;
mod warnings;

use std::io::IsTerminal;
use std::mem::ManuallyDrop;

use perf_cli::{Exit, file, term};
use perf_model::diagnostic::Diagnostic;
use perf_readers::NoRows;

pub use crate::cli::{Cli, CompareRequest, OutputFormat, ReportForms};
pub use crate::outcome::{BenchmarkReport, CompareReport, Counts};
pub use perf_report::report::{
    FailureReason, MeasuredCommits, ProfiledBenchmark, Remarks, Reproduction,
};

/// Compares, and adds diagnostics to `found` even if it fails.
///
/// # Errors
/// Rows, a baseline or a config that cannot be read, or a gate that cannot detect anything.
pub fn compare(
    request: &CompareRequest,
    found: &mut Vec<Diagnostic>,
) -> anyhow::Result<CompareReport> {
    let config = request.config()?;
    let mut data = data::read(request, &config)?;
    data.add_findings(&request.findings, &config);
    data.leave_out(&request.other_shards);
    if !request.filter.rows.filters.is_empty() {
        data.filter(&request.filter.rows, &config)?;
    }
    let (config, conflicts) = perf_cli::load::with_inputs(config, data.reports());
    perf_cli::load::check_names(&config, request.source.config.as_deref(), data.rows())?;
    data.found.extend(conflicts);
    data.adopt_units(&config);
    if data.no_baseline.is_none() {
        let changed = changed_files::mark_changed_benchmark(&config, &mut data.baseline);
        data.found.extend(changed);
        data.found
            .extend(changed_files::review(&config, &data.baseline));
    }
    found.extend(data.found.iter().cloned());

    // Budgets, required benchmarks and a history can be checked without a baseline.
    let is_checkable =
        !data.history.is_empty() || config.has_budgets() || !config.required.is_empty();
    let outcome = match &data.no_baseline {
        Some(none) if !is_checkable && !none.is_blank_base => Err(none.clone()),
        _ => {
            let compared = compared::compare_rows(request, &config, &data, found)?;
            Ok(Box::new(compared))
        }
    };
    Ok(CompareReport {
        outcome,
        filter: request.platform_filter(&config),
        config,
        data,
        remarks: request.remarks.clone(),
    })
}

/// Runs the command.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    if cli.request.source.answer()? {
        return Ok(Exit::Ok);
    }
    cli.keep_apart()?;
    let mut found = Vec::new();
    let report = compare(&cli.request, &mut found);
    term::diagnostics(&found);
    let report = match report {
        Err(error) if cli.skip_empty && is_empty(&error) => {
            return skipped(&perf_cli::failure::message(&error));
        }
        Ok(report) if cli.skip_empty && report.has_nothing_in_common() => {
            return skipped("no benchmark of this run is in the baseline, on the same platform");
        }
        report => report,
    };
    // Skip freeing: the process ends here, and a million rows would take a tenth of the run time.
    let report = ManuallyDrop::new(report?);
    show(&report, &cli.shown)
}

/// Whether the inputs were read, but contain no requested row.
fn is_empty(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| cause.is::<NoRows>() || cause.is::<compared::NothingMatches>())
}

/// The result lines for a comparison without rows.
fn skipped(why: &str) -> anyhow::Result<Exit> {
    term::warn(&format!("nothing is compared: {why}"));
    term::stdout(&result_lines(&Counts::default()))?;
    Ok(Exit::Ok)
}

fn result_lines(counts: &Counts) -> String {
    let mut text = String::new();
    for (name, value) in counts.lines() {
        text.extend([name, "=", &value, "\n"]);
    }
    text
}

/// Writes a report in the requested forms. Everything is rendered before anything is written, and files are written
/// before standard output, which may be closed.
pub fn show(report: &CompareReport, shown: &ReportForms) -> anyhow::Result<Exit> {
    let is_terminal = std::io::stdout().is_terminal();
    let mut format = shown.stdout(is_terminal);
    let lines = result_lines(&report.counts());
    let data = match (&shown.explain, format) {
        (Some(scenario), _) => {
            // An explanation is printed like a report.
            format = OutputFormat::Markdown;
            report.explained(scenario)?
        }
        (None, OutputFormat::Markdown) => report.markdown(shown.limit())?,
        (None, OutputFormat::Json) => report.json()?,
        (None, OutputFormat::Table) => report.table(shown.verbose),
        (None, OutputFormat::Lines) => lines.clone(),
    };
    let mut files = Vec::new();
    if let Some(path) = &shown.json {
        files.push((path, report.json()?));
    }
    if let Some(path) = &shown.comment {
        files.push((path, report.markdown(CompareReport::COMMENT)?));
    }
    if let Some(path) = &shown.output
        && path.as_os_str() != "-"
    {
        files.push((path, report.markdown(shown.limit())?));
    }
    for (path, content) in files {
        file::write_if_changed(path, content.as_bytes())?;
    }

    // The table shows which benchmarks failed; every other form needs these lines in the log.
    let is_table_seen = is_terminal || shown.has_no_lines;
    if format != OutputFormat::Table || !is_table_seen {
        for failure in report.failures() {
            term::stderr(&format!("{failure}\n"));
        }
    }
    match format {
        OutputFormat::Table => term::styled(&data)?,
        OutputFormat::Lines => {
            term::stdout(&data)?;
            let (warning, sentence) = report.conclusion();
            term::diagnostics(&warning);
            if let Some(sentence) = sentence {
                term::note(&sentence);
            }
        }
        OutputFormat::Markdown | OutputFormat::Json => {
            term::data(&data)?;
            if !shown.has_no_lines {
                term::stderr(&lines);
            }
        }
    }
    if shown.exit_code && report.has_failed() {
        return Ok(Exit::Regressed);
    }
    Ok(Exit::Ok)
}
