//! The options of `rate`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use perf_config::duration;

/// Measure latency at a constant rate, without coordinated omission
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A command that answers each line on its standard input with a line
    #[arg(last = true, required = true)]
    pub command: Vec<OsString>,

    /// Text of each message
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub message: String,

    /// Messages per second
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=50_000_000))]
    pub rate: u64,

    /// Length of a repetition
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub length: Duration,

    /// Warm-up repetitions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=100), hide_short_help = true)]
    pub warm_up: u32,

    /// Measured repetitions
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repetitions: u32,

    /// Extra time at the end of a repetition for late messages and answers
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration, hide_short_help = true)]
    pub grace: Duration,

    /// Benchmark name [default: the command]
    #[arg(long, hide_short_help = true)]
    pub name: Option<String>,

    /// Write NAME.hgrm and NAME.hlog to this folder, with the suffix .FAIL if messages were lost
    #[arg(long, value_name = "FOLDER")]
    pub histograms: Option<PathBuf>,

    /// File for the rows [default: standard output]
    #[arg(short, long, value_name = "CSV")]
    pub output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Latency is measured from the time at which a message was due, even if it was
sent later. So a stall of the command increases the latency of every message
that it delayed.

Examples:
  perf-gate measure rate --rate 1000 -- ./server --stdio
  perf-gate measure rate --rate 100000 --length 5s --histograms hdr -- ./server --stdio

Exit codes: 0 measured; 2 messages were not sent or not answered in time, or
the command cannot be started";
