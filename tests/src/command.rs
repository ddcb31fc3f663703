//! A command line, run away from the environment of whoever runs the tests.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::Command;

use crate::folder::Folder;
use crate::{Outcome, binaries};

/// Variables that make a program behave as on a build server, on a terminal or under a debugger.
const SCRUBBED: [&str; 9] = [
    "CI", "NO_COLOR", "CLICOLOR", "GITHUB_", "RUNNER_", "GH_", "RUST_", "TERM", "COLUMNS",
];

/// So wide is the help, whatever terminal the tests run in.
const WIDTH: &str = "100";

/// A run that takes longer hangs, even on a busy machine.
const HANGS: Duration = Duration::from_secs(30);

/// One of the binaries with its arguments.
pub struct Program {
    folder: PathBuf,
    command: Command,
}

impl Program {
    pub(crate) fn new(folder: &Path, line: &str) -> Self {
        let mut words = line.split_whitespace();
        let mut command = Command::new(binaries::path(words.next().unwrap_or_default()));
        command.args(words).current_dir(folder).timeout(HANGS);
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

    /// With one more argument, which may have spaces.
    #[must_use]
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// With a variable in its environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// In a folder of the project.
    #[must_use]
    pub fn within(mut self, folder: &str) -> Self {
        self.command.current_dir(self.folder.join(folder));
        self
    }

    /// With this on standard input, which is empty otherwise.
    #[must_use]
    pub fn stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.command.write_stdin(input);
        self
    }

    /// Runs it to its end.
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
