//! `perf-gate why`: the functions behind a slowdown.
//!
//! * [`Cli`]: the command line.
//! * `profiler`: the profilers, how a command runs under each, and reading what it leaves.
//! * `recorded`: the profiles of both sides.
//! * `source`: the project's own files, and what changed in them.
//! * `text`: the answer in words.

mod profiler;
mod recorded;
mod source;
mod text;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use measure::pairs::Session;
use perf_cli::help::GENERAL;
use perf_cli::{Common, Exit, file, term};
use perf_profile::{Cause, Comparison};

use self::profiler::Profiler;
use self::recorded::{Recorded, record};
use self::source::Source;

/// Find the functions that made a benchmark slower, by profiling two commits
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Cli {
    /// The benchmark, or any part of its name that no other of the last run has
    benchmark: String,

    /// The benchmark's command [default: `run.command` of the config]
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,

    /// The commit to compare with [default: HEAD if files changed since, else where the branch began, else HEAD~1]
    #[arg(short = 'r', long, value_name = "REF", help_heading = "Comparison")]
    base_ref: Option<String>,

    /// Profile the working tree alone: where the time goes
    #[arg(long, conflicts_with = "base_ref", help_heading = "Comparison")]
    no_base: bool,

    /// Build each side with this command first [default: `run.build` of the config]
    #[arg(long, value_name = "COMMAND", help_heading = "Comparison", hide_short_help = true)]
    build: Option<String>,

    /// Check the commit out beside the working tree, not at its path
    #[arg(long, help_heading = "Comparison", hide_short_help = true)]
    two_paths: bool,

    /// The profiler [default: by the command's language]
    #[arg(short, long, value_name = "NAME", help_heading = "Profile")]
    profiler: Option<Profiler>,

    /// The format of the results, where it is not detected
    #[arg(short, long, value_name = "NAME", help_heading = "Profile", hide_short_help = true)]
    format: Option<String>,

    /// End a launch that takes longer
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = perf_config::duration, help_heading = "Profile", hide_short_help = true)]
    timeout: Duration,

    /// Write a flame graph to this SVG file; red is what got slower
    #[arg(short, long, value_name = "SVG", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Print the answer as JSON
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// The config [default: perf-gate.toml or .github/perf-gate.toml]
    #[arg(short, long, value_name = "FILE", help_heading = GENERAL)]
    config: Option<PathBuf>,

    #[command(flatten)]
    common: Common,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate why Decode_Small --base-ref origin/main
  perf-gate why BenchmarkParse --output why.svg -- go test -bench .
  perf-gate why parse --no-base -- cargo bench --bench parse

callgrind counts instructions of C, C++ and Rust; cProfile, Node.js, Go and
the JVM have their own profilers.

Exit codes: 0 answered, also if no function stands out; 2 something is wrong";

/// Runs the command.
///
/// # Errors
/// No profiler for the command, or what keeps a side from being profiled.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let _ = &cli.common;
    let session = Session::start_with(&["measure", "guardian"])?;
    let recorded = record(cli, &session)?;
    let current = &recorded.current;
    if let Some(path) = &cli.output {
        let amount = |cost: f64| text::amount(cost, current.unit, false);
        let title = text::title(&recorded);
        let svg = perf_profile::flame(&title, recorded.base.as_ref(), current, &amount);
        file::write_if_changed(path, svg.as_bytes())?;
    }
    match &recorded.base {
        Some(base) => {
            let mut comparison =
                perf_profile::compare(base, current, &|function| recorded.source.is_own(function));
            lead_with_change(&mut comparison, &recorded.source);
            show_comparison(cli, &recorded, &comparison)?;
        }
        None if cli.json => term::stdout(&(text::functions_json(current).to_string() + "\n"))?,
        None => term::data(&term::printable_lines(&text::functions(current)))?,
    }
    if cli.output.is_none() && !cli.json {
        term::hint("`--output why.svg` writes a flame graph");
    }
    Ok(Exit::Ok)
}

/// Puts a function that changed before the one that calls it, or that it is inlined into: of what is inlined there from a
/// library, a profile only knows the outermost function.
fn lead_with_change(comparison: &mut Comparison, source: &Source) {
    let causes = &mut comparison.causes;
    let Some(first) = causes.first().filter(|first| !source.is_changed(first)) else { return };
    let is_inside =
        |cause: &Cause| cause.caller.as_ref() == Some(&first.function) && source.is_changed(cause);
    if let Some(at) = causes.iter().position(is_inside) {
        causes[..=at].rotate_right(1);
    }
}

fn show_comparison(cli: &Cli, recorded: &Recorded, comparison: &Comparison) -> anyhow::Result<()> {
    let marks: Vec<bool> = comparison.causes.iter().map(|cause| recorded.source.is_changed(cause)).collect();
    if !cli.json {
        return term::data(&term::printable_lines(&text::answer(recorded, comparison, &marks)));
    }
    let mut json = serde_json::to_value(comparison)?;
    json["benchmark"] = recorded.benchmark.clone().into();
    json["base"] = recorded.base_commit.clone().into();
    for (at, is_changed) in marks.into_iter().enumerate() {
        json["causes"][at]["changed"] = is_changed.into();
    }
    term::stdout(&(serde_json::to_string_pretty(&json)? + "\n"))
}
