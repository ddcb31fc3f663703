//! A command line, isolated from the environment of the user who runs the tests.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::Command;

use crate::folder::Folder;
use crate::{Outcome, binaries};

/// Prefixes of variables that make a program behave as on a build server, in a terminal or under a debugger.
const SCRUBBED: [&str; 9] = [
    "CI", "NO_COLOR", "CLICOLOR", "GITHUB_", "RUNNER_", "GH_", "RUST_", "TERM", "COLUMNS",
];

/// The width of the help, in any terminal.
const WIDTH: &str = "100";

/// A process that takes longer than this hangs, even on a busy machine.
const TIME_LIMIT: Duration = Duration::from_mins(1);

/// A program with its arguments.
pub struct Program {
    folder: PathBuf,
    command: Command,
}

impl Program {
    pub(crate) fn new(folder: &Path, line: &str) -> Self {
        let mut words = line.split_whitespace();
        let mut command = Command::new(binaries::path(words.next().unwrap_or_default()));
        command.args(words).current_dir(folder).timeout(TIME_LIMIT);
        let scrubbed = |name: &OsStr| {
            SCRUBBED
                .iter()
                .any(|start| name.to_string_lossy().starts_with(start))
        };
        for (name, _) in env::vars_os().filter(|(name, _)| scrubbed(name)) {
            command.env_remove(name);
        }
        command.env("COLUMNS", WIDTH);
        Self {
            folder: folder.to_owned(),
            command,
        }
    }

    /// Adds an argument, which may contain spaces.
    #[must_use]
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Sets the working directory, relative to the project.
    #[must_use]
    pub fn within(mut self, folder: &str) -> Self {
        self.command.current_dir(self.folder.join(folder));
        self
    }

    /// Sets standard input, which is empty by default.
    #[must_use]
    pub fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.command.write_stdin(input);
        self
    }

    /// Runs the program until it exits.
    pub fn run(mut self) -> Outcome {
        Folder::age(&self.folder);
        let before = Folder::of(&self.folder);
        let output = self.command.output().expect("the binary runs");
        Outcome::new(
            &self.folder,
            &output,
            before.changes(&Folder::of(&self.folder)),
        )
    }
}
