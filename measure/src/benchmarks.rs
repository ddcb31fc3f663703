//! The benchmarks of `record`, `compare` and `count`, which come from the command line or, if it lists none, from the
//! config.

use std::collections::HashSet;
use std::ffi::OsString;

use anyhow::{anyhow, bail};
use perf_cli::{ResultExt, term};
use perf_config::Config;

use crate::process::CommandSpec;

/// A benchmark on the command line or in `[[measure]]`.
#[derive(Clone, Default)]
pub struct Benchmark {
    /// The benchmark's name. The no-op's name is empty.
    pub name: String,
    /// The command to measure.
    pub line: CommandSpec,
    /// A command that runs untimed before each run, including the no-op's runs.
    pub before: Option<CommandSpec>,
    /// A command that runs untimed after each run.
    pub after: Option<CommandSpec>,
    /// The set-up benchmark, whose count is subtracted.
    pub setup: Option<String>,
    /// A command that communicates with the benchmark's command by pipes.
    pub peer: Option<CommandSpec>,
}

impl Benchmark {
    /// Creates a benchmark that consists only of a command.
    pub fn new(name: String, line: CommandSpec) -> Self {
        Self {
            name,
            line,
            ..Self::default()
        }
    }
}

/// Returns the `--bench` commands and the command after `--`. Without any of them, returns the `[[measure]]` entries that
/// are plain commands.
///
/// # Errors
/// Fails if a command has an unclosed quote, or if no benchmark is given.
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
            let parse = |text: &String| CommandSpec::listed(text, entry);
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
/// Fails if two benchmarks have the same name.
pub fn check_names<'n>(names: impl Iterator<Item = &'n String>) -> anyhow::Result<()> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            bail!("two benchmarks have the name `{}`", term::printable(name));
        }
    }
    Ok(())
}

/// Removes duplicates and keeps the order.
pub fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut known = Vec::new();
    for one in all {
        if !known.contains(&one) {
            known.push(one);
        }
    }
    known
}

/// Returns the first `length` characters of a benchmark's name. All characters except ASCII letters, digits and the
/// `allowed` ones become `-`.
pub fn safe_file_name(name: &str, allowed: &str, length: usize) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || allowed.contains(c);
    let safe = name.chars().map(|c| if is_safe(c) { c } else { '-' });
    safe.take(length).collect()
}
