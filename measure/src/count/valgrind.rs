//! Valgrind's tools: how a command runs under one, and what its files say.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;
use perf_cli::{Failure, file, term};
use serde::Deserialize;

use crate::process::CommandSpec;

/// The tool that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ValgrindTool {
    /// Instructions, by function
    Cachegrind,
    /// Instructions, by function and caller, also of a part of a program
    Callgrind,
    /// Allocations and peak memory on the heap
    Dhat,
}

/// Counts of a tool, by metric.
pub type Counted = Vec<(&'static str, u64)>;

/// The metric of instructions.
pub const INSTRUCTIONS: &str = "instructions";
/// The most memory in use at once: what is left of it without a no-op is not known.
pub const PEAK: &str = "peakBytes";

/// Valgrind as it is installed here.
#[derive(Clone, Copy, Debug)]
pub struct Valgrind {
    /// The tool that counts.
    pub tool: ValgrindTool,
    /// True if callgrind counts only what the program asks for.
    pub on_request: bool,
    /// `setarch -R` where there is one: addresses at random make hash tables differ.
    fixed_addresses: bool,
}

impl Valgrind {
    /// Looks for valgrind.
    ///
    /// # Errors
    /// None there, with how to install it.
    pub fn find(tool: ValgrindTool, on_request: bool) -> anyhow::Result<Self> {
        if !is_there("valgrind", &["--version"]) {
            return Err(Failure::new("valgrind is not installed")
                .hint("install it with `apt-get install valgrind` or `dnf install valgrind`")
                .into());
        }
        Ok(Self {
            tool,
            on_request,
            fixed_addresses: is_there("setarch", &["-R", "true"]),
        })
    }

    /// The methodology of its counts, for rows.
    pub fn methodology(self) -> &'static str {
        match self.tool {
            ValgrindTool::Cachegrind => "cachegrind",
            ValgrindTool::Callgrind if self.on_request => "callgrind, of what the program marks",
            ValgrindTool::Callgrind => "callgrind",
            ValgrindTool::Dhat => "dhat",
        }
    }

    /// The command under the tool, which leaves a file for each process in the folder.
    pub fn under(self, line: &CommandSpec, folder: &Path) -> CommandSpec {
        let mut words = self.words(folder);
        words.extend(line.words.iter().cloned());
        CommandSpec {
            words,
            ..line.clone()
        }
    }

    /// The words in front of a command.
    pub fn words(self, folder: &Path) -> Vec<OsString> {
        let (name, option) = match self.tool {
            ValgrindTool::Cachegrind => ("cachegrind", "--cachegrind-out-file="),
            ValgrindTool::Callgrind => ("callgrind", "--callgrind-out-file="),
            ValgrindTool::Dhat => ("dhat", "--dhat-out-file="),
        };
        let mut words: Vec<OsString> = Vec::new();
        if self.fixed_addresses {
            words.extend(["setarch", "-R"].map(OsString::from));
        }
        // A wrapper, such as a version manager's, starts the program that is meant.
        words.extend(["valgrind", "--trace-children=yes", "--vgdb=no", "-q"].map(OsString::from));
        words.push(format!("--tool={name}").into());
        if self.tool == ValgrindTool::Cachegrind {
            // Caches are not simulated, but valgrind warns of those of this machine unless some are named.
            let caches = [
                "--cache-sim=no",
                "--I1=32768,8,64",
                "--D1=32768,8,64",
                "--LL=8388608,16,64",
            ];
            words.extend(caches.map(OsString::from));
        }
        if self.tool == ValgrindTool::Callgrind {
            // Names and lines as they are, not as differences.
            words.extend(["--compress-strings=no", "--compress-pos=no"].map(OsString::from));
        }
        if self.on_request {
            words.push("--instr-atstart=no".into());
        }
        let mut output = OsString::from(option);
        output.push(folder.join(format!("%p.{name}")));
        words.push(output);
        words
    }

    /// The sum of the counts of all processes of one launch.
    ///
    /// # Errors
    /// Files that cannot be read, or nothing counted.
    pub fn total(self, folder: &Path) -> anyhow::Result<Counted> {
        let mut sums: Counted = Vec::new();
        let files = std::fs::read_dir(folder)
            .with_context(|| format!("cannot read `{}`", term::shown(folder)))?;
        for entry in files {
            let path = entry?.path();
            let text = file::read_text(&path)?;
            let counted = if self.tool == ValgrindTool::Dhat {
                heap(&text)
            } else {
                instructions(&text)
            };
            let counted =
                counted.with_context(|| format!("`{}` has no counts", term::shown(&path)))?;
            for (metric, count) in counted {
                match sums.iter_mut().find(|(known, _)| *known == metric) {
                    Some((_, sum)) => *sum = sum.saturating_add(count),
                    None => sums.push((metric, count)),
                }
            }
        }
        if sums
            .iter()
            .all(|(metric, count)| *metric != INSTRUCTIONS || *count > 0)
            && !sums.is_empty()
        {
            return Ok(sums);
        }
        let hint = if self.on_request {
            "the program must call CALLGRIND_START_INSTRUMENTATION and CALLGRIND_STOP_INSTRUMENTATION"
        } else {
            "is the command a program for this machine?"
        };
        Err(Failure::new("valgrind counted nothing").hint(hint).into())
    }
}

fn is_there(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The total of a file: callgrind's `totals:` at its end, as its `summary:` leaves out what was counted on request only;
/// cachegrind has a `summary:` at its end.
fn instructions(text: &str) -> Option<Counted> {
    let total = |name| text.lines().rev().find_map(|line| line.strip_prefix(name));
    let line = total("totals:").or_else(|| total("summary:"))?;
    Some(vec![(
        INSTRUCTIONS,
        line.split_whitespace().next()?.parse().ok()?,
    )])
}

/// A file of DHAT, as far as it is read.
#[derive(Deserialize)]
struct Heap {
    pps: Vec<AllocationSite>,
}

/// Allocations at one place: bytes and blocks in total, and bytes when most were in use.
#[derive(Deserialize)]
struct AllocationSite {
    tb: u64,
    tbk: u64,
    gb: u64,
}

fn heap(text: &str) -> Option<Counted> {
    let heap: Heap = serde_json::from_str(text).ok()?;
    let sum = |of: fn(&AllocationSite) -> u64| heap.pps.iter().map(of).fold(0, u64::saturating_add);
    Some(vec![
        ("allocatedBytes", sum(|place| place.tb)),
        ("allocations", sum(|place| place.tbk)),
        (PEAK, sum(|place| place.gb)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heap_is_the_sum_of_its_places() {
        let text = r#"{"dhatFileVersion":2,"pps":[{"tb":100,"tbk":2,"gb":60,"x":1},{"tb":5,"tbk":1,"gb":5}],"ftbl":[]}"#;
        assert_eq!(
            heap(text),
            Some(vec![
                ("allocatedBytes", 105),
                ("allocations", 3),
                (PEAK, 65)
            ])
        );
        assert_eq!(heap("{}"), None);
    }

    #[test]
    fn instructions_are_the_total_at_the_end() {
        assert_eq!(
            instructions("summary: 0\nfn=main\n1 20\ntotals: 20\n"),
            Some(vec![(INSTRUCTIONS, 20)])
        );
        assert_eq!(
            instructions("events: Ir\nfn=main\n1 20\nsummary: 20\n"),
            Some(vec![(INSTRUCTIONS, 20)])
        );
        assert_eq!(instructions("events: Ir\nfn=main\n1 20\n"), None);
    }
}
