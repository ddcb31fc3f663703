//! The benchmarks of `record`, `compare` and `count`: from the command line, or otherwise from the config.

use std::collections::HashSet;
use std::ffi::OsString;

use anyhow::{anyhow, bail};
use perf_cli::{ResultExt, term};
use perf_config::Config;

use crate::process::CommandSpec;

/// A benchmark on the command line or in `[[measure]]`.
#[derive(Clone, Debug)]
pub struct Benchmark {
    /// The name; empty for a no-op.
    pub name: String,
    /// The command.
    pub line: CommandSpec,
    /// Runs untimed before each run, including the no-op's.
    pub before: Option<CommandSpec>,
    /// Runs untimed after each run.
    pub after: Option<CommandSpec>,
    /// The benchmark whose count is subtracted.
    pub setup: Option<String>,
    /// The command connected to it by pipes.
    pub peer: Option<CommandSpec>,
}

impl Benchmark {
    /// A benchmark that is only a command.
    pub fn new(name: String, line: CommandSpec) -> Self {
        Self {
            name,
            line,
            before: None,
            after: None,
            setup: None,
            peer: None,
        }
    }
}

/// Returns the `--bench` commands and the command after `--`. Without either, returns the `[[measure]]` entries that are
/// plain commands.
///
/// # Errors
/// A command with an unclosed quote, or no benchmark at all.
pub fn benchmarks(
    named: &[(String, String)],
    command: &[OsString],
    config: &Config,
) -> anyhow::Result<Vec<Benchmark>> {
    let mut benchmarks = Vec::new();
    for (name, text) in named {
        benchmarks.push(Benchmark::new(name.clone(), CommandSpec::parse(text)?));
    }
    if !command.is_empty() {
        let line = CommandSpec::of(command.to_vec())?;
        benchmarks.push(Benchmark::new(line.shown(), line));
    }
    if benchmarks.is_empty() {
        for entry in config.measure() {
            if entry.harness.is_some() {
                continue;
            }
            let parse = |text: &String| CommandSpec::listed(text, &entry.env);
            benchmarks.push(Benchmark {
                before: entry.before.as_ref().map(parse).transpose()?,
                after: entry.after.as_ref().map(parse).transpose()?,
                setup: entry.setup.clone(),
                ..Benchmark::new(entry.name.clone(), parse(&entry.command)?)
            });
        }
    }
    if benchmarks.is_empty() {
        return Err(anyhow!("no benchmark given"))
            .hint("pass a command after `--`, or list it as `[[measure]]` in perf-gate.toml");
    }
    Ok(benchmarks)
}

/// Rejects duplicate benchmark names.
///
/// # Errors
/// The first duplicate.
pub fn check_names<'n>(names: impl Iterator<Item = &'n str>) -> anyhow::Result<()> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            bail!("two benchmarks have the name `{}`", term::printable(name));
        }
    }
    Ok(())
}

/// The start of a benchmark's name, with `-` instead of all characters except ASCII letters, digits and the allowed ones.
pub fn safe_file_name(name: &str, allowed: &str, length: usize) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || allowed.contains(c);
    let safe = name.chars().map(|c| if is_safe(c) { c } else { '-' });
    safe.take(length).collect()
}
