//! `render-perf-deltas`: benchmark rows and a baseline to verdicts.

mod outcome;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use clap::Parser;
use perf_cli::{Common, Exit, Failure, file, term};
use perf_load::{FilterArgs, InputArgs, tell, tell_left_out};
use perf_rows::catalogue::Catalogue;
use perf_rows::read::Readout;
use perf_rows::suite::{Measurement, Suite};
use perf_verdict::{Policy, Sides, compare};

use crate::outcome::Outcome;

/// Compare the rows of a benchmark run with a baseline and say what changed and what regressed
#[derive(Parser)]
#[command(name = "render-perf-deltas", version, after_help = EXAMPLES)]
struct Cli {
    #[command(flatten)]
    source: InputArgs,

    /// The baseline; when there is none yet, the comparison is skipped and says so
    #[arg(long, value_name = "FILE", required_unless_present_any = ["print_config", "list_formats"])]
    baseline_csv: Option<PathBuf>,

    #[command(flatten)]
    filter: FilterArgs,

    /// Only rows of this scope
    #[arg(long, value_name = "NAME")]
    scope: Option<String>,

    /// The machine that measured, as `collect-machine-specs` describes it: times from another are not compared
    #[arg(long, value_name = "JSON")]
    machine_specs: Option<PathBuf>,

    /// How far a number may move before people are told, as a fraction [default: 0.02]
    #[arg(long, value_name = "FRACTION", value_parser = perf_load::fraction, allow_negative_numbers = true)]
    tolerance: Option<f64>,

    /// How far throughput may drop before it is a regression, as a fraction [default: 0.33]
    #[arg(long, value_name = "FRACTION", value_parser = perf_load::threshold, allow_negative_numbers = true)]
    regression_threshold: Option<f64>,

    /// Write the report as Markdown; `-` is standard output, with the result lines on standard error
    #[arg(long, value_name = "MD")]
    output: Option<PathBuf>,

    /// Write the report as JSON
    #[arg(long, value_name = "FILE", value_parser = perf_load::named_file())]
    json: Option<PathBuf>,

    /// A Handlebars template to use instead of the built-in one
    #[arg(long, value_name = "FILE", requires = "output")]
    template: Option<PathBuf>,

    /// Exit with 1 on a regression, and when nothing could be compared with a baseline of this kind of machine
    #[arg(long)]
    exit_code: bool,

    #[command(flatten)]
    common: Common,
}

const EXAMPLES: &str = "\
Examples:
  render-perf-deltas --input build.log --baseline-csv base.csv --output -
  render-perf-deltas --input build.log --baseline-csv base.csv --exit-code
  render-perf-deltas --input build.log --baseline-csv base.csv \\
    --output deltas.md --json report.json

Standard output has one line each for changed= and regressed= (true or
false), for compared=, improved=, missing= and new= (scenarios), and for
unmeasured= (gated metrics that only the baseline has).

Exit codes: 0 a verdict was reached, whatever it is; 1 with --exit-code, a
regression or nothing compared; 2 something is wrong";

fn main() -> ExitCode {
    perf_cli::main(run)
}

fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let Some(catalogue) = cli.source.in_force()? else { return Ok(Exit::Ok) };
    cli.keep_apart()?;
    let of_catalogue = Policy::of(&catalogue);
    let policy = Policy {
        tolerance: cli.tolerance.unwrap_or(of_catalogue.tolerance),
        threshold: cli.regression_threshold.unwrap_or(of_catalogue.threshold),
        is_threshold_chosen: cli.regression_threshold.is_some() || of_catalogue.is_threshold_chosen,
        ..of_catalogue
    };
    let (readout, baseline) = both(cli, &catalogue);
    let (mut readout, baseline) = (readout?, baseline?);
    if let Some(path) = &cli.machine_specs {
        perf_load::stamp(&mut readout.rows, path);
    }
    if let Ok(baseline) = &baseline {
        catalogue.learn(&baseline.declared);
    }
    let outcome = match &baseline {
        Ok(baseline) => compared(cli, &catalogue, policy, &readout, baseline)?,
        Err(why) => Outcome::Skipped { policy, why: why.clone() },
    };
    deliver(cli, &outcome)?;
    let exit = if cli.exit_code && outcome.failed() { Exit::Regressed } else { Exit::Ok };
    // The process ends here: giving back its memory row by row would take a tenth of the time.
    std::mem::forget((outcome, readout, baseline));
    Ok(exit)
}

impl Cli {
    /// That no file is written over another.
    fn keep_apart(&self) -> anyhow::Result<()> {
        let stdin = |path: &PathBuf| path.as_os_str() == "-";
        if self.source.input.iter().any(stdin) && self.baseline_csv.as_ref().is_some_and(stdin) {
            return Err(Failure::new("standard input can be read only once").into());
        }
        let mut inputs: Vec<Option<&Path>> =
            self.source.input.iter().map(|path| Some(path.as_path())).collect();
        let others = [&self.baseline_csv, &self.source.config, &self.template, &self.machine_specs];
        inputs.extend(others.map(|path| path.as_deref()));
        perf_load::keep_apart(&[self.output.as_deref(), self.json.as_deref()], &inputs)
    }
}

/// Reads both sides at once: they are of a size, and there are cores for both.
fn both(cli: &Cli, catalogue: &Catalogue) -> (anyhow::Result<Readout>, anyhow::Result<Baseline>) {
    thread::scope(|scope| {
        let baseline = scope.spawn(|| baseline(cli, catalogue));
        let readout = cli.source.rows(catalogue);
        (readout, baseline.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// The baseline's rows, or why there is nothing to compare with.
type Baseline = Result<Readout, String>;

fn baseline(cli: &Cli, catalogue: &Catalogue) -> anyhow::Result<Baseline> {
    let path = cli.baseline_csv.as_deref().unwrap_or(Path::new("-"));
    let gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    if path.as_os_str() != "-" && path.symlink_metadata().as_ref().is_err_and(gone) {
        return Ok(Err(format!("No baseline to compare with: there is no {} yet.", term::shown(path))));
    }
    let readout = perf_load::read_strictly(path, catalogue)?;
    if readout.rows.is_empty() && readout.unlisted.is_empty() {
        return Ok(Err(format!("No baseline to compare with: {} has no rows yet.", term::shown(path))));
    }
    Ok(Ok(readout))
}

fn compared<'c>(
    cli: &Cli,
    catalogue: &'c Catalogue,
    policy: Policy,
    readout: &Readout,
    baseline: &Readout,
) -> anyhow::Result<Outcome<'c>> {
    let filter = cli.filter.filter(cli.scope.as_deref());
    let current = Suite::new(&readout.rows, catalogue, &filter);
    let before = Suite::new(&baseline.rows, catalogue, &filter);
    tell(baseline);
    if current.is_empty() {
        let message = format!(
            "none of the {} rows is of the platform and scope that were asked for",
            readout.rows.len()
        );
        return Err(Failure::new(message).hint(perf_load::places(&readout.rows, catalogue)).into());
    }
    if before.is_empty() {
        term::warn("no row of the baseline is of the platform and scope that were asked for");
        term::hint(&perf_load::places(&baseline.rows, catalogue));
    }
    tell_left_out(current.left_out, "");
    tell_left_out(before.left_out, "of the baseline: ");
    let mut notes = perf_load::summary(readout, current.left_out);
    let of_baseline = perf_load::summary(baseline, before.left_out);
    notes.extend(of_baseline.into_iter().map(|note| format!("Of the baseline: {note}")));
    notes.extend(other_machine(&current, &before));
    let comparison = compare(&Sides::new(&current, &before), catalogue, policy);
    for metric in &comparison.idle_gates {
        notes
            .push(format!("The gate on {metric} decides nothing, as no row that it covers has that metric."));
        term::warn(&format!(
            "the gate on `{metric}` decides nothing, as no row that it covers has that metric"
        ));
    }
    Ok(Outcome::Compared { comparison, catalogue, notes })
}

/// That the two sides were measured on different machines, as far as their rows say.
fn other_machine(current: &Suite<'_>, before: &Suite<'_>) -> Option<String> {
    let class =
        |suite: &Suite<'_>| suite.measurements().find_map(Measurement::machine_class).map(str::to_owned);
    let (now, then) = (class(current)?, class(before)?);
    (now != then)
        .then(|| format!("This run was measured on {now}, the baseline on {then}: times are not compared."))
}

/// Everything is made before anything is written, and files are written before standard output, whose reader
/// may be gone.
fn deliver(cli: &Cli, outcome: &Outcome<'_>) -> anyhow::Result<()> {
    let template =
        cli.template.as_deref().map(|path| file::read_text(path).map(|text| (path, text))).transpose()?;
    let template = template.as_ref().map(|(path, text)| (*path, text.as_str()));
    let markdown = cli.output.as_ref().map(|_| outcome.markdown(template)).transpose()?.unwrap_or_default();
    if let Some(path) = &cli.json {
        file::write_if_changed(path, outcome.json().as_bytes())?;
    }
    match cli.output.as_deref() {
        Some(path) if path == Path::new("-") => {
            term::stdout(&markdown)?;
            term::stderr(&outcome.lines());
            return Ok(());
        }
        Some(path) => drop(file::write_if_changed(path, markdown.as_bytes())?),
        None => {}
    }
    term::stdout(&outcome.lines())?;
    outcome.tell();
    Ok(())
}
