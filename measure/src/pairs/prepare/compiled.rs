//! Builds Go test binaries once for each side.
//!
//! A program file stays at the same place in memory between process runs, and this place determines how well it fits
//! into the processor's caches. Of five copies of a google/uuid test binary, one was 9.9% slower in each of 25 process
//! runs. Over a whole measurement, such a difference looks like a code change. So there are several copies of each
//! binary.
//!
//! The same applies to functions within the file: if one grows, all later ones move. In four of eight builds of
//! buger/jsonparser that differed only in an unrelated function, a benchmark of 3 ns took 73% longer. So each binary is
//! linked with several alignments of functions, and an effect of one of them changes only some of the process runs.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::bench_tools::GoTest;
use anyhow::Context;

use crate::process::{CommandSpec, Launcher};

/// The maximum number of packages for which test binaries are built.
const MOST: usize = 40;
/// The alignments of functions in a side's builds, in bytes. Go's default is 32.
const ALIGNMENTS: [u32; 3] = [64, 32, 128];

/// Builds the test binaries of both sides in `folder`. Returns each package with the commands of base and head.
///
/// # Errors
/// Fails if the command is not `go test`, if the build fails or is stopped, or if the packages of base and head differ.
pub fn compile_test_binaries(
    lines: &[CommandSpec; 2],
    folder: &Path,
    launcher: &Launcher<'_>,
) -> anyhow::Result<Vec<(String, [CommandSpec; 2])>> {
    let base = TestSide::of(&lines[0], launcher)?;
    let current = TestSide::of(&lines[1], launcher)?;
    // Build both sides alike: align functions only if both support it.
    let is_aligned = base.aligns && current.aligns;
    let base = base.compile(&folder.join("0"), is_aligned, launcher)?;
    let current = current.compile(&folder.join("1"), is_aligned, launcher)?;
    let mut compiled = Vec::new();
    anyhow::ensure!(base.len() == current.len(), "different packages");
    for ((package, base), (other, current)) in base.into_iter().zip(current) {
        anyhow::ensure!(package == other, "different packages");
        compiled.push((package, [base, current]));
    }
    Ok(compiled)
}

/// A side whose test binaries can be built.
struct TestSide<'l> {
    line: &'l CommandSpec,
    test: GoTest,
    /// The search path of `go test`, which starts with Go's own directory.
    path: OsString,
    /// The packages with tests, and their directories.
    packages: Vec<(String, PathBuf)>,
    /// Whether this side's linker can align functions to cache lines.
    aligns: bool,
}

impl<'l> TestSide<'l> {
    /// Asks Go which packages to build.
    ///
    /// # Errors
    /// Fails if the command is not `go test`, if its test binary cannot run on its own, or if there are too many packages.
    fn of(line: &'l CommandSpec, launcher: &Launcher<'_>) -> anyhow::Result<Self> {
        let test = GoTest::of(&line.words).context("no `go test`")?;
        let environment = run(line, &test.environment(), launcher)?;
        let list = run(line, &test.list(), launcher)?;
        let mut environment = environment.lines();
        let [root, flags, version] = [0; 3].map(|_| environment.next().unwrap_or_default());
        let mut packages = Vec::new();
        for line in list.lines().filter(|line| !line.is_empty()) {
            let (name, home) = line.split_once('\t').context("a package without folder")?;
            packages.push((name.to_owned(), PathBuf::from(home)));
        }
        let is_separate = packages.len() <= MOST && GoTest::allows(flags);
        anyhow::ensure!(is_separate, "not to be built apart");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = [Path::new(root).join("bin")]
            .into_iter()
            .chain(std::env::split_paths(&path));
        Ok(Self {
            line,
            path: std::env::join_paths(paths)?,
            packages,
            aligns: test.aligns_functions(flags, version),
            test,
        })
    }

    /// Builds the test binaries. Returns each package with the command for its test binary.
    fn compile(
        &self,
        folder: &Path,
        is_aligned: bool,
        launcher: &Launcher<'_>,
    ) -> anyhow::Result<Vec<(String, CommandSpec)>> {
        let mut compiled = Vec::new();
        for (number, (package, home)) in self.packages.iter().enumerate() {
            // Name the file as `go test` does. The paths of two packages may have the same last part, so the
            // directory's name contains a number.
            let name = package.rsplit('/').next().unwrap_or(package);
            let name = format!("{name}.test{}", std::env::consts::EXE_SUFFIX);
            let mut binaries = Vec::new();
            for (build, alignment) in ALIGNMENTS.into_iter().enumerate() {
                // All paths have the same length, because the path is part of the process's environment.
                let folder = folder.join(format!("{number}-{build}"));
                fs::create_dir_all(&folder)?;
                let binary = folder.join(&name);
                let alignment = is_aligned.then_some(alignment);
                let words = self.test.build(package, &binary, alignment);
                run(self.line, &words, launcher)?;
                binaries.push(binary);
            }
            let mut command = self.line.with(&self.test.launch(&binaries[0]))?;
            command.copies = binaries;
            command.variables.push(("PATH".into(), self.path.clone()));
            command.variables.push(("PWD".into(), home.clone().into()));
            command.folder.clone_from(home);
            compiled.push((package.clone(), command));
        }
        Ok(compiled)
    }
}

/// Runs `words` with the directory and environment of `line`, and returns the output.
fn run(line: &CommandSpec, words: &[OsString], launcher: &Launcher<'_>) -> anyhow::Result<String> {
    let launch = launcher.launch(&line.with(words)?, 1, 0)?;
    Ok(String::from_utf8_lossy(&launch.output).into_owned())
}
