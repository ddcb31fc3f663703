//! Running commands under Valgrind's tools, and reading their files.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;
use perf_cli::{Failure, file, term};
use serde::Deserialize;

use crate::process::CommandSpec;

/// A Valgrind tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ValgrindTool {
    /// Instructions, by function
    Cachegrind,
    /// Instructions, by function and caller, optionally of a part of a program
    Callgrind,
    /// Heap allocations and peak memory
    Dhat,
}

/// Counts by metric.
pub type Counted = Vec<(&'static str, u64)>;

/// The instructions metric.
pub const INSTRUCTIONS: &str = "instructions";
/// The peak memory metric. The no-op's peak cannot be subtracted from it.
pub const PEAK: &str = "peakBytes";

/// The installed valgrind.
#[derive(Clone, Copy, Debug)]
pub struct Valgrind {
    /// The tool.
    pub tool: ValgrindTool,
    /// Whether callgrind only counts on the program's request.
    pub on_request: bool,
    /// Whether `setarch -R` works. With randomized addresses, hash tables differ between runs.
    fixed_addresses: bool,
}

impl Valgrind {
    /// Looks for valgrind.
    ///
    /// # Errors
    /// Valgrind is not installed.
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

    /// The methodology of its counts.
    pub fn methodology(self) -> &'static str {
        match self.tool {
            ValgrindTool::Cachegrind => "cachegrind",
            ValgrindTool::Callgrind if self.on_request => "callgrind, of what the program marks",
            ValgrindTool::Callgrind => "callgrind",
            ValgrindTool::Dhat => "dhat",
        }
    }

    /// The command under the tool, which writes a file per process to the directory.
    pub fn under(self, line: &CommandSpec, folder: &Path) -> CommandSpec {
        let mut words = self.words(folder);
        words.extend(line.words.iter().cloned());
        CommandSpec {
            words,
            ..line.clone()
        }
    }

    /// The words before the command.
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
        // Follow child processes, because the command may be a wrapper, such as a version manager's.
        words.extend(["valgrind", "--trace-children=yes", "--vgdb=no", "-q"].map(OsString::from));
        words.push(format!("--tool={name}").into());
        if self.tool == ValgrindTool::Cachegrind {
            // Caches are not simulated, but without their sizes, valgrind warns about this machine's.
            let caches = [
                "--cache-sim=no",
                "--I1=32768,8,64",
                "--D1=32768,8,64",
                "--LL=8388608,16,64",
            ];
            words.extend(caches.map(OsString::from));
        }
        if self.tool == ValgrindTool::Callgrind {
            // Write full names and positions instead of differences.
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

    /// Adds up the counts of all processes in a process run.
    ///
    /// # Errors
    /// A file cannot be read, or nothing was counted.
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

/// The total in a file. Callgrind's is in the last `totals:`, because its `summary:` omits counts on request. Cachegrind's is in
/// the last `summary:`.
fn instructions(text: &str) -> Option<Counted> {
    let total = |name| text.lines().rev().find_map(|line| line.strip_prefix(name));
    let line = total("totals:").or_else(|| total("summary:"))?;
    Some(vec![(
        INSTRUCTIONS,
        line.split_whitespace().next()?.parse().ok()?,
    )])
}

/// The parts of a DHAT file that we read.
#[derive(Deserialize)]
struct Heap {
    pps: Vec<AllocationSite>,
}

/// Allocations at one place: total bytes and blocks, and bytes at the time of peak memory.
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
    fn heap_is_the_sum_of_all_sites() {
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
