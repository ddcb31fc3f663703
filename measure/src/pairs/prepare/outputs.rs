//! Finds build output that both sides share although their sources differ.
//!
//! The base starts with the checkout's ignored files, so that it has dependencies and caches. These files may include
//! output of the head's build. If the base executed such output, the measurement would show no difference. So the
//! warm-up run watches build output that the base's own build did not write.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::checkout::{Checkout, DEPENDENCIES, Difference};
use super::obstacles::installed_copies;
use super::sides::{Prepared, Sides};
use crate::git::git;
use crate::mount_view::{MountView, Watch};
use crate::pairs::request::PairsRequest;
use crate::process::{first_bytes, has_end, program, split_words};
use crate::schedule::Side;

/// Directories to which builds write code.
const OUTPUTS: [&str; 12] = [
    "dist", "build", "out", "lib", "bin", "esm", "cjs", "target", "_build", "obj", ".next", "wasm",
];
/// Subdirectories that build tools only use internally.
const INTERNAL: [&str; 6] = [
    "deps",
    ".fingerprint",
    "incremental",
    "examples",
    "CMakeFiles",
    "criterion",
];
/// Extensions of executable code.
const CODE: [&str; 12] = [
    "js", "mjs", "cjs", "node", "wasm", "so", "dylib", "dll", "exe", "jar", "class", "pyd",
];
/// Extensions of files that no build reads.
const TEXTS: [&str; 4] = ["md", "rst", "txt", "adoc"];
/// Programs that rebuild all outdated output. `make` is not among them, because a makefile might not list headers.
const BUILDERS: [&str; 13] = [
    "cargo", "go", "ninja", "cmake", "meson", "dotnet", "zig", "swift", "gradle", "gradlew", "mvn",
    "mvnw", "sbt",
];
/// The maximum number of files to watch. The kernel limits the watched files per user.
const MOST: usize = 4_000;

/// Files that are watched while a side runs: build output that this side did not write, and installed copies of the code.
pub struct Watched {
    root: PathBuf,
    files: BTreeSet<PathBuf>,
    /// The file that lists the files that were opened.
    opened: PathBuf,
    /// Whether the side's commands run `make`, which does not rewrite files that are up to date.
    runs_make: bool,
    /// The side's mount view, which records the opened files.
    pub place: MountView,
}

impl Watched {
    /// Finds files to watch while a side runs: installed copies of the checkout's code, and build output that this side
    /// should have written but did not. Returns `None` if no such files exist, if the sources do not differ, or if a
    /// tool in `BUILDERS` runs.
    ///
    /// # Errors
    /// Fails if git fails, or if the list of files cannot be written.
    pub fn find(sides: &Sides, side: Side, request: &PairsRequest) -> anyhow::Result<Option<Self>> {
        let Some(checkout) = &sides.checkout else {
            return Ok(None);
        };
        let Prepared {
            command, commit, ..
        } = sides.side(side);
        let commands = [request.build.as_deref().unwrap_or_default(), &command.words];
        if commands.iter().any(|words| starts(words, &BUILDERS)) {
            return Ok(None);
        }
        let (root, place) = (checkout.root.clone(), checkout.place(side));
        let options = ["--others", "--ignored", "--exclude-standard", "--directory"];
        let ignored = git(&root, &[&["ls-files", "-z"], &options[..]].concat())?;
        let mut files = BTreeSet::new();
        for entry in ignored.split_terminator('\0') {
            let path = Path::new(entry.trim_end_matches('/'));
            collect_outputs(&root, path, &INTERNAL, &mut files);
        }
        // If the build wrote any output, the rest of the output is up to date.
        let mut outside = files.iter().map(|file| place.outside(&root.join(file)));
        if outside.any(|file| file.is_file()) {
            files.clear();
        }
        for words in commands {
            for copy in installed_copies(&root, words).into_iter().take(MOST) {
                files.insert(copy.strip_prefix(&root).unwrap_or(&copy).to_owned());
            }
        }
        if files.is_empty() || !checkout.differences(commit, None)?.iter().any(is_source) {
            return Ok(None);
        }
        let [list, opened] = ["watched", "opened"].map(|name| checkout.scratch.path().join(name));
        let paths: Vec<OsString> = files.iter().map(|file| root.join(file).into()).collect();
        fs::write(&list, paths.join(OsStr::new("\0")).as_encoded_bytes())?;
        let watch = Some(Watch {
            files: list,
            opened: opened.clone(),
        });
        let place = MountView {
            watch,
            ..place.clone()
        };
        Ok(Some(Self {
            root,
            files,
            opened,
            runs_make: commands.iter().any(|words| starts(words, &["make"])),
            place,
        }))
    }

    /// Returns the first file that the process opened but the side did not write. If `make` wrote any file, all others
    /// are up to date, and the result is `None`.
    pub fn opened(&self) -> Option<PathBuf> {
        let opened = fs::read(&self.opened).unwrap_or_default();
        let opened: BTreeSet<&[u8]> = opened.split(|byte| *byte == 0).collect();
        // A file outside of the checkout is the same for both sides, so this side did not write it.
        let is_written = |file: &PathBuf| {
            file.is_relative() && self.place.outside(&self.root.join(file)).is_file()
        };
        if self.runs_make && self.files.iter().any(is_written) {
            return None;
        }
        let is_stale = |file: &&PathBuf| {
            let path = self.root.join(file);
            opened.contains(path.as_os_str().as_encoded_bytes()) && !is_written(file)
        };
        self.files.iter().find(is_stale).cloned()
    }
}

/// Whether a command starts one of these programs, directly or in a shell script.
fn starts(words: &[OsString], programs: &[&str]) -> bool {
    let program = program(words).to_str().unwrap_or_default();
    if ["sh", "bash"].contains(&program) && words.get(1).is_some_and(|option| option == "-c") {
        let words = split_words(words);
        return words.iter().any(|word| programs.contains(&word.as_str()));
    }
    programs.contains(&program)
}

/// Returns the source directory of a CMake build directory, if the sources are outside of the checkout.
pub fn foreign_sources(checkout: &Checkout, build: &Path) -> Option<String> {
    let cache = build.join("CMakeCache.txt");
    let cache = fs::read(checkout.place(Side::Current).seen(&cache)).ok()?;
    let cache = String::from_utf8_lossy(&cache);
    let home = "CMAKE_HOME_DIRECTORY:INTERNAL=";
    let source = cache.lines().find_map(|line| line.strip_prefix(home))?;
    // Canonicalizing fails for a directory that exists only in a commit.
    let path = fs::canonicalize(source).unwrap_or_else(|_| source.into());
    (!path.starts_with(&checkout.root)).then(|| source.to_owned())
}

/// Whether a build may read the file.
pub fn is_source(Difference { path, .. }: &Difference) -> bool {
    let is_text = has_end(path, &TEXTS) && !path.ends_with("CMakeLists.txt");
    !is_text && !path.starts_with(".github/") && !path.starts_with("docs/")
}

/// Collects the build output below a path. Skips directories with dependencies, and directories with a name in `skipped`.
pub fn collect_outputs(root: &Path, path: &Path, skipped: &[&str], found: &mut BTreeSet<PathBuf>) {
    let Ok(metadata) = fs::symlink_metadata(root.join(path)) else {
        return;
    };
    let is_among = |names: &[&str]| names.iter().any(|name| path.ends_with(name));
    if found.len() >= MOST || is_among(&DEPENDENCIES) {
        return;
    }
    if metadata.is_dir() {
        if !is_among(skipped) {
            let entries = fs::read_dir(root.join(path)).into_iter().flatten();
            for entry in entries.flatten() {
                collect_outputs(root, &path.join(entry.file_name()), skipped, found);
            }
        }
    } else if metadata.is_file() && is_output(root, path) {
        found.insert(path.to_owned());
    }
}

/// Whether a file is a native binary, or has an extension of code and is in an output directory.
pub fn is_output(root: &Path, path: &Path) -> bool {
    let mut folders = path.components().map(Component::as_os_str);
    let is_in_output = folders.any(|part| OUTPUTS.iter().any(|name| part == *name));
    if has_end(path, &CODE) && is_in_output {
        return true;
    }
    first_bytes(&root.join(path), 4) == b"\x7fELF"
}
