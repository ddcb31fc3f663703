//! `measure-perf`: numbers of two builds, taken in turn on one machine.
//!
//! On a shared machine the numbers of two separate runs differ by far more than the changes people care about. Launches
//! of both sides in turn share whatever the machine does, so their differences show changes of 5%.
//!
//! | module | owns |
//! |---|---|
//! | [`bench_tools`] | the options and filters of benchmark tools, by the command that starts one |
//! | `benchmarks` | the benchmarks of a command line, else those of the config |
//! | `amount` | amounts in the unit that fits them |
//! | `conditions` | what makes a machine a bad place to measure on |
//! | `launch` | one launch of one command: its side and padding, priority, limits and measured cost; ended with all that it started |
//! | `mount_view` | a private view of the checkout for the launches of a side |
//! | `git` | git as a program |
//! | `sampling` | one launch as rows: the harness's own, else those of the process |
//! | `count` | instruction counts, net of starting a process |
//! | `window` | throughput over one window, and cold starts |
//! | [`pairs`] | launches in turn until every gated metric is concluded |
//! | `recording` | the inner loop of a developer: record, change the code, compare |
//! | `judge` | the gate's verdict on rows that were just measured |
//! | `agree` | two instruments on the same work |
//! | `rate` | latency at a fixed rate, from intended starts |
//! | [`rows`] | what a measurement writes |

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
mod removal;
pub mod rows;
mod sampling;
mod window;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use perf_cli::{Common, Exit};

use self::launch::{guardian, priority, process, schedule, scheduled, talking};

pub use self::conditions::Conditions;
pub use self::count::callgrind;
pub use self::git::commit_of;
pub use self::launch::guardian::{PlainLaunch, plain_launch};
pub use self::launch::process::processor_time_of_children;
pub use self::sampling::{CPU, WALL, summary_as_samples};

/// Measure two builds of anything in turn, on one machine
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
    /// Launch both sides in turn until every gated benchmark is concluded
    Pairs(Box<pairs::Args>),
    /// Record how long benchmarks take now, as what `compare` compares with
    Record(Box<recording::RecordArgs>),
    /// Measure again and compare with the recording
    Compare(Box<recording::CompareArgs>),
    /// Count instructions, without those of starting a process
    Count(Box<count::Args>),
    /// Measure latency at a fixed rate, from the moment at which each message was due
    Rate(Box<rate::Args>),
    /// Measure throughput over one window, and cold starts, of a harness that runs operations on request
    Window(Box<window::Args>),
    /// Compare two instruments on the same work
    Agree(Box<agree::Args>),
    /// Measure pairs as a request on standard input says, and answer it on standard output, both as JSON
    #[command(hide = true)]
    Request,
}

/// The whole of the program's `main`.
pub fn main() -> ExitCode {
    entered().unwrap_or_else(|| perf_cli::main(run))
}

/// The exit code of a process that this program started to end what a killed measurement leaves, or to enter a place;
/// `None` for any other.
pub fn entered() -> Option<ExitCode> {
    guardian::entered().or_else(mount_view::entered)
}

/// Runs one command line.
///
/// # Errors
/// Anything that keeps a measurement from being taken; nothing is left behind then.
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
        Command::Request => pairs::serve(),
    }
}
