//! The options of `rate`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use perf_config::duration;

use super::schedule::Wait;

/// Measure latency at a constant rate, without coordinated omission
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES, group = clap::ArgGroup::new("target").required(true).multiple(false))]
pub struct Args {
    /// The target: a command that answers each line on its standard input with a line
    #[arg(last = true, value_name = "COMMAND", group = "target")]
    pub(super) command: Vec<OsString>,

    /// The target: a TCP server that answers each line with a line
    #[cfg(feature = "network")]
    #[arg(
        long,
        value_name = "HOST:PORT",
        group = "target",
        help_heading = "Target"
    )]
    pub(super) tcp: Option<String>,

    /// The target: a URL of an HTTP/1.1 server, without TLS
    #[cfg(feature = "network")]
    #[arg(long, value_name = "URL", group = "target", help_heading = "Target")]
    pub(super) http: Option<String>,

    /// Method of each request
    #[cfg(feature = "network")]
    #[arg(
        long,
        value_name = "METHOD",
        default_value = "GET",
        requires = "http",
        help_heading = "Target",
        hide_short_help = true
    )]
    pub(super) method: String,

    /// Header of each request
    #[cfg(feature = "network")]
    #[arg(
        long,
        value_name = "NAME: VALUE",
        requires = "http",
        help_heading = "Target",
        hide_short_help = true
    )]
    pub(super) header: Vec<String>,

    /// Number of connections, which send requests in turn
    #[cfg(feature = "network")]
    #[arg(long, value_name = "N", default_value_t = 8, requires = "http", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Target", hide_short_help = true)]
    pub(super) connections: u16,

    /// Text of each message: a line, or the body of a request
    #[arg(long, value_name = "TEXT", default_value = "", help_heading = "Target")]
    pub(super) message: String,

    /// Messages per second
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=50_000_000))]
    pub(super) rate: u64,

    /// Messages that are due at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000), hide_short_help = true)]
    pub(super) burst: u64,

    /// Length of a repetition
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub(super) length: Duration,

    /// Warm-up repetitions
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=100), hide_short_help = true)]
    pub(super) warm_up: u32,

    /// Measured repetitions
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(super) repetitions: u32,

    /// Extra time at the end of a repetition for late messages and answers
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration, hide_short_help = true)]
    pub(super) grace: Duration,

    /// How to wait for the next message
    #[arg(
        long,
        value_name = "HOW",
        default_value = "auto",
        hide_short_help = true
    )]
    pub(super) wait: Wait,

    /// Benchmark name [default: the target]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub(super) name: Option<String>,

    /// Write NAME.hgrm and NAME.hlog to this folder, with the suffix .FAIL if messages were lost
    #[arg(long, value_name = "FOLDER")]
    pub(super) histograms: Option<PathBuf>,

    /// File for the rows [default: standard output]
    #[arg(short, long, value_name = "CSV")]
    pub(super) output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Latency is measured from the time at which a message was due, even if it was
sent later. So a stall of the target increases the latency of every message
that it delayed.

Examples:
  perf-gate measure rate --rate 1000 -- ./server --stdio
  perf-gate measure rate --rate 5000 --http http://localhost:8080/ --histograms hdr
  perf-gate measure rate --rate 100000 --length 5s --tcp localhost:7000

Exit codes: 0 measured; 2 messages were not sent or not answered in time, or
there is no target";
