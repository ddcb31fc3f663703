//! The options of `agree`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::anyhow;
use perf_cli::ResultExt;
use perf_cli::term::printable;
use perf_config::duration;

use super::instrument::InstrumentedCommand;
use crate::arguments::percent;
use crate::process::CommandSpec;

/// Compare two instruments on the same work
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The command that both instruments measure
    #[arg(last = true)]
    command: Vec<OsString>,

    /// The reference: wall, user, instructions, or a metric that the command prints
    #[arg(long, value_name = "INSTRUMENT", help_heading = "Instruments")]
    a: String,

    /// The instrument to compare with the reference
    #[arg(long, value_name = "INSTRUMENT", help_heading = "Instruments")]
    b: String,

    /// A separate command for the reference
    #[arg(long, value_name = "COMMAND", help_heading = "Instruments")]
    a_command: Option<String>,

    /// A separate command for the other instrument
    #[arg(long, value_name = "COMMAND", help_heading = "Instruments")]
    b_command: Option<String>,

    /// The metric that reports the number of calls, which must be equal in all runs
    #[arg(
        long,
        value_name = "METRIC",
        default_value = "calls",
        hide_short_help = true
    )]
    pub calls: String,

    /// Separate runs per instrument
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub runs: u32,

    /// Exit with 1 when a discrepancy is larger than this
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub within: Option<f64>,

    /// The config file [default: perf-gate.toml]
    #[arg(short, long, value_name = "FILE", hide_short_help = true)]
    pub config: Option<PathBuf>,

    /// End a run that takes longer
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration, hide_short_help = true)]
    pub timeout: Duration,
}

const EXAMPLES: &str = "\
Examples:
  perf-gate measure agree --a wall --b timeNs -- ./bench --once
  perf-gate measure agree --a timeUs --b timeUs --a-command './run --builtin' \\
    --b-command './run --traced' --within 5%
  perf-gate measure agree --a wall --b user -- ./parse in.json

The table on standard output shows mean and standard deviation of both, the
discrepancy (B - A) / A, and the error per call if calls are counted.

Exit codes: 0 measured; 1 with --within, a discrepancy is larger; 2 a run
failed, or the numbers of calls (--calls) differ";

impl Args {
    /// Returns both instruments with their commands.
    ///
    /// # Errors
    /// Fails if an instrument has no command, or if its command cannot be parsed.
    pub fn sides(&self) -> anyhow::Result<[InstrumentedCommand; 2]> {
        let side = |instrument: &str, own: &Option<String>, option: &str| {
            let line = match own {
                Some(text) => CommandSpec::parse(text)?,
                None if self.command.is_empty() => {
                    return Err(anyhow!("no command for `{}`", printable(instrument)))
                        .hint(format!("pass one after `--` or with `{option}`"));
                }
                None => CommandSpec::of(self.command.clone())?,
            };
            anyhow::Ok(InstrumentedCommand {
                instrument: instrument.to_owned(),
                line,
            })
        };
        Ok([
            side(&self.a, &self.a_command, "--a-command")?,
            side(&self.b, &self.b_command, "--b-command")?,
        ])
    }
}
