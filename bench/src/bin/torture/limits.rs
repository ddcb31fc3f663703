//! Running a program within limits of time and memory.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::Context;

/// The programs that are run.
pub(crate) const PROGRAMS: [&str; 4] =
    ["extract-perf-baseline", "render-perf-deltas", "render-perf-doc", "validate-comparison-packages"];

/// The seconds of processor time that a command may take.
const SECONDS: u64 = 10;

/// What a command may take.
pub(crate) struct Limits {
    pub(crate) programs: PathBuf,
    /// In MiB.
    pub(crate) memory: u64,
}

impl Limits {
    /// Runs a program in a folder; the shell sets the limits.
    pub(crate) fn run<A: AsRef<OsStr>>(
        &self,
        folder: &Path,
        program: &str,
        arguments: &[A],
    ) -> anyhow::Result<Output> {
        let limits = format!(
            "ulimit -c 0 && ulimit -t {SECONDS} && ulimit -v {} || exit 99; exec \"$0\" \"$@\"",
            self.memory * 1024
        );
        let mut command = Command::new("sh");
        command.args(["-c", &limits]).arg(fs::canonicalize(self.programs.join(program))?).args(arguments);
        command.current_dir(folder).stdin(Stdio::null());
        for name in
            ["CI", "GITHUB_ACTIONS", "GITHUB_SHA", "GITHUB_REPOSITORY", "GITHUB_RUN_ID", "GITHUB_SERVER_URL"]
        {
            command.env_remove(name);
        }
        command.output().with_context(|| format!("cannot run `{program}`"))
    }
}
