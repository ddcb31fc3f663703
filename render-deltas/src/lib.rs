//! `render-perf-deltas`: benchmark rows and a baseline to verdicts.

mod classes;
mod cli;
mod compared;
mod data;
mod doubts;
mod earlier;
mod explained;
mod fail;
mod harness;
mod links;
mod outcome;
mod policies;
mod reproduce;

use std::io::IsTerminal;
use std::path::Path;

use perf_cli::{Exit, file, term};
use perf_config::Config;
use perf_readers::ParseReport;
use perf_report::template::Layout;

pub use crate::cli::Cli;
use crate::cli::OutputFormat;
use crate::fail::failed;
use crate::outcome::{Outcome, Provenance};

/// The command line of a program that measured the rows itself: nobody else has the files that they are in.
#[derive(Clone, Debug)]
pub struct Rerun {
    /// The command line up to and without `--explain`.
    pub command: String,
    /// What follows, such as `-- cargo bench`; may be empty.
    pub benchmark: String,
}

/// Runs the command.
///
/// # Errors
/// What keeps it from doing its work.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    run_for(cli, None)
}

/// Runs the command for a program that says how to do all of it again.
///
/// # Errors
/// As [`run`].
pub fn run_for(cli: &Cli, rerun: Option<&Rerun>) -> anyhow::Result<Exit> {
    let Some(config) = cli.source.in_force()? else { return Ok(Exit::Ok) };
    cli.keep_apart()?;
    let mut data = data::read(cli, &config)?;
    if let (Err(none), Some(rerun)) = (&mut data.baseline, rerun) {
        let create = format!("{} --save {}", rerun.command, rerun.benchmark);
        create.trim_end().clone_into(&mut none.create);
    }
    let (config, conflicts) = perf_cli::load::with_inputs(config, data.reports());
    perf_cli::load::check_names(&config, cli.source.config.as_deref(), data.rows())?;
    data.found.extend(conflicts);
    let changed = |baseline| harness::changed(&config, baseline, cli.paired);
    data.found.extend(data.baseline.as_mut().ok().and_then(changed));
    term::diagnostics(&data.found);
    let outcome = match &data.baseline {
        Ok(baseline) => {
            let compared = compared::compared(cli, &config, &data, baseline)?;
            let failing = failed(&cli.fail_on(&config), &compared);
            Outcome::compared(
                compared,
                &config,
                Provenance::of(cli, &config, rerun, &data.current.rows),
                failing,
            )
        }
        // What holds without a baseline is checked without one, and what has a history is judged by it.
        Err(none) if none.is_blank_base || !data.history.is_empty() || has_absolute_limits(&config) => {
            term::diagnostics(&[none.warning()]);
            let mut compared = compared::compared(cli, &config, &data, &ParseReport::default())?;
            compared.notes.insert(0, none.warning());
            let failing = failed(&cli.fail_on(&config), &compared);
            Outcome::compared(
                compared,
                &config,
                Provenance::of(cli, &config, rerun, &data.current.rows),
                failing,
            )
        }
        Err(none) => Outcome::Skipped { policy: cli.policy(&config), none: none.clone() },
    };
    deliver(cli, &outcome)?;
    let exit = if cli.exit_code && outcome.failed() { Exit::Regressed } else { Exit::Ok };
    // The process ends here: giving back its memory row by row would take a tenth of the time.
    std::mem::forget((outcome, data));
    Ok(exit)
}

/// Whether a config limits values whatever the baseline is.
fn has_absolute_limits(config: &Config) -> bool {
    config.has_budgets() || !config.required.is_empty()
}

/// Everything is made before anything is written, and files are written before standard output, whose reader
/// may be gone.
fn deliver(cli: &Cli, outcome: &Outcome<'_>) -> anyhow::Result<()> {
    let format = cli.stdout(std::io::stdout().is_terminal());
    let is_wanted = cli.output.is_some() || format == OutputFormat::Markdown;
    let (markdown, comment) = texts(cli, outcome, is_wanted)?;
    let explained = cli.explain.as_deref().map(|scenario| outcome.explained(scenario)).transpose()?;
    if let Some(path) = &cli.json {
        file::write_with(path, |out| outcome.json(out))?;
    }
    if let Some((path, comment)) = cli.comment.as_deref().zip(comment) {
        file::write_if_changed(path, comment.as_bytes())?;
    }
    if let Some(path) = cli.output.as_deref().filter(|path| *path != Path::new("-")) {
        file::write_if_changed(path, markdown.as_bytes())?;
    }
    let data = match format {
        _ if explained.is_some() => explained.unwrap_or_default(),
        OutputFormat::Markdown => markdown,
        OutputFormat::Json => {
            let mut json = Vec::new();
            outcome.json(&mut json)?;
            String::from_utf8(json)?
        }
        OutputFormat::Table => return term::styled(&outcome.table(cli.verbose)),
        OutputFormat::Lines => {
            term::stdout(&outcome.lines())?;
            outcome.tell();
            return Ok(());
        }
    };
    term::data(&data)?;
    term::stderr(&outcome.lines());
    Ok(())
}

/// The report as Markdown, and the one that fits a comment, where they are wanted.
fn texts(cli: &Cli, outcome: &Outcome<'_>, is_wanted: bool) -> anyhow::Result<(String, Option<String>)> {
    if !is_wanted && cli.comment.is_none() {
        return Ok((String::new(), None));
    }
    let layout = match &cli.template {
        Some(path) => Layout::new(term::shown(path), &file::read_text(path)?)?,
        None => Layout::of_report()?,
    };
    let report = outcome.report();
    let comment = cli.comment.as_ref().map(|_| report.clone().within(Cli::COMMENT, &layout)).transpose()?;
    let markdown = is_wanted.then(|| report.within(cli.limit(), &layout)).transpose()?;
    Ok((markdown.unwrap_or_default(), comment))
}
