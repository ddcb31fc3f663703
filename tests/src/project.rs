//! A separate folder for each test, with a project in it.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::folder::visit;
use crate::{Outcome, Program, Report};

/// A project in a temporary folder, which is deleted on drop.
#[derive(Debug)]
pub struct Project {
    folder: TempDir,
}

impl Project {
    /// An empty folder.
    pub fn empty() -> Self {
        let folder = tempfile::Builder::new().prefix("perf-gate-e2e-").tempdir();
        Self {
            folder: folder.expect("a folder for a test"),
        }
    }

    /// Copies a fixture.
    pub fn fixture(name: &str) -> Self {
        Self::copy(&format!("fixtures/{name}"))
    }

    /// Copies a folder from `examples/`.
    pub fn example(name: &str) -> Self {
        Self::copy(&format!("../examples/{name}"))
    }

    fn copy(folder: &str) -> Self {
        let project = Self::empty();
        visit(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join(folder),
            "",
            &mut |name, path| {
                project.write(&name, fs::read(path).expect("a readable file"));
            },
        );
        assert!(
            project.path("perf-gate.toml").exists(),
            "`{folder}` is not a project"
        );
        project
    }

    /// Adds a file.
    #[must_use]
    pub fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(name, content);
        self
    }

    /// Writes a file and creates its folders.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file is in a folder"))
            .expect("a writable folder");
        fs::write(&path, content).expect("a writable file");
    }

    /// Replaces `part`, which must occur, in a text file.
    pub fn edit(&self, name: &str, part: &str, replacement: &str) {
        let text = self.text(name);
        assert!(text.contains(part), "`{name}` has no `{part}`");
        self.write(name, text.replace(part, replacement));
    }

    /// The path of a file in the project.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Reads a file.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("`{name}`: {error}"))
    }

    /// Reads a text file.
    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("a file in UTF-8")
    }

    /// The paths of all files, with `/`.
    pub fn files(&self) -> Vec<String> {
        let mut names = Vec::new();
        visit(self.folder.path(), "", &mut |name, _| names.push(name));
        names
    }

    /// Runs a command line. Arguments are separated by spaces and cannot be quoted.
    pub fn run(&self, line: &str) -> Outcome {
        self.tool(line).run()
    }

    /// Runs a comparison and reads its JSON report.
    pub fn compare(&self, line: &str) -> (Outcome, Report) {
        let outcome = self.run(&format!("{line} --json report.json"));
        assert!(self.path("report.json").exists(), "no report: {outcome}");
        (outcome, Report::parse(&self.text("report.json")))
    }

    /// A command line that can be extended before it runs.
    pub fn tool(&self, line: &str) -> Program {
        Program::new(self.folder.path(), line)
    }
}
