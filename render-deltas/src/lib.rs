//! `render-perf-deltas`: compares benchmark rows with a baseline, and gives verdicts.
//!
//! [`compare`] turns a [`CompareRequest`] into a [`CompareReport`]. [`run`] fills the request from the command line and
//! shows the report.

mod benchmark_files;
mod classes;
mod cli;
mod compared;
mod data;
mod earlier;
mod explained;
mod fail;
mod fail_on;
mod outcome;
mod platforms;
mod reproduce;
mod review;
mod warnings;

use std::io::IsTerminal;
use std::mem::ManuallyDrop;
use std::path::Path;

use perf_cli::{Exit, file, term};
use perf_config::Config;
use perf_model::diagnostic::Diagnostic;
use perf_readers::{NoRows, ParseReport};

pub use crate::cli::{Cli, CompareRequest, OutputFormat, ReportForms};
pub use crate::fail::FailureReason;
use crate::fail::failed;
pub use crate::fail_on::FailOnList;
pub use crate::outcome::{BenchmarkReport, CompareReport, Counts};
use crate::outcome::{CompareOutcome, ComparisonProvenance};
pub use perf_report::report::{MeasuredCommits, ProfiledBenchmark, Remarks, Reproduction};

/// Compares, and adds diagnostics to `found` even if it fails.
///
/// # Errors
/// Rows, a baseline or a config that cannot be read, or a gate that cannot detect anything.
pub fn compare(
    request: &CompareRequest,
    found: &mut Vec<Diagnostic>,
) -> anyhow::Result<CompareReport> {
    let config = config_of(request)?;
    let paired;
    let request = if config.deltas.paired && !request.paired {
        paired = CompareRequest {
            paired: true,
            ..request.clone()
        };
        &paired
    } else {
        request
    };
    let remarks = request.remarks.clone();
    let mut data = data::read(request, &config)?;
    data.add_findings(&request.findings, &config);
    data.leave_out(&request.other_shards);
    if !request.filter.rows.filters.is_empty() {
        data.filter(&request.filter.rows, &config)?;
    }
    if let (Err(none), Some(again)) = (&mut data.baseline, &request.reproduction)
        && let Some(benchmark) = &again.benchmark
    {
        let create = format!("{} --save {benchmark}", again.command);
        create.trim_end().clone_into(&mut none.create);
    }
    let (config, conflicts) = perf_cli::load::with_inputs(config, data.reports());
    perf_cli::load::check_names(&config, request.source.config.as_deref(), data.rows())?;
    data.found.extend(conflicts);
    platforms::match_versions(&mut data, &config);
    data.adopt_units(&config);
    let changed = |baseline| benchmark_files::changed(&config, baseline, request.paired);
    data.found
        .extend(data.baseline.as_mut().ok().and_then(changed));
    data.found.extend(
        data.baseline
            .as_ref()
            .ok()
            .and_then(|baseline| review::note(&config, baseline)),
    );
    found.extend(data.found.iter().cloned());
    let without_baseline = ParseReport::default();
    let (baseline, missing) = match &data.baseline {
        Ok(baseline) => (baseline, None),
        // Budgets, required benchmarks and a history can be checked without a baseline.
        Err(none)
            if none.is_blank_base
                || !data.history.is_empty()
                || config.has_budgets()
                || !config.required.is_empty() =>
        {
            (&without_baseline, Some(none.warning()))
        }
        Err(none) => {
            let filter = request.filter.filter(request.scope(&config));
            let outcome = CompareOutcome::Skipped {
                thresholds: request.thresholds(&config),
                none: none.clone(),
                filter,
            };
            return Ok(CompareReport {
                outcome,
                config,
                data,
                remarks,
            });
        }
    };
    found.extend(missing.clone());
    let mut compared = compared::compared(request, &config, &data, baseline, found)?;
    compared.notes.splice(0..0, missing);
    let failed = failed(&request.fail_on(&config), &compared, request.is_decisive);
    let provenance = ComparisonProvenance::of(request, &config, &data.current.rows);
    let outcome = CompareOutcome::Compared {
        compared: Box::new(compared),
        provenance,
        failed,
    };
    Ok(CompareReport {
        outcome,
        config,
        data,
        remarks,
    })
}

/// The config, changed for reruns and for other shards.
fn config_of(request: &CompareRequest) -> anyhow::Result<Config> {
    let mut config = request.source.config()?;
    if request.is_rerun {
        config.history = config.history.of_reruns();
    }
    config.required.retain(|required| {
        !request
            .other_shards
            .iter()
            .any(|name| required.is_benchmark(name))
    });
    Ok(config)
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
    let lines = counts.lines();
    lines
        .iter()
        .flat_map(|(name, value)| [name, "=", value.as_str(), "\n"].map(str::to_owned))
        .collect()
}

/// Writes a report in the requested forms. Everything is rendered before anything is written, and files are written
/// before standard output, which may be closed.
pub fn show(report: &CompareReport, shown: &ReportForms) -> anyhow::Result<Exit> {
    let format = shown.stdout(std::io::stdout().is_terminal());
    let is_wanted = shown.output.is_some() || format == OutputFormat::Markdown;
    let markdown = |limit| report.markdown(limit);
    let comment = shown
        .comment
        .as_ref()
        .map(|_| markdown(CompareReport::COMMENT))
        .transpose()?;
    let markdown = is_wanted
        .then(|| markdown(shown.limit()))
        .transpose()?
        .unwrap_or_default();
    let explained = shown
        .explain
        .as_deref()
        .map(|scenario| report.explained(scenario))
        .transpose()?;
    if let Some(path) = &shown.json {
        file::write_if_changed_with(path, |out| report.write_json(out))?;
    }
    if let Some((path, comment)) = shown.comment.as_deref().zip(comment) {
        file::write_if_changed(path, comment.as_bytes())?;
    }
    if let Some(path) = shown
        .output
        .as_deref()
        .filter(|path| *path != Path::new("-"))
    {
        file::write_if_changed(path, markdown.as_bytes())?;
    }
    let exit = if shown.exit_code && report.has_failed() {
        Exit::Regressed
    } else {
        Exit::Ok
    };
    let lines = result_lines(&report.counts());
    // The table shows which benchmarks failed; every other form needs these lines in the log.
    let is_table_seen = std::io::stdout().is_terminal() || shown.has_no_lines;
    if format != OutputFormat::Table || !is_table_seen || explained.is_some() {
        for failure in report.failures() {
            term::stderr(&format!("{failure}\n"));
        }
    }
    let data = match format {
        _ if explained.is_some() => explained.unwrap_or_default(),
        OutputFormat::Markdown => markdown,
        OutputFormat::Json => {
            let mut json = Vec::new();
            report.write_json(&mut json)?;
            String::from_utf8(json)?
        }
        OutputFormat::Table => return term::styled(&report.table(shown.verbose)).map(|()| exit),
        OutputFormat::Lines => {
            term::stdout(&lines)?;
            let (warning, sentence) = report.conclusion();
            term::diagnostics(&warning);
            if let Some(sentence) = sentence {
                term::note(&sentence);
            }
            return Ok(exit);
        }
    };
    term::data(&data)?;
    if !shown.has_no_lines {
        term::stderr(&lines);
    }
    Ok(exit)
}
