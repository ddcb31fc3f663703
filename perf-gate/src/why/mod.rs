//! `perf-gate why`: finds the functions that cause a slowdown.
//!
//! * [`Cli`]: the command line. The action also uses its main part, [`WhyRequest`].
//! * `profile`: a common type for the profiles of all profilers, and the causes of a difference between two profiles.
//! * `profiler`: the command, its profiler, and the files that the profiler writes.
//! * `recorded`: profiles base and head.
//! * `source`: the project's files and their changes.
//! * `text`: formats the answer.

mod profile;
mod profiler;
mod recorded;
mod source;
mod text;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use clap::Args;
use measure::pairs::{ProfiledSides, Session};
use perf_cli::help::GENERAL;
use perf_cli::{Common, Exit, ResultExt, file, load, term};
use perf_readers::Format;

use self::profiler::{Plan, Profiler};
use self::recorded::{Launches, Recorded};
use self::source::Source;
use crate::run::{baseline_path, default_base, refuse_unknown, whole_name};

/// Find the functions that made a benchmark slower, by profiling two commits
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    request: WhyRequest,

    /// Write a flame graph to this SVG file, with slower functions in red
    #[arg(short, long, value_name = "SVG", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Write the answer as JSON; `-` is standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,

    #[command(flatten)]
    _common: Common,
}

/// A request: benchmarks, their command, and the commit to compare with.
#[derive(Args, Clone, Debug, Default)]
pub struct WhyRequest {
    /// The benchmarks, each by its name or a unique part of it
    #[arg(required = true, value_name = "BENCHMARK")]
    pub benchmarks: Vec<String>,

    /// The benchmark's command [default: `run.command` of the config]
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,

    /// The commit to compare with [default: the same as for `perf-gate run`]
    #[arg(
        short = 'r',
        long = "base",
        alias = "base-ref",
        value_name = "REV",
        help_heading = "Comparison"
    )]
    pub base_ref: Option<String>,

    /// Profile only the working tree, to see its most expensive functions
    #[arg(long, conflicts_with = "base_ref", help_heading = "Comparison")]
    pub no_base: bool,

    /// Build base and head with this command first [default: `run.build` of the config]
    #[arg(
        long,
        value_name = "COMMAND",
        help_heading = "Comparison",
        hide_short_help = true
    )]
    pub build: Option<String>,

    /// Check out the base commit next to the working tree instead of at the working tree's path
    #[arg(long, help_heading = "Comparison", hide_short_help = true)]
    pub two_paths: bool,

    /// The profiler [default: depends on the command's language]
    #[arg(short, long, value_name = "NAME", help_heading = "Profile")]
    pub profiler: Option<Profiler>,

    /// The format of the results, if it is not detected
    #[arg(
        short,
        long,
        value_name = "NAME",
        value_parser = load::format_name,
        help_heading = "Profile",
        hide_short_help = true
    )]
    pub format: Option<&'static Format>,

    /// Stop profiling after this time if no function stands out
    ///
    /// Then runs without the profiler check that the time changed, for up to as long again
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = perf_config::duration, help_heading = "Profile")]
    pub time_limit: Duration,

    /// True if the time limit includes builds and all benchmarks share it, as in the action.
    #[arg(skip)]
    pub is_whole_limit: bool,

    /// Kill a process run that takes longer
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = perf_config::duration, help_heading = "Profile", hide_short_help = true)]
    pub timeout: Duration,

    /// The config [default: perf-gate.toml or .github/perf-gate.toml]
    #[arg(short, long, value_name = "FILE", help_heading = GENERAL)]
    pub config: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate why Decode_Small --base origin/main
  perf-gate why BenchmarkParse --output why.svg -- go test -bench .
  perf-gate why parse --no-base -- cargo bench --bench parse

callgrind counts instructions of C, C++ and Rust; Python, Node.js and Go have
their own profilers. The JVM and .NET are not supported.

Exit codes: 0 answered; 2 wrong usage or an error; 3 no answer: no function
stands out, or the profile contradicts the measured times";

/// The answer for a benchmark, for the action.
#[derive(Debug)]
#[cfg(feature = "github")]
pub struct WhyAnswer {
    pub benchmark: String,
    /// At most three causes, most important first. Empty if no function stands out.
    pub causes: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// Fails if no profiler is known for the command, or if profiling fails.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let session = Session::start()?;
    if cli.output.is_some() && cli.request.benchmarks.len() > 1 {
        return Err(anyhow!("`--output` can only show one benchmark")).hint("select one benchmark");
    }
    let is_json_only = cli.json.as_deref() == Some(Path::new("-"));
    let mut has_answer = true;
    let mut json = String::new();
    for recorded in explain(&cli.request, &session)? {
        json += &(serde_json::to_string_pretty(&text::json(&recorded)?)? + "\n");
        if let Some(path) = &cli.output {
            let title = text::title(&recorded);
            let svg = profile::flame(&title, recorded.base.as_ref(), &recorded.current);
            file::write_if_changed(path, svg.as_bytes())?;
        }
        has_answer &= recorded.no_answer.is_none();
        if !is_json_only {
            term::data(&term::printable_lines(&text::answer(&recorded)))?;
        }
    }
    match &cli.json {
        Some(_) if is_json_only => term::stdout(&json)?,
        Some(path) => drop(file::write_if_changed(path, json.as_bytes())?),
        None if cli.output.is_none() => term::hint("`--output why.svg` writes a flame graph"),
        None => {}
    }
    Ok(if has_answer { Exit::Ok } else { Exit::NoAnswer })
}

/// Profiles base and head for each benchmark.
fn explain(request: &WhyRequest, session: &Session) -> anyhow::Result<Vec<Recorded>> {
    let end = Instant::now() + request.time_limit;
    let config = load::config(request.config.as_deref())?;
    // Reject unknown benchmarks before anything is built.
    for name in &request.benchmarks {
        if request.command.is_empty() && whole_name(name, &config).is_none() {
            refuse_unknown(name, &baseline_path(&config), &config)?;
        }
    }
    let plan = Plan::new(request, &config)?;
    let reference = match &request.base_ref {
        _ if request.no_base => None,
        Some(reference) => Some(reference.clone()),
        None => {
            let base = default_base()?.context("no commit to compare with");
            let base = base.hint("`--no-base` profiles the working tree alone")?;
            term::note(&base.sentence);
            Some(base.reference)
        }
    };
    let variables = plan.profiler.build_variables(plan.language);
    let pairs = plan.pairs(request, &config, reference.as_deref())?;
    let sides = ProfiledSides::prepare(&pairs, reference.is_some(), &variables, session)?;
    let base_commit = reference.map(|_| sides.base_commit().to_owned());
    let source = Source::load(base_commit.as_deref())?;
    let mut recorded = Vec::new();
    for (at, name) in request.benchmarks.iter().enumerate() {
        let mut limit = request.time_limit;
        if request.is_whole_limit {
            let left = end.saturating_duration_since(Instant::now());
            // Profiling runs each side at least once, so don't start it if no time is left.
            if left.is_zero() {
                break;
            }
            limit = left / u32::try_from(request.benchmarks.len() - at)?;
        }
        let folder = tempfile::tempdir()?;
        let benchmark = whole_name(name, &config).unwrap_or_else(|| name.clone());
        let launches = Launches {
            plan: &plan,
            profiler: plan.profiler,
            benchmark: &benchmark,
            sides: &sides,
            base_commit: base_commit.as_deref(),
            config: &config,
            source: &source,
            folder: folder.path(),
            end: Instant::now() + limit,
        };
        match launches.record() {
            Ok(mut profiles) => {
                // The action has already measured the regression.
                if !request.is_whole_limit {
                    profiles.no_answer = verify(&launches, limit, &mut profiles);
                }
                if profiles.lacks_lines(&source) {
                    term::hint(
                        "no function has source lines: build with `-g` to see inlined functions",
                    );
                }
                recorded.push(profiles);
            }
            // Keep the answers for the earlier benchmarks.
            Err(error) if request.is_whole_limit && !recorded.is_empty() => {
                term::note(&format!(
                    "{benchmark}: {}",
                    perf_cli::failure::message(&error)
                ));
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(recorded)
}

/// Times base and head without the profiler. Returns the reason if the profiles don't explain the change, and then also
/// clears the causes.
fn verify(launches: &Launches<'_>, limit: Duration, recorded: &mut Recorded) -> Option<String> {
    let comparison = recorded.comparison.as_mut()?;
    let mut measured = None;
    if text::says_something(comparison) {
        match launches.measured_change(limit) {
            Ok(change) => measured = change,
            Err(error) => {
                let message = perf_cli::failure::message(&error);
                term::warn(&format!(
                    "the causes are not confirmed by timing: {message}"
                ));
                return None;
            }
        }
    }
    let no_answer = text::no_answer(comparison, measured, recorded.profiler.name());
    if no_answer.is_some() {
        comparison.causes.clear();
    }
    no_answer
}

/// Returns the causes of each benchmark's slowdown.
#[cfg(feature = "github")]
pub fn causes(request: &WhyRequest, session: &Session) -> anyhow::Result<Vec<WhyAnswer>> {
    let mut answers = Vec::new();
    for recorded in explain(request, session)? {
        let causes = match &recorded.comparison {
            Some(comparison) => text::causes_of_growth(comparison, recorded.profiler.name()),
            None => Vec::new(),
        };
        answers.push(WhyAnswer {
            benchmark: recorded.benchmark,
            causes,
        });
    }
    Ok(answers)
}
