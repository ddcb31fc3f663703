//! The benchmarks of `record`, `compare` and `count`: from the command line, or otherwise from the config.

use std::ffi::OsString;
use std::path::Path;

use perf_cli::{Failure, term};
use perf_config::{Config, MeasureEntry};

use crate::process::CommandSpec;

/// A benchmark on the command line or in `[[measure]]`.
#[derive(Clone, Debug)]
pub struct Benchmark<'c> {
    /// The name.
    pub name: String,
    /// The command.
    pub line: CommandSpec,
    /// Its entry in the config; `None` for one on the command line.
    pub entry: Option<&'c MeasureEntry>,
}

/// Returns the `--bench` commands and the command after `--`. Without either, returns the `[[measure]]` entries that are
/// plain commands.
///
/// # Errors
/// A command with an unclosed quote, or no benchmark at all.
pub fn benchmarks<'c>(
    named: &[(String, String)],
    command: &[OsString],
    config: &'c Config,
    here: &Path,
) -> anyhow::Result<Vec<Benchmark<'c>>> {
    let mut benchmarks = Vec::new();
    for (name, text) in named {
        benchmarks.push(Benchmark {
            name: name.clone(),
            line: CommandSpec::parse(text, here)?,
            entry: None,
        });
    }
    if !command.is_empty() {
        let line = CommandSpec::of(command.to_vec(), here)?;
        benchmarks.push(Benchmark {
            name: line.shown(),
            line,
            entry: None,
        });
    }
    if benchmarks.is_empty() {
        for entry in config
            .measure()
            .iter()
            .filter(|entry| entry.harness.is_none())
        {
            let line = CommandSpec::listed(&entry.command, &entry.env, here)?;
            benchmarks.push(Benchmark {
                name: entry.name.clone(),
                line,
                entry: Some(entry),
            });
        }
    }
    if benchmarks.is_empty() {
        return Err(Failure::new("no benchmark given")
            .hint("pass a command after `--`, or list it as `[[measure]]` in perf-gate.toml")
            .into());
    }
    Ok(benchmarks)
}

/// Rejects duplicate benchmark names.
///
/// # Errors
/// The first duplicate.
pub fn check_names<'n>(names: impl Iterator<Item = &'n str>) -> anyhow::Result<()> {
    let mut seen = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Err(Failure::new(format!(
                "two benchmarks have the name `{}`",
                term::printable(name)
            ))
            .into());
        }
        seen.push(name);
    }
    Ok(())
}
