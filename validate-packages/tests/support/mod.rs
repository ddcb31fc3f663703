//! Fixtures, in memory or in a temporary folder.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;
use validate_comparison_packages::{FileTree, PackagesReport, check, output};

/// Path → content.
pub type Project = BTreeMap<String, String>;

/// The manifest's path.
pub const MANIFEST: &str = ".github/comparison-packages.json";

/// A fixture with `\n` line ends, even if the checkout changed them.
pub fn fixture(name: &str) -> Project {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name);
    let mut project = Project::new();
    read(&root, "", &mut project);
    project
}

fn read(dir: &Path, prefix: &str, project: &mut Project) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            read(&path, &format!("{name}/"), project);
        } else {
            project.insert(
                name,
                fs::read_to_string(&path).unwrap().replace("\r\n", "\n"),
            );
        }
    }
}

/// Writes a project to a temporary folder.
#[allow(dead_code, reason = "not every test binary uses it")]
pub fn on_disk(project: &Project) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in project {
        write(dir.path(), path, text);
    }
    dir
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The output of a run.
#[allow(dead_code, reason = "not every test binary uses it")]
pub struct Output {
    /// The exit code.
    pub code: i32,
    /// stdout.
    pub out: String,
    /// stderr.
    pub err: String,
}

/// Runs the program in a folder, without environment variables that change the output.
#[allow(dead_code, reason = "not every test binary uses it")]
pub fn run(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_validate-comparison-packages"));
    for variable in [
        "CI",
        "GITHUB_ACTIONS",
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
    ] {
        command.env_remove(variable);
    }
    let output = command.current_dir(dir).args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Output {
        code: output.status.code().unwrap(),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

thread_local! {
    /// The folder of [`checked`], and the files in it.
    static FOLDER: RefCell<(TempDir, Project)> =
        RefCell::new((tempfile::tempdir().unwrap(), Project::new()));
}

/// Checks a project in a folder that keeps unchanged files between checks: thousands of projects are checked, and most
/// differ in one file.
#[allow(dead_code, reason = "not every test binary uses it")]
pub fn checked(project: &Project) -> PackagesReport {
    FOLDER.with_borrow_mut(|(dir, written)| {
        for path in written.keys() {
            if !project.contains_key(path) {
                fs::remove_file(dir.path().join(path)).unwrap();
            }
        }
        for (path, text) in project {
            if written.get(path) != Some(text) {
                write(dir.path(), path, text);
            }
        }
        written.clone_from(project);
        let tree = FileTree::new(dir.path()).unwrap();
        check(MANIFEST, &project[MANIFEST], &tree)
    })
}

/// The findings after one change to the clean fixture, without hints.
#[allow(dead_code, reason = "not every test binary uses it")]
pub fn after(path: &str, old: &str, new: &str) -> String {
    let mut project = fixture("clean");
    let text = project.get_mut(path).unwrap();
    assert!(text.contains(old), "`{old}` is not in `{path}`");
    *text = text.replacen(old, new, 1);
    let report = checked(&project);
    let lines = output::text(&report);
    lines
        .lines()
        .filter(|line| !line.starts_with("  hint"))
        .collect::<Vec<_>>()
        .join("\n")
}
