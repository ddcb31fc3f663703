//! `measure-perf`: compares two builds on one machine by running them alternately.
//!
//! On a shared machine, the numbers of two separate runs differ by far more than the changes people care about. If base and
//! head run alternately, noise affects both alike, and comparing them reveals changes as small as 5%.
//!
//! | module | contains |
//! |---|---|
//! | [`bench_tools`] | the options and filters of benchmark tools, which are recognised by the command line |
//! | `benchmarks` | the benchmarks on the command line or in the config |
//! | `amount` | formatting of amounts in a suitable unit |
//! | `conditions` | warnings about a noisy machine |
//! | `launch` | one process run: order and padding, priority, time limit, cost, and cleanup of all child processes |
//! | `mount_view` | a private view of the checkout for one side's process runs |
//! | `git` | git commands |
//! | `sampling` | one process run's result rows |
//! | `count` | instruction counts without process start-up |
//! | `window` | throughput over one window, and cold starts |
//! | [`pairs`] | runs of base and head in turn, until every gated metric has a verdict |
//! | `recording` | the edit–measure loop: record, change the code, compare |
//! | `judge` | the gate's verdict on new rows |
//! | `agree` | comparison of two instruments on the same work |
//! | `rate` | constant-rate latency, measured from the scheduled time |
//! | [`rows`] | construction and output of rows |

mod agree;
mod amount;
mod arguments;
pub mod bench_tools;
mod benchmarks;
mod conditions;
mod count;
mod git;
mod judge;
mod launch;
mod mount_view;
pub mod pairs;
mod rate;
mod recording;
pub mod rows;
mod sampling;
mod window;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use perf_cli::{Common, Exit};

use self::launch::{guardian, priority, process, schedule, talking};

pub use self::conditions::Conditions;
pub use self::count::callgrind;
pub use self::git::commit_of;
pub use self::launch::guardian::{PlainLaunch, plain_launch};
pub use self::launch::process::processor_time_of_children;
pub use self::sampling::{CPU, GROSS, WALL, summary_as_samples};

/// Measure and compare two builds in turn on one machine
#[derive(Parser)]
#[command(name = "measure-perf", version)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand)]
enum Command {
    /// Run base and head alternately until every gated benchmark has a verdict
    Pairs(Box<pairs::Args>),
    /// Record how long benchmarks take now, for a later `compare`
    #[command(after_help = recording::RECORD_EXAMPLES)]
    Record(Box<recording::Selection>),
    /// Measure again and compare with the recording
    Compare(Box<recording::CompareArgs>),
    /// Count instructions, without process start-up
    Count(Box<count::Args>),
    /// Measure latency at a constant rate, without coordinated omission
    Rate(Box<rate::Args>),
    /// Measure the throughput or the cold start of a benchmark that runs operations on request
    Window(Box<window::Args>),
    /// Compare two instruments on the same work
    Agree(Box<agree::Args>),
}

/// Runs the program with this process's arguments, and returns its exit code.
pub fn main() -> ExitCode {
    entered().unwrap_or_else(|| perf_cli::main(run))
}

/// If this process was started as a helper (the guardian, or a process that enters a mount view), runs the helper and
/// returns its exit code. Otherwise returns `None`.
pub fn entered() -> Option<ExitCode> {
    guardian::entered().or_else(mount_view::entered)
}

/// Runs the selected subcommand.
///
/// # Errors
/// Fails if the measurement fails. Even then, no processes or temporary files remain.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let _ = &cli.common;
    match &cli.command {
        Command::Pairs(args) => pairs::run(args),
        Command::Record(args) => recording::record(args),
        Command::Compare(args) => recording::compare(args),
        Command::Count(args) => count::run(args),
        Command::Rate(args) => rate::run(args),
        Command::Window(args) => window::run(args),
        Command::Agree(args) => agree::run(args),
    }
}
