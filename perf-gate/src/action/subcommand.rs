//! Runs a subcommand as a separate process, which never gets the token.

use std::env;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, anyhow};
use perf_cli::actions::TOKENS;
use perf_cli::term;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::environment::{GIT, workflow_variables};
use super::search_path;

const CANNOT_START: &str = "cannot start `perf-gate`";

/// A `perf-gate` subcommand to start.
pub(super) struct Subcommand(Command);

/// The path of this program.
pub(super) fn program() -> anyhow::Result<PathBuf> {
    env::current_exe().context("cannot find this program")
}

impl Subcommand {
    pub(super) fn new(subcommand: &str) -> anyhow::Result<Self> {
        let mut command = Command::new(program()?);
        command.arg(subcommand).stdin(Stdio::null()).envs(GIT);
        command.env("PATH", search_path::outside_workspace());
        for secret in TOKENS {
            command.env_remove(secret);
        }
        Ok(Self(command))
    }

    pub(super) fn args(mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.0.args(arguments);
        self
    }

    /// Prepares for running the project's own commands: restores the full `PATH`, and hides the files through which a step
    /// passes values to the workflow.
    pub(super) fn without_workflow(mut self) -> Self {
        self.0.envs(env::var_os("PATH").map(|path| ("PATH", path)));
        for name in workflow_variables() {
            self.0.env_remove(name);
        }
        self
    }

    /// Adds git objects that are missing in the checkout.
    pub(super) fn with_objects(mut self, objects: Option<&Path>) -> Self {
        self.0.envs(
            objects
                .iter()
                .map(|objects| ("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects)),
        );
        self
    }

    /// Runs the subcommand and captures its output.
    pub(super) fn output(mut self) -> anyhow::Result<std::process::Output> {
        self.0.output().context(CANNOT_START)
    }

    /// Sends a request as JSON on stdin and parses the answer from stdout. Prints stderr as it comes, so call this within
    /// `log::without_commands`.
    pub(super) fn ask<T: DeserializeOwned>(
        mut self,
        request: &impl Serialize,
    ) -> anyhow::Result<T> {
        let command = self
            .0
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().context(CANNOT_START)?;
        // The pipe is dropped at the end of the statement, which closes the child's stdin.
        child
            .stdin
            .take()
            .map(|pipe| serde_json::to_writer(pipe, request))
            .transpose()?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        // Read both pipes at once, because the child blocks when one of them is full.
        let answer = std::thread::spawn(move || {
            let mut answer = Vec::new();
            if let Some(mut stdout) = stdout {
                stdout.read_to_end(&mut answer)?;
            }
            Ok::<_, std::io::Error>(answer)
        });
        if let Some(stderr) = stderr {
            for line in BufReader::new(stderr).split(b'\n') {
                let line = line.context(CANNOT_START)?;
                term::stdout(&(String::from_utf8_lossy(&line).into_owned() + "\n"))?;
            }
        }
        child.wait().context(CANNOT_START)?;
        let answer = answer.join().unwrap_or_else(|_| Ok(Vec::new()));
        let answer = answer.context(CANNOT_START)?;
        serde_json::from_slice(&answer)
            .map_err(|_| anyhow!("cannot measure: `perf-gate` ended without a result"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subcommand_never_gets_token() {
        let subcommand = Subcommand::new("compare").unwrap();
        let removed: Vec<_> = subcommand
            .0
            .get_envs()
            .filter(|(_, value)| value.is_none())
            .map(|(name, _)| name)
            .collect();
        assert_eq!(removed, ["GH_TOKEN", "GITHUB_TOKEN"]);
    }
}
