//! `perf-bench`: time and peak memory of the commands on large inputs, compared with `grep`, `jq`, `xmllint` or Python on the
//! same file.
//!
//! Inputs are generated and always the same. A *case* is an input with commands. They run in turn, so that other work on the
//! machine affects all of them alike.

mod case;
mod documents;
mod goal;
mod log;
mod measure;
mod programs;
mod report;
mod rows;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use perf_cli::{Common, Exit, term};

use crate::case::CaseMaker;
use crate::programs::Programs;
use crate::report::report;

/// Build the release binaries, run them on large inputs, and print times, throughput and memory
#[derive(Parser)]
#[command(name = "perf-bench", version, after_help = NOTES)]
struct Cli {
    /// How often each command runs, including one warm-up run
    #[arg(long, value_name = "COUNT", default_value_t = 11, value_parser = clap::value_parser!(u32).range(2..=1000))]
    runs: u32,

    /// Also measure tables of a million rows
    #[arg(long)]
    large: bool,

    /// Exit with 1 when a goal is missed
    #[arg(long)]
    check: bool,

    /// Print baseline rows instead, with times relative to grep's on the 100 MB log, and peak memory
    #[arg(long, conflicts_with = "check")]
    rows: bool,

    /// Generate the inputs in this folder and keep them
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,

    #[command(flatten)]
    common: Common,
}

const NOTES: &str = "\
Times are wall time from the start of a process to its end. The table shows the median and, in brackets, the
shortest. A large difference between the two indicates a busy machine.";

fn main() -> ExitCode {
    perf_cli::main(run)
}

fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let programs = Programs::build()?;
    let scratch = tempfile::tempdir()?;
    let folder = cli.keep.as_deref().unwrap_or(scratch.path());
    let cases = CaseMaker {
        folder,
        programs: &programs,
    }
    .all(cli.large)?;
    if cli.rows {
        return rows::print(&cases, cli.runs);
    }
    let mut met = true;
    for case in cases {
        let results = measure::interleaved(&case.contestants, cli.runs)?;
        let (text, good) = report(&case, &results);
        term::stdout(&text)?;
        met &= good;
    }
    Ok(if cli.check && !met {
        Exit::Findings
    } else {
        Exit::Ok
    })
}
