//! Runs commands under Valgrind's tools, and reads cachegrind's files.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, anyhow};
use perf_cli::{ResultExt, file, term};

use crate::process::CommandSpec;

/// The metric for cachegrind's instruction counts.
pub const INSTRUCTIONS: &str = "instructions";

/// Sizes of the caches. If these are not simulated, the sizes only silence valgrind's warning about this machine's caches.
const SIZES: [&str; 3] = ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"];
/// Options for callgrind, which make it write full names and absolute positions.
pub const CALLGRIND: [&str; 2] = ["--compress-strings=no", "--compress-pos=no"];

/// The installed valgrind.
#[derive(Clone, Copy)]
pub struct Valgrind {
    /// Whether `setarch -R` works, which disables address randomization. With randomized addresses, hash tables differ
    /// between runs.
    fixed_addresses: bool,
}

impl Valgrind {
    /// Finds the installed valgrind.
    ///
    /// # Errors
    /// Fails if Valgrind is not installed.
    pub fn find() -> anyhow::Result<Self> {
        if !is_there("valgrind", &["--version"]) {
            return Err(anyhow!("valgrind is not installed"))
                .hint("install it with `apt-get install valgrind` or `dnf install valgrind`");
        }
        Ok(Self {
            fixed_addresses: is_there("setarch", &["-R", "true"]),
        })
    }

    /// Returns the command to run under cachegrind, which writes one file per process to the directory.
    pub fn under(self, line: &CommandSpec, folder: &Path) -> CommandSpec {
        let mut words = self.words("cachegrind", &["--cache-sim=no"], folder);
        words.extend_from_slice(&line.words);
        CommandSpec {
            words,
            ..line.clone()
        }
    }

    /// Returns the words to put before a command to run it under one of valgrind's tools.
    pub fn words(self, tool: &str, options: &[&str], folder: &Path) -> Vec<OsString> {
        let mut words = Vec::new();
        if self.fixed_addresses {
            words.extend(["setarch", "-R"]);
        }
        // Follow child processes, because the command may be a wrapper, such as a version manager's.
        words.extend(["valgrind", "--trace-children=yes", "--vgdb=no", "-q"]);
        let tool_option = format!("--tool={tool}");
        words.push(&tool_option);
        words.extend(SIZES);
        words.extend(options);
        let mut output = OsString::from(format!("--{tool}-out-file="));
        output.push(folder.join(format!("%p.{tool}")));
        let words = words.into_iter().map(OsString::from);
        words.chain([output]).collect()
    }
}

/// Adds up the instructions of all processes in a process run.
///
/// # Errors
/// Fails if a file cannot be read, or if no instructions were counted.
pub fn total(folder: &Path) -> anyhow::Result<u64> {
    let mut sum = 0_u64;
    let files = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read `{}`", term::shown(folder)))?;
    for entry in files {
        let path = entry?.path();
        let count = instructions(&file::read_text(&path)?)
            .with_context(|| format!("`{}` has no counts", term::shown(&path)))?;
        sum = sum.saturating_add(count);
    }
    if sum == 0 {
        return Err(anyhow!("valgrind counted nothing"))
            .hint("is the command a program for this machine?");
    }
    Ok(sum)
}

/// Whether the program can be started with these arguments.
pub fn is_there(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .output()
        .is_ok_and(|output| output.status.success())
}

/// Returns the total in a file, which is in its last `summary:` line.
fn instructions(text: &str) -> Option<u64> {
    let mut lines = text.lines().rev();
    let total = lines.find_map(|line| line.strip_prefix("summary:"))?;
    total.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_the_total_at_the_end() {
        let text = "events: Ir\nfn=main\n1 20\n";
        assert_eq!(instructions(&format!("{text}summary: 20\n")), Some(20));
        assert_eq!(instructions(text), None);
    }
}
