//! `perf-gate doctor`: shows what disturbs measurements on this machine, and the smallest slowdown that pairs can detect on
//! it.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use measure::pairs::{self, NoPair, PairsReport, PairsRequest, Session, Tree};
use perf_cli::load::ConfigArgs;
use perf_cli::{Exit, failure, term};
use perf_model::diagnostic::counted;
use perf_verdict::rules::pairs::DECISIVE;
use render_perf_deltas::compare;

use super::benchmark::line;
use super::{Benchmark, LaunchArgs, pairs_comparison};

/// The time limit for measuring pairs. With preparation, the whole command takes less than a minute.
const LIMIT: Duration = Duration::from_secs(50);

/// Find the smallest slowdown that this machine can detect
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    launch: LaunchArgs,

    #[command(flatten)]
    general: ConfigArgs,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate doctor
  perf-gate doctor -- cargo bench

It measures pairs of the same code for up to a minute.

Exit codes: 0 shown; 2 wrong usage or an error";

/// Runs the command.
///
/// # Errors
/// Fails if the config cannot be read, or the command contains an unclosed quote.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let config = cli.general.load()?;
    let has_command = !cli.launch.command.is_empty() || config.run().command.is_some();
    let mut benchmark = Benchmark::default();
    if has_command {
        benchmark = cli.launch.with(&config)?;
    }
    let session = Session::start()?;
    let mut text = section("machine", &pairs::describe_machine());
    text += &section("pairs", &pairs::describe_pairs(&benchmark.words, &session));
    if has_command {
        let seconds = LIMIT.as_secs();
        term::step(&format!(
            "measuring the same code in pairs for up to {seconds} s"
        ));
        let request = PairsRequest {
            is_silent: true,
            time_limit: Some(LIMIT),
            ..benchmark.pairs(Tree::Here, &config)
        };
        let measured = term::quietly(|| pairs::measure(&request, &session, None, None));
        let lines = match measured {
            Ok(report) => check(cli, report)?,
            Err(error) if error.chain().any(<dyn std::error::Error>::is::<NoPair>) => {
                vec![format!(
                    "no pair fits into {seconds} s: select fewer benchmarks"
                )]
            }
            Err(error) => {
                let mut lines = vec![failure::message(&error)];
                lines.extend(failure::hints(&error).into_iter().map(str::to_owned));
                lines
            }
        };
        text += &section("tool", &[tool(&benchmark)]);
        text += &section("A/A check", &lines);
    }
    let mut next = "perf-gate doctor -- COMMAND".to_owned();
    if has_command {
        next = format!("perf-gate run -- {}", line(&benchmark.words));
    }
    text += &section("next", &[next]);
    term::data(&term::printable_lines(&text))?;
    Ok(Exit::Ok)
}

/// Describes the options that `run` adds for the benchmark tool.
fn tool(benchmark: &Benchmark) -> String {
    if benchmark.is_as_is {
        return "runs unchanged".to_owned();
    }
    match benchmark.harness().map(|harness| {
        harness
            .samples(measure::bench_tools::SAMPLES, Path::new("results.json"))
            .note()
    }) {
        Ok(note) => note.unwrap_or_else(|| "known; needs no options".to_owned()),
        Err(why) => format!("no options are added: {why}"),
    }
}

/// Describes the result of the A/A check: false alarms and the minimum detectable slowdown.
fn check(cli: &Cli, report: PairsReport) -> anyhow::Result<Vec<String>> {
    let (pairs, seconds) = (report.pairs, report.seconds);
    let request = pairs_comparison(report.base, report.current, cli.general.config.clone());
    let compared = compare(&request, &mut Vec::new())?;
    let tally = compared.counts().tally;
    let differ = tally.regressed + tally.improved;
    let mut lines = vec![format!(
        "{}, {seconds:.0} s: {differ} of {} differ",
        counted(pairs as u64, "pair"),
        counted(tally.compared as u64, "benchmark"),
    )];
    lines.extend(compared.failures());
    lines.push(if let Some(detectable) = report.detectable {
        format!("detects slowdowns of {detectable}")
    } else {
        #[expect(clippy::cast_precision_loss, reason = "a few pairs")]
        let all = seconds * DECISIVE as f64 / pairs.max(1) as f64;
        format!("too few pairs to detect a slowdown: {DECISIVE} take about {all:.0} s")
    });
    Ok(lines)
}

/// Formats a section: the name, followed by the lines in a second column.
fn section(mut name: &str, lines: &[String]) -> String {
    let mut text = String::new();
    for line in lines {
        let _ = writeln!(text, "{name:<9} {line}");
        name = "";
    }
    text
}
