//! Running a program with limits on time and memory.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::Context;

/// The programs to run.
pub(crate) const PROGRAMS: [&str; 10] = [
    "extract-perf-baseline",
    "render-perf-deltas",
    "render-perf-doc",
    "validate-comparison-packages",
    "collect-machine-specs",
    "calibrate-perf-gate",
    "measure-perf",
    "perf-gate",
    "upsert-pr-comment",
    "publish-perf-refresh",
];

/// The limit on processor time, in seconds.
const SECONDS: u64 = 10;

/// The limit on wall time, in seconds.
const DEADLINE: u64 = 60;

/// The limit on memory, in MiB.
const MEMORY: u64 = 768;

/// Runs a program in a directory. A shell sets the limits.
pub(crate) fn run<A: AsRef<OsStr>>(
    (programs, program): (&Path, &str),
    folder: &Path,
    arguments: &[A],
    variables: &[(&str, &str)],
) -> anyhow::Result<Output> {
    let limits = format!(
        "ulimit -c 0 && ulimit -t {SECONDS} && ulimit -v {} || exit 99; exec timeout -k 5 {DEADLINE} \"$0\" \"$@\"",
        MEMORY * 1024
    );
    let mut command = Command::new("sh");
    command
        .args(["-c", &limits])
        .arg(fs::canonicalize(programs.join(program))?)
        .args(arguments);
    command.current_dir(folder).stdin(Stdio::null());
    let of_workflow =
        |name: &OsString| name == "CI" || name.to_string_lossy().starts_with("GITHUB_");
    for (name, _) in std::env::vars_os().filter(|(name, _)| of_workflow(name)) {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    command
        .output()
        .with_context(|| format!("cannot run `{program}`"))
}
