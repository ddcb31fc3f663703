//! A directory for measurements.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap_or_default()
    }

    /// The directory's file names, sorted.
    pub fn files(&self) -> Vec<String> {
        let name = |entry: std::io::Result<fs::DirEntry>| {
            entry.unwrap().file_name().into_string().unwrap()
        };
        let mut names: Vec<String> = fs::read_dir(self.path()).unwrap().map(name).collect();
        names.sort();
        names
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_measure-perf"));
        command
            .current_dir(self.path())
            .args(arguments)
            .env_remove("PERF_TEST");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs a command that must fail with exit code 2 and a single error. Returns its standard error.
    pub fn fail(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let error = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {error}");
        assert_eq!(error.matches("error:").count(), 1, "{arguments:?} {error}");
        error
    }
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
