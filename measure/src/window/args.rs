//! The options of `window`, and its scenarios.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::anyhow;
use perf_cli::ResultExt;
use perf_config::{Config, HarnessMode};

use crate::arguments::growth;
use crate::benchmarks::check_names;
use crate::process::CommandSpec;

/// Measure the throughput or the cold start of a benchmark that runs operations on request
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The benchmark, started without a shell [default: `[[measure]]` in perf-gate.toml]
    #[arg(last = true)]
    pub command: Vec<OsString>,

    /// Benchmark name [default: the command]
    #[arg(long, hide_short_help = true)]
    pub name: Option<String>,

    /// Length of the window, in seconds of operations [default: from the config, or 5]
    #[arg(short, long, value_name = "SECONDS", value_parser = seconds)]
    pub window: Option<f64>,

    /// Warm-up operations before the window [default: from the config, or 10000]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub warm_up: Option<u64>,

    /// Time one operation in each of N new processes instead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), conflicts_with_all = ["window", "warm_up"])]
    pub cold: Option<u32>,

    /// Time limit for an answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds, hide_short_help = true)]
    pub timeout: f64,

    /// Compare with the row in this file that has the same name, if any
    #[arg(short, long, value_name = "CSV", help_heading = "Gate")]
    pub baseline: Option<PathBuf>,

    /// Fail if the cost grows by more than this factor [default: the limits of the config]
    #[arg(short, long, value_name = "FACTOR", value_parser = growth, requires = "baseline", help_heading = "Gate")]
    pub limit: Option<f64>,

    /// Exit with 1 when the benchmark regressed
    #[arg(short, long, requires = "baseline", help_heading = "Gate")]
    pub exit_code: bool,

    /// The config file [default: perf-gate.toml]
    #[arg(
        short,
        long,
        value_name = "FILE",
        help_heading = "Gate",
        hide_short_help = true
    )]
    pub config: Option<PathBuf>,

    /// File for the row [default: standard output, unless there is a --baseline]
    #[arg(short, long, value_name = "CSV")]
    pub output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
The benchmark reads a number of operations as a line, runs them, and answers
with a line `elapsed_ns [allocations [bytes [gc_ns]]]`, until its input ends. In
Python:

  import sys, time
  for line in sys.stdin:
      start = time.perf_counter_ns()
      for _ in range(int(line)):
          work()
      print(time.perf_counter_ns() - start, flush=True)

Examples:
  perf-gate measure window -- python3 bench/parse.py
  perf-gate measure window --output current.csv   # all benchmarks in perf-gate.toml
  perf-gate measure window --cold 32 --name 'first parse' -- ./target/release/parse-bench

As a local gate, one command to capture a baseline and one to check against it:
  perf-gate measure window --name parse --output baseline.csv -- ./bench
  perf-gate measure window --name parse --baseline baseline.csv --limit 1.5 \\
    --exit-code -- ./bench

Exit codes: 0 measured; 1 with --exit-code, it regressed; 2 the benchmark
did not answer as above";

/// A benchmark, and how to measure it.
pub struct Scenario {
    pub name: String,
    pub line: CommandSpec,
    pub mode: Mode,
}

/// How to measure a scenario.
pub enum Mode {
    /// Measure one window: the number of warm-up operations, and the length in seconds.
    Window(u64, f64),
    /// Measure cold starts: the number of new processes.
    Cold(u32),
}

impl Args {
    /// Returns the benchmark on the command line, or otherwise the config's benchmarks.
    pub fn scenarios(&self, config: &Config) -> anyhow::Result<Vec<Scenario>> {
        if !self.command.is_empty() {
            let line = CommandSpec::of(self.command.clone())?;
            let name = self.name.clone().unwrap_or_else(|| line.shown());
            let mode = self
                .cold
                .map_or_else(|| self.windowed(config, None), Mode::Cold);
            return Ok(vec![Scenario { name, line, mode }]);
        }
        let mut scenarios: Vec<Scenario> = Vec::new();
        for entry in config.measure() {
            let Some(mode) = entry.harness else { continue };
            let mode = match mode {
                HarnessMode::Window => self.windowed(config, entry.warm_up),
                HarnessMode::Cold => Mode::Cold(self.cold.unwrap_or(config.protocol().cold).max(1)),
            };
            let line = CommandSpec::listed(&entry.command, entry)?;
            scenarios.push(Scenario {
                name: entry.name.clone(),
                line,
                mode,
            });
        }
        check_names(scenarios.iter().map(|scenario| &scenario.name))?;
        scenarios.retain(|scenario| self.name.as_ref().is_none_or(|name| *name == scenario.name));
        if scenarios.is_empty() {
            return Err(anyhow!("no benchmark given")).hint(
                "pass one after `--`, or list it as `[[measure]]` with `harness` in perf-gate.toml",
            );
        }
        Ok(scenarios)
    }

    fn windowed(&self, config: &Config, own_warm_up: Option<u64>) -> Mode {
        let warm_up = self
            .warm_up
            .or(own_warm_up)
            .unwrap_or(config.protocol().warm_up);
        Mode::Window(warm_up, self.window.unwrap_or(config.protocol().window))
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text
        .parse::<f64>()
        .ok()
        .filter(|seconds| (0.001..=86_400.0).contains(seconds));
    seconds.ok_or_else(|| "expected seconds from 0.001 to 86400".to_owned())
}
