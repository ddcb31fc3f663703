//! The paths of the binaries that the tests run.
//!
//! They belong to other packages, whose binaries cargo does not build here. So their `main` functions are examples of
//! this package: cargo builds these with the tests, from the same libraries.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The programs that the tests run; each is a package of the same name.
pub const NAMES: [&str; 3] = [
    "extract-perf-baseline",
    "render-perf-doc",
    "render-perf-deltas",
];

/// The program that the action runs.
pub const ACTION_PROGRAM: &str = "perf-gate";

/// The environment variable for a folder with binaries to test, such as a release's.
pub const FOLDER: &str = "PERF_GATE_BINARIES";

/// The path of the program called `name`.
pub fn path(name: &str) -> &'static Path {
    static FOUND: OnceLock<HashMap<&str, PathBuf>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let given = env::var_os(FOLDER);
        let file = |name: &str| match &given {
            Some(folder) => Path::new(folder)
                .join(name)
                .with_extension(env::consts::EXE_EXTENSION),
            None => example(name),
        };
        let real = |name| {
            fs::canonicalize(file(name)).expect("`cargo test -p end-to-end` builds the examples")
        };
        NAMES
            .into_iter()
            .chain([ACTION_PROGRAM])
            .map(|name| (name, real(name)))
            .collect()
    });
    found.get(name).unwrap_or_else(|| {
        panic!("unknown binary `{name}`: not in {NAMES:?}, not {ACTION_PROGRAM:?}")
    })
}

/// An example of this package, which cargo builds with the tests.
pub fn example(name: &str) -> PathBuf {
    profile_folder()
        .join("examples")
        .join(name)
        .with_extension(env::consts::EXE_EXTENSION)
}

/// `…/target/debug`, if this executable is `…/target/debug/deps/pipelines-…`.
fn profile_folder() -> PathBuf {
    let test = env::current_exe().expect("a process knows its executable");
    let parents = test
        .ancestors()
        .skip(1)
        .find(|folder| !folder.ends_with("deps"));
    parents.expect("an executable is in a folder").to_owned()
}
