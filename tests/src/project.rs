//! A folder of its own for each test, with a project in it.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::folder::visit;
use crate::{Outcome, Program, Report};

/// A folder that goes away with the value.
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

    /// A copy of a fixture.
    pub fn fixture(name: &str) -> Self {
        Self::copy(&format!("fixtures/{name}"))
    }

    /// A copy of a folder of `examples/`.
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
            "`{folder}` is no project"
        );
        project
    }

    /// With one more file.
    #[must_use]
    pub fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(name, content);
        self
    }

    /// Writes a file, and the folders that it needs.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file is in a folder"))
            .expect("a writable folder");
        fs::write(&path, content).expect("a writable file");
    }

    /// Rewrites a text file by replacing a part that it must have.
    pub fn edit(&self, name: &str, part: &str, replacement: &str) {
        let text = self.text(name);
        assert!(text.contains(part), "`{name}` has no `{part}`");
        self.write(name, text.replace(part, replacement));
    }

    /// Where a file of the project is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The content of a file.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("`{name}`: {error}"))
    }

    /// The content of a text file.
    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("a file in UTF-8")
    }

    /// The names of all files, with `/`.
    pub fn files(&self) -> Vec<String> {
        let mut names = Vec::new();
        visit(self.folder.path(), "", &mut |name, _| names.push(name));
        names
    }

    /// Runs a command line; spaces stand between its arguments, and nothing can be quoted.
    pub fn run(&self, line: &str) -> Outcome {
        self.tool(line).run()
    }

    /// Runs a comparison and reads its JSON report.
    pub fn compare(&self, line: &str) -> (Outcome, Report) {
        let outcome = self.run(&format!("{line} --json report.json"));
        assert!(self.path("report.json").exists(), "no report: {outcome}");
        (outcome, Report::parse(&self.text("report.json")))
    }

    /// A command line that can be added to.
    pub fn tool(&self, line: &str) -> Program {
        Program::new(self.folder.path(), line)
    }
}
