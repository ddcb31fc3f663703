//! Build output that both sides share although their sources differ.
//!
//! The base starts with the files that git ignores, so that it has dependencies and caches. What a build of the current
//! side left there is current code, and a base that runs it shows no difference. So the launch that warms up watches
//! build output that the base's build did not write.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use perf_cli::Failure;
use perf_cli::term::{printable, shown};

use super::checkout::{Checkout, DEPENDENCIES, Difference};
use crate::git::git;
use crate::mount_view::{MountView, Watch};
use crate::process::{CommandSpec, program};

/// Folders that builds write code into.
const OUTPUTS: [&str; 12] = [
    "dist", "build", "out", "lib", "bin", "esm", "cjs", "target", "_build", "obj", ".next", "wasm",
];
/// Folders in them that build tools keep for themselves.
const INTERNAL: [&str; 6] = [
    "deps",
    ".fingerprint",
    "incremental",
    "examples",
    "CMakeFiles",
    "criterion",
];
/// The ends of names of files that are run.
const CODE: [&str; 12] = [
    "js", "mjs", "cjs", "node", "wasm", "so", "dylib", "dll", "exe", "jar", "class", "pyd",
];
/// Ends of names of changed files that no build reads.
const TEXTS: [&str; 4] = ["md", "rst", "txt", "adoc"];
/// Programs that know which of their outputs are out of date.
const BUILDERS: [&str; 15] = [
    "cargo", "go", "make", "gmake", "ninja", "cmake", "meson", "dotnet", "zig", "swift", "gradle",
    "gradlew", "mvn", "mvnw", "sbt",
];
/// The most files that are watched; the kernel has a limit for each user.
const MOST: usize = 4_000;

/// What may stand between the words of a script.
const BETWEEN_WORDS: [char; 7] = [' ', '\n', ';', '&', '=', '\'', '"'];

/// Files of the checkout that the base can only have from the current side's build.
pub(crate) struct Shared {
    files: BTreeSet<PathBuf>,
}

impl Shared {
    /// The output that neither side's build wrote, where a build would have to: their sources differ, and no build tool that
    /// looks at them runs.
    ///
    /// # Errors
    /// What git cannot read.
    pub(crate) fn find(
        checkout: &Checkout,
        (side, commit): (usize, &str),
        commands: &[&[OsString]],
    ) -> anyhow::Result<Option<Self>> {
        let is_built = commands
            .iter()
            .any(|words| BUILDERS.iter().any(|name| program(words) == *name));
        if is_built || !checkout.differences(commit, None)?.iter().any(is_source) {
            return Ok(None);
        }
        let arguments = [
            "ls-files",
            "-z",
            "--others",
            "--ignored",
            "--exclude-standard",
            "--directory",
        ];
        let mut ignored = Vec::new();
        for entry in git(&checkout.root, &arguments)?
            .split('\0')
            .filter(|entry| !entry.is_empty())
        {
            collect(
                &checkout.root,
                Path::new(entry.trim_end_matches('/')),
                &mut ignored,
            );
        }
        let place = checkout.place(side);
        let is_written = |file: &PathBuf| place.outside(&checkout.root.join(file)).is_file();
        let (written, files): (BTreeSet<_>, BTreeSet<_>) =
            ignored.into_iter().partition(is_written);
        // A build that wrote some output left alone what did not change.
        Ok((written.is_empty() && !files.is_empty()).then_some(Self { files }))
    }

    /// Writes the list of the files, for a launch that watches them.
    ///
    /// # Errors
    /// A list that cannot be written.
    pub(crate) fn watch(&self, checkout: &Checkout) -> anyhow::Result<Watch> {
        let [files, opened] = ["watched", "opened"].map(|name| checkout.scratch.path().join(name));
        let paths: Vec<OsString> = self
            .files
            .iter()
            .map(|file| checkout.root.join(file).into())
            .collect();
        fs::write(&files, paths.join(OsStr::new("\0")).as_encoded_bytes())?;
        Ok(Watch { files, opened })
    }

    /// The first file that the launch opened and did not write.
    pub(crate) fn opened(&self, watch: &Watch, place: &MountView, root: &Path) -> Option<PathBuf> {
        let opened = fs::read(&watch.opened).unwrap_or_default();
        let opened: BTreeSet<&[u8]> = opened.split(|byte| *byte == 0).collect();
        let is_opened = |file: &&PathBuf| {
            let path = root.join(file);
            opened.contains(path.as_os_str().as_encoded_bytes()) && !place.outside(&path).exists()
        };
        self.files.iter().find(is_opened).cloned()
    }
}

/// Refuses a build folder of CMake, among the words of commands in a folder, that is configured for other sources than the
/// checkout's: both sides would build and run those.
///
/// # Errors
/// Such a folder.
pub(crate) fn no_foreign_sources<'w>(
    checkout: &Checkout,
    folder: &Path,
    words: impl Iterator<Item = &'w OsString>,
) -> anyhow::Result<()> {
    let root = &checkout.root;
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    let paths: Vec<PathBuf> = words
        .iter()
        .flat_map(|word| word.split(BETWEEN_WORDS))
        .map(|path| folder.join(path))
        .collect();
    let folders = paths
        .iter()
        .flat_map(|path| path.ancestors())
        .filter(|folder| folder.starts_with(root));
    for build in folders {
        let cache = fs::read_to_string(checkout.place(1).seen(&build.join("CMakeCache.txt")));
        let cache = cache.unwrap_or_default();
        let sources: Vec<&str> = cache.lines().filter_map(source_of_cmake).collect();
        let is_own =
            |source: &&str| fs::canonicalize(source).is_ok_and(|source| source.starts_with(root));
        if let Some(source) = sources.first().filter(|_| !sources.iter().any(is_own)) {
            let (build, source) = (
                shown(build.strip_prefix(root).unwrap_or(build)),
                printable(source),
            );
            return Err(Failure::new(format!(
                "both sides would run the code of `{source}`: CMake's folder `{build}` is configured for it"
            ))
            .hint(format!("configure the folder for this checkout, as by `cmake --fresh -B {build}`"))
            .into());
        }
    }
    Ok(())
}

/// The folder with sources that a line of CMake's cache names.
fn source_of_cmake(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once(':')?;
    let names_sources = name == "CMAKE_HOME_DIRECTORY" || name.contains("_SOURCE_DIR");
    Some(rest.split_once('=')?.1).filter(|value| names_sources && !value.is_empty())
}

/// The program of a command if git does not know it and both sides have the same, byte for byte.
pub(crate) fn same_program(checkout: &Checkout, line: &CommandSpec) -> Option<PathBuf> {
    let program = line.folder.join(line.words.first()?);
    let path = program.strip_prefix(&checkout.root).ok()?;
    let [base, current] = [0, 1].map(|side| checkout.place(side).seen(&program));
    let is_built = base != current
        && git(&checkout.root, &["ls-files", "--", path.to_str()?])
            .ok()?
            .is_empty();
    let size = |file: &Path| fs::metadata(file).ok().map(|metadata| metadata.len());
    let is_same = is_built
        && size(&base)? == size(&current)?
        && fs::read(base).ok()? == fs::read(current).ok()?;
    is_same.then(|| path.to_owned())
}

/// True if a build may read the file.
pub(crate) fn is_source(Difference { path, .. }: &Difference) -> bool {
    let is_text = has_end(path, &TEXTS) && !path.ends_with("CMakeLists.txt");
    !is_text && !path.starts_with(".github/") && !path.starts_with("docs/")
}

/// Collects files with code that a build wrote.
fn collect(root: &Path, path: &Path, found: &mut Vec<PathBuf>) {
    let name = path.file_name().unwrap_or_default();
    let is_among = |names: &[&str]| names.iter().any(|other| name == *other);
    let Ok(metadata) = fs::symlink_metadata(root.join(path)) else {
        return;
    };
    if found.len() >= MOST || is_among(&DEPENDENCIES) {
        return;
    }
    if metadata.is_dir() {
        if !is_among(&INTERNAL) {
            let entries = fs::read_dir(root.join(path))
                .into_iter()
                .flatten()
                .flatten();
            entries.for_each(|entry| collect(root, &path.join(entry.file_name()), found));
        }
    } else if metadata.is_file() && is_output(root, path) {
        found.push(path.to_owned());
    }
}

/// True if a file is code: native, or in a folder for output under a name that says so.
pub(crate) fn is_output(root: &Path, path: &Path) -> bool {
    let is_code = has_end(path, &CODE);
    let is_in_output = path
        .components()
        .any(|part| OUTPUTS.iter().any(|name| part.as_os_str() == *name));
    (is_code && is_in_output) || is_native(&root.join(path))
}

/// True if the name of a file has one of these ends.
pub(crate) fn has_end(path: impl AsRef<Path>, ends: &[&str]) -> bool {
    path.as_ref()
        .extension()
        .is_some_and(|end| ends.iter().any(|other| end == *other))
}

/// True if a file begins as programs and libraries of Linux do.
fn is_native(path: &Path) -> bool {
    let mut begin = [0; 4];
    File::open(path)
        .and_then(|mut file| file.read_exact(&mut begin))
        .is_ok()
        && begin == *b"\x7fELF"
}
