//! The options of `count`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{anyhow, bail};
use perf_cli::ResultExt;
use perf_cli::term::printable;
use perf_config::duration;
use perf_model::suggest::suggest;

use crate::arguments::name_and_value;
use crate::benchmarks::{Benchmark, benchmarks, check_names};
use crate::process::CommandSpec;

/// Count instructions, without process start-up
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A benchmark's name and command [default: `[[measure]]` in perf-gate.toml]
    #[arg(long, value_name = "NAME=COMMAND", value_parser = name_and_value, help_heading = "Benchmarks")]
    bench: Vec<(String, String)>,

    /// One benchmark's command
    #[arg(last = true)]
    command: Vec<OsString>,

    /// Subtract the net count of the benchmark OTHER, which is the set-up of NAME
    #[arg(long, value_name = "NAME=OTHER", value_parser = name_and_value, help_heading = "Benchmarks", hide_short_help = true)]
    setup: Vec<(String, String)>,

    /// A peer, connected to the command by pipes in both directions; both are counted
    #[arg(
        long,
        value_name = "[NAME=]COMMAND",
        help_heading = "Benchmarks",
        hide_short_help = true
    )]
    pipe_with: Vec<String>,

    /// How often each benchmark is counted
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub times: u32,

    /// Keep the rows and the counts of each function in this folder
    #[arg(long, value_name = "FOLDER")]
    pub details: Option<PathBuf>,

    /// Report changes since another build, which was counted with --details FOLDER
    #[arg(long, value_name = "FOLDER")]
    pub against: Option<PathBuf>,

    /// The config file [default: perf-gate.toml]
    #[arg(short, long, value_name = "FILE", hide_short_help = true)]
    config: Option<PathBuf>,

    /// End a count that takes longer
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration, hide_short_help = true)]
    pub timeout: Duration,

    /// File for the rows [default: standard output, unless --against prints its report there]
    #[arg(short, long, value_name = "CSV")]
    pub output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate measure count -- ./parse in.json
  perf-gate measure count --output counts.csv     # the benchmarks in perf-gate.toml
  perf-gate measure count --bench 'load=./tool load' --bench 'query=./tool load query' \\
    --setup query=load --output counts.csv
  perf-gate measure count --bench 'tls=./client' --pipe-with './server'
  perf-gate measure count --details before -- ./parse in.json   # then change the code
  perf-gate measure count --against before -- ./parse in.json

Needs valgrind (`apt-get install valgrind`).

Exit codes: 0 counted; 2 a benchmark failed, or its count is lower than its
set-up's (its row is `failed`, and the others are counted)";

impl Args {
    /// Returns the selected benchmarks.
    ///
    /// # Errors
    /// Fails if a command cannot be parsed, if a name is unknown or duplicate, or if options contradict each other.
    pub fn benches(&self) -> anyhow::Result<Vec<Benchmark>> {
        let config = perf_cli::load::config(self.config.as_deref())?;
        let mut benches = benchmarks(&self.bench, &self.command, &config)?;
        check_names(benches.iter().map(|bench| &bench.name))?;
        for (name, other) in &self.setup {
            let at = find(&benches, name)?;
            benches[at].setup = Some(other.clone());
        }
        for text in &self.pipe_with {
            // Without a benchmark's name, the peer is that of all benchmarks.
            let named = text
                .split_once('=')
                .filter(|(name, _)| benches.iter().any(|bench| bench.name == *name));
            let (name, command) =
                named.map_or((None, &**text), |(name, command)| (Some(name), command));
            let peer = CommandSpec::parse(command)?;
            for bench in &mut benches {
                if name.is_none_or(|name| bench.name == name) {
                    bench.peer = Some(peer.clone());
                }
            }
        }
        for bench in &benches {
            let Some(other) = &bench.setup else { continue };
            let setup = &benches[find(&benches, other)?];
            let (name, other) = (printable(&bench.name), printable(other));
            if setup.name == bench.name {
                bail!("`{name}` cannot be its own set-up");
            }
            if setup.peer.is_some() != bench.peer.is_some() {
                return Err(anyhow!(
                    "only one of `{name}` and its set-up `{other}` has a peer"
                ))
                .hint("set both peers with `--pipe-with`");
            }
        }
        Ok(benches)
    }
}

/// Returns the index of the benchmark with this name, or an error if it does not exist.
fn find(benches: &[Benchmark], wanted: &str) -> anyhow::Result<usize> {
    if let Some(at) = benches.iter().position(|bench| bench.name == wanted) {
        return Ok(at);
    }
    let names = benches.iter().map(|bench| bench.name.as_str());
    Err(anyhow!("no such benchmark: `{}`", printable(wanted)))
        .hint(suggest(wanted, names).unwrap_or_default())
}
