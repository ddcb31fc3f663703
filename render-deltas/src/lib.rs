//! `render-perf-deltas`: compares benchmark rows with a baseline, and gives verdicts.
//!
//! [`compare`] turns a [`CompareRequest`] into a [`CompareReport`]. [`run`] creates the request from the command line and
//! shows the report.

mod cli;
mod compare;
mod data;
mod outcome;
mod warnings;

use std::io::IsTerminal;

use perf_cli::load::NothingMatches;
use perf_cli::{Exit, file, term};
use perf_readers::NoRows;

pub use crate::cli::{Cli, CompareRequest, OutputFormat, ReportForms};
pub use crate::compare::compare;
pub use crate::outcome::{BenchmarkReport, CompareReport, Counts};
pub use perf_report::report::{
    FailureReason, MeasuredCommits, ProfiledBenchmark, Remarks, Reproduction,
};

/// Runs the command.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    if cli.request.source.answer()? {
        return Ok(Exit::Ok);
    }
    cli.keep_apart()?;
    let mut found = Vec::new();
    let report = compare(&cli.request, &mut found);
    term::diagnostics(&found);
    let skipped = match &report {
        _ if !cli.skip_empty => None,
        Err(error) if is_empty(error) => Some(perf_cli::failure::message(error)),
        Ok(report) if report.has_nothing_in_common() => {
            Some("no benchmark of this run is in the baseline, on the same platform".to_owned())
        }
        _ => None,
    };
    if let Some(why) = skipped {
        term::warn(&format!("nothing is compared: {why}"));
        term::stdout(&result_lines(&Counts::default()))?;
        return Ok(Exit::Ok);
    }
    show(&report?, &cli.shown)
}

/// Whether the error means that the inputs contain no requested rows.
fn is_empty(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| cause.is::<NoRows>() || cause.is::<NothingMatches>())
}

fn result_lines(counts: &Counts) -> String {
    let mut text = String::new();
    for (name, value) in counts.lines() {
        text.extend([name, "=", &value, "\n"]);
    }
    text
}

/// Writes a report in the requested forms. Everything is rendered before anything is written. Files are written before
/// standard output, because standard output may be closed.
pub fn show(report: &CompareReport, shown: &ReportForms) -> anyhow::Result<Exit> {
    let is_terminal = std::io::stdout().is_terminal();
    let mut format = shown.stdout(is_terminal);
    let counts = report.counts();
    let lines = result_lines(&counts);
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

    // The table shows which benchmarks failed. With any other form, the log needs these lines.
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
            term::diagnostics(&report.conclusion());
        }
        OutputFormat::Markdown | OutputFormat::Json => {
            term::data(&data)?;
            if !shown.has_no_lines {
                term::stderr(&lines);
            }
        }
    }
    if shown.exit_code && !counts.failed.is_empty() {
        return Ok(Exit::Regressed);
    }
    Ok(Exit::Ok)
}
