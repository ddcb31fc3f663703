//! The benchmarks of `record`, `compare` and `count`: those of the command line, else those that the config lists.

use std::ffi::OsString;
use std::path::Path;

use perf_cli::{Failure, term};
use perf_config::{Config, MeasureEntry};

use crate::process::CommandSpec;

/// A benchmark of the command line or of `[[measure]]`.
#[derive(Clone, Debug)]
pub struct Benchmark<'c> {
    /// The name.
    pub name: String,
    /// The command.
    pub line: CommandSpec,
    /// The entry of the config that lists it.
    pub entry: Option<&'c MeasureEntry>,
}

/// The named commands and the command alone; without any, those of the config that are no harness.
///
/// # Errors
/// A command with an open quote, or no benchmark at all.
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
        return Err(Failure::new("no benchmark is named")
            .hint("give a command behind `--`, or list it as `[[measure]]` in perf-gate.toml")
            .into());
    }
    Ok(benchmarks)
}

/// Refuses two benchmarks of one name.
///
/// # Errors
/// The first name that is there twice.
pub fn check_names<'n>(names: impl Iterator<Item = &'n str>) -> anyhow::Result<()> {
    let mut seen = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Err(Failure::new(format!(
                "two benchmarks are called `{}`",
                term::printable(name)
            ))
            .into());
        }
        seen.push(name);
    }
    Ok(())
}
