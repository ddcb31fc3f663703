//! The options of `record` and `compare`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use perf_config::duration;

use crate::arguments::{growth, name_and_value};

/// The benchmarks and their recording.
#[derive(clap::Args)]
pub struct Selection {
    /// One benchmark's command, started without a shell
    #[arg(last = true)]
    pub command: Vec<OsString>,

    /// A benchmark's name and command [default: `[[measure]]` in perf-gate.toml]
    #[arg(long, value_name = "NAME=COMMAND", value_parser = name_and_value, help_heading = "Benchmarks")]
    pub bench: Vec<(String, String)>,

    /// Run this before each iteration, untimed
    #[arg(
        long,
        value_name = "COMMAND",
        help_heading = "Benchmarks",
        hide_short_help = true
    )]
    pub before: Option<String>,

    /// Run this after each iteration, untimed
    #[arg(
        long,
        value_name = "COMMAND",
        help_heading = "Benchmarks",
        hide_short_help = true
    )]
    pub after: Option<String>,

    /// Also measure every benchmark with this variable set; repeat the option with the same NAME to set several
    #[arg(long, value_name = "NAME:VARIABLE=VALUE", value_parser = variant, help_heading = "Benchmarks", hide_short_help = true)]
    pub variant: Vec<(String, String, String)>,

    /// How often each benchmark is measured
    #[arg(short = 'n', long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(2..=10_000))]
    pub iterations: u32,

    /// File of the recording
    #[arg(long, value_name = "FILE", default_value = ".perf-recording.csv")]
    pub recording: PathBuf,

    /// The config file [default: perf-gate.toml]
    #[arg(short, long, value_name = "FILE", hide_short_help = true)]
    pub config: Option<PathBuf>,

    /// End a process run that takes longer
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration, hide_short_help = true)]
    pub timeout: Duration,
}

/// Measure again and compare with the recording
#[derive(clap::Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub struct CompareArgs {
    #[command(flatten)]
    pub selection: Selection,

    /// Fail if the time grows by more than this factor [default: the limits of the config]
    #[arg(short, long, value_name = "FACTOR", value_parser = growth, help_heading = "Gate")]
    pub limit: Option<f64>,

    /// File for the rows of this measurement
    #[arg(short, long, value_name = "CSV")]
    pub output: Option<PathBuf>,

    /// Exit with 1 when something regressed
    #[arg(short, long, help_heading = "Gate")]
    pub exit_code: bool,
}

/// Parses a variant's name, its environment variable, and the variable's value.
fn variant(text: &str) -> Result<(String, String, String), String> {
    if let Some((name, variable)) = text.split_once(':')
        && let Some((variable, value)) = variable.split_once('=')
        && !name.is_empty()
        && !variable.is_empty()
    {
        return Ok((name.to_owned(), variable.to_owned(), value.to_owned()));
    }
    Err("expected NAME:VARIABLE=VALUE, such as nogc:GOGC=off".to_owned())
}

pub const RECORD_EXAMPLES: &str = "\
Examples:
  perf-gate measure record -- ./parse in.json
  perf-gate measure record --before 'cp in.json copy.json' --after 'rm copy.json' \\
    --bench 'parse=./parse copy.json' --bench 'check=./check copy.json'
  perf-gate measure record --variant nogc:GOGC=off      # the benchmarks in perf-gate.toml

Standard error shows `.` for each run and `!` for each doubling of a command
that takes less than 1 ms.

Exit codes: 0 recorded; 2 a command failed, and nothing was written";

const COMPARE_EXAMPLES: &str = "\
Examples:
  perf-gate measure record -- ./parse in.json           # then change the code
  perf-gate measure compare -- ./parse in.json
  perf-gate measure compare --limit 1.5 --exit-code

The plot shows the fastest run as `X` and the 80th percentile as the end of the
bar. Standard output contains compared= and regressed= (true or false).

Exit codes: 0 compared; 1 with --exit-code, something regressed; 2 a command
failed, or there is no recording of this version";
