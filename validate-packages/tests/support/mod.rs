//! Projects for the tests: the fixtures, in memory or in a folder of their own.

use std::collections::BTreeMap;
use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

/// Path → content.
pub type Project = BTreeMap<String, String>;

/// The manifest's path.
pub const MANIFEST: &str = ".github/comparison-packages.json";

/// A fixture, with the line ends it was written with even where a checkout changed them.
pub fn fixture(name: &str) -> Project {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let mut project = Project::new();
    read(&root, "", &mut project);
    project
}

fn read(dir: &Path, prefix: &str, project: &mut Project) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            read(&path, &format!("{name}/"), project);
        } else {
            project.insert(name, std::fs::read_to_string(&path).unwrap().replace("\r\n", "\n"));
        }
    }
}

/// Writes a project to a folder that goes away with the value.
#[allow(dead_code, reason = "each test binary uses its part of this module")]
pub fn on_disk(project: &Project) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in project {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    dir
}

/// What a run said.
#[allow(dead_code, reason = "each test binary uses its part of this module")]
pub struct Said {
    /// The exit code.
    pub code: i32,
    /// The data.
    pub out: String,
    /// The talk.
    pub err: String,
}

/// Runs the binary in a folder, away from the environment of whoever runs the tests.
#[allow(dead_code, reason = "each test binary uses its part of this module")]
pub fn run(dir: &Path, args: &[&str]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_validate-comparison-packages"));
    for variable in ["CI", "GITHUB_ACTIONS", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    let output = command.current_dir(dir).args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Said { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}
