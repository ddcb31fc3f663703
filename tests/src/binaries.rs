//! Where the binaries are that the tests run.
//!
//! They belong to other packages, so cargo does not build them for these tests. They are built here, once in
//! each run, by the same cargo into the same folder and profile as the test executable itself; when they are
//! fresh already, that takes a tenth of a second.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// What the tests run; each is a package of the same name.
pub const NAMES: [&str; 3] = ["extract-perf-baseline", "render-perf-doc", "render-perf-deltas"];

/// What the action runs.
pub const OF_ACTION: &str = "perf-gate";

/// Names a folder with binaries that are to be tested as they are, such as a release's.
pub const FOLDER: &str = "PERF_GATE_BINARIES";

/// The executable of this name.
pub fn path(name: &str) -> &'static Path {
    static FOUND: OnceLock<HashMap<String, PathBuf>> = OnceLock::new();
    let found = FOUND.get_or_init(|| match env::var_os(FOLDER) {
        Some(folder) => in_folder(Path::new(&folder)),
        None => built_in_this_run().unwrap_or_else(build),
    });
    found.get(name).unwrap_or_else(|| panic!("unknown binary `{name}`: not in {NAMES:?}, not {OF_ACTION:?}"))
}

fn in_folder(folder: &Path) -> HashMap<String, PathBuf> {
    let file = |name: &str| folder.join(name).with_extension(env::consts::EXE_EXTENSION);
    let found = all().map(|name| (name.to_owned(), fs::canonicalize(file(name)).expect("a binary")));
    found.collect()
}

fn all() -> impl Iterator<Item = &'static str> {
    NAMES.into_iter().chain([OF_ACTION])
}

/// Nextest runs each test in a process of its own: the first one builds and leaves a note for the others.
fn built_in_this_run() -> Option<HashMap<String, PathBuf>> {
    let note = fs::read_to_string(note()).ok()?;
    let (run, paths) = note.split_once('\n')?;
    (env::var("NEXTEST_RUN_ID").ok()? == run).then(|| serde_json::from_str(paths).ok())?
}

fn note() -> PathBuf {
    profile_folder().join("end-to-end-binaries")
}

fn build() -> HashMap<String, PathBuf> {
    let output = cargo().output().expect("cargo builds the binaries");
    assert!(output.status.success(), "cargo could not build the binaries");
    let found: HashMap<String, PathBuf> =
        String::from_utf8_lossy(&output.stdout).lines().filter_map(executable).collect();
    if let Ok(run) = env::var("NEXTEST_RUN_ID") {
        let paths = serde_json::to_string(&found).expect("paths are text");
        fs::write(note(), format!("{run}\n{paths}")).expect("the folder of the build is writable");
    }
    found
}

fn cargo() -> Command {
    // The one that runs the tests, else the one that built them.
    let cargo = env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
    let mut command = Command::new(cargo);
    command.current_dir(env!("CARGO_MANIFEST_DIR")).stderr(Stdio::inherit());
    command.args(["build", "--quiet", "--bins", "--message-format=json-render-diagnostics"]);
    command.args(all().flat_map(|name| ["--package", name]));
    command.args(["--profile", profile()]).arg("--target-dir").arg(target_folder());
    command
}

/// Name and executable, when a message of cargo's says that there is one.
fn executable(message: &str) -> Option<(String, PathBuf)> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    let path = message["executable"].as_str()?;
    Some((message["target"]["name"].as_str()?.to_owned(), path.into()))
}

/// An example of this package, which cargo builds with the tests.
pub fn example(name: &str) -> PathBuf {
    profile_folder().join("examples").join(name).with_extension(env::consts::EXE_EXTENSION)
}

/// `…/target/debug`, where this executable is `…/target/debug/deps/pipelines-…`.
fn profile_folder() -> PathBuf {
    let test = env::current_exe().expect("a process knows its executable");
    let parents = test.ancestors().skip(1).find(|folder| !folder.ends_with("deps"));
    parents.expect("an executable is in a folder").to_owned()
}

/// The name of the profile by the name of its folder.
fn profile() -> &'static str {
    static PROFILE: OnceLock<String> = OnceLock::new();
    PROFILE.get_or_init(|| match profile_folder().file_name().and_then(|name| name.to_str()) {
        None | Some("debug") => "dev".to_owned(),
        Some(name) => name.to_owned(),
    })
}

fn target_folder() -> PathBuf {
    profile_folder().parent().expect("a profile's folder is in the target folder").to_owned()
}
