//! Builds the base on top of the head's build, for build tools that rebuild only files that depend on a difference.
//!
//! Two clean builds take twice as long as one. So the head is built first. Its build output becomes a layer below both sides,
//! and the base's build updates what depends on its own sources, which are newer.
//!
//! If a tool overlooked a difference, the base would run the head's code. So only tools and files with completely known
//! dependencies are listed: a makefile may not list headers, and a CMake cache keeps the head's options and lists of files.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::checkout::{Checkout, DEPENDENCIES, Difference};
use super::outputs::{has_end, is_output};
use crate::process::CommandSpec;

/// A build tool, and the differences that it detects.
struct BuildTool {
    program: &'static str,
    /// The command must contain one of these words, if there are any.
    commands: &'static [&'static str],
    /// Words that make the tool run something else.
    foreign: &'static [&'static str],
    /// Extensions of files whose dependents it rebuilds.
    follows: &'static [&'static str],
    /// Whether it detects added and removed files.
    finds_files: bool,
}

const NATIVE: &[&str] = &[
    "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "inc", "inl", "ipp", "m", "mm", "tcc", "tpp",
];

const TOOLS: [BuildTool; 4] = [
    BuildTool {
        program: "cargo",
        commands: &["b", "bench", "build", "rustc", "test"],
        foreign: &[],
        follows: &["lock", "rs", "toml"],
        finds_files: true,
    },
    BuildTool {
        program: "cmake",
        commands: &[],
        foreign: &["-P", "-E"],
        follows: NATIVE,
        finds_files: false,
    },
    BuildTool {
        program: "meson",
        commands: &[],
        foreign: &[],
        follows: NATIVE,
        finds_files: false,
    },
    BuildTool {
        program: "ninja",
        commands: &[],
        foreign: &[],
        follows: NATIVE,
        finds_files: false,
    },
];

/// Shell commands that build nothing.
const HARMLESS: [&str; 4] = ["cd", "mkdir", "set", "true"];
/// Extensions of files that no build reads.
const PROSE: [&str; 3] = ["md", "rst", "adoc"];
/// The most entries of a layer to search.
const MOST: usize = 200_000;

/// Whether this build detects all these differences.
pub fn follows(build: &[OsString], differences: &[Difference]) -> bool {
    let Some(tools) = tools(build) else {
        return false;
    };
    let is_followed = |difference: &Difference| {
        let is_listed = |tool: &BuildTool| has_end(&difference.path, tool.follows);
        let by = |tool: &&BuildTool| is_listed(tool) && (tool.finds_files || difference.is_of_both);
        is_prose(difference) || tools.iter().all(by)
    };
    differences.iter().all(is_followed)
}

/// Whether no build reads the file.
pub fn is_prose(difference: &Difference) -> bool {
    has_end(&difference.path, &PROSE) || difference.path.starts_with(".github/")
}

/// The build tools that a command or shell script starts; `None` if it may start others.
fn tools(build: &[OsString]) -> Option<Vec<&'static BuildTool>> {
    let words: Vec<String> = build
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let commands = match &words[..] {
        [shell, option, script] if matches!(name(shell), "sh" | "bash") && option == "-c" => {
            split(script)?
        }
        _ => vec![words],
    };
    let is_harmless = |words: &Vec<String>| {
        words
            .first()
            .is_none_or(|word| HARMLESS.contains(&word.as_str()) || word == ":")
    };
    let tools: Option<Vec<_>> = commands
        .iter()
        .filter(|words| !is_harmless(words))
        .map(|words| tool(words))
        .collect();
    tools.filter(|tools| !tools.is_empty())
}

/// The commands of a script, if it only runs one after the other.
fn split(script: &str) -> Option<Vec<Vec<String>>> {
    let script = script.replace("$(nproc)", "1").replace("&&", ";");
    let is_plain = !script.contains(['|', '&', '$', '`', '(', '{', '<', '>', '#', '\\']);
    is_plain.then(|| {
        script
            .split([';', '\n'])
            .map(|command| shell_words::split(command).ok())
            .collect()
    })?
}

fn tool(words: &[String]) -> Option<&'static BuildTool> {
    let tool = TOOLS
        .iter()
        .find(|tool| words.first().is_some_and(|word| name(word) == tool.program))?;
    let has = |wanted: &[&str]| {
        words[1..]
            .iter()
            .any(|word| wanted.contains(&word.as_str()))
    };
    ((tool.commands.is_empty() || has(tool.commands)) && !has(tool.foreign)).then_some(tool)
}

fn name(program: &str) -> &str {
    Path::new(program)
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default()
}

/// Whether a build on top of the other side's build replaced the other side's code. This is likely if it wrote code,
/// including the program, if the other side's build wrote that.
pub fn is_own_build(checkout: &Checkout, side: usize, line: &CommandSpec) -> bool {
    let program = line.words.first().map(|word| line.folder.join(word));
    checkout.place(side).layers().iter().all(|layer| {
        let Some(below) = &layer.below else {
            return true;
        };
        let (theirs, own) = (code(below), code(&layer.written()));
        let program = program
            .as_deref()
            .and_then(|program| program.strip_prefix(&layer.root).ok());
        let is_launched = |file: &&PathBuf| Some(file.as_path()) == program;
        (theirs.is_empty() || !own.is_empty())
            && theirs
                .iter()
                .filter(is_launched)
                .all(|file| own.contains(file))
    })
}

/// The build outputs in a directory, relative to it.
fn code(folder: &Path) -> BTreeSet<PathBuf> {
    let (mut found, mut left, mut folders) = (BTreeSet::new(), MOST, vec![PathBuf::new()]);
    while let Some(path) = folders.pop() {
        for entry in fs::read_dir(folder.join(&path))
            .into_iter()
            .flatten()
            .flatten()
            .take(left)
        {
            left -= 1;
            let path = path.join(entry.file_name());
            match entry.file_type() {
                Ok(kind)
                    if kind.is_dir()
                        && !DEPENDENCIES.iter().any(|name| entry.file_name() == *name) =>
                {
                    folders.push(path);
                }
                Ok(kind) if kind.is_file() && is_output(folder, &path) => drop(found.insert(path)),
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_followed(build: &str, changed: &[&str]) -> bool {
        let build: Vec<OsString> = shell_words::split(build)
            .unwrap()
            .into_iter()
            .map(Into::into)
            .collect();
        let difference = |path: &&str| Difference {
            path: path.trim_start_matches('+').to_owned(),
            is_of_both: !path.starts_with('+'),
        };
        follows(&build, &changed.iter().map(difference).collect::<Vec<_>>())
    }

    #[test]
    fn build_tools_detect_files_they_track() {
        assert!(is_followed(
            "cargo bench --no-run",
            &["src/a.rs", "+src/b.rs", "Cargo.toml", "README.md"]
        ));
        assert!(is_followed(
            "cmake --build build",
            &["src/a.cpp", ".github/workflows/ci.yml"]
        ));
        assert!(is_followed(
            "sh -c 'cmake -B build && cmake --build build -j$(nproc)'",
            &["a.h"]
        ));
        // A build script may read any other file.
        assert!(!is_followed("cargo build", &["src/a.c"]));
        // CMake's cache keeps options and lists of files.
        assert!(!is_followed("cmake --build build", &["CMakeLists.txt"]));
        assert!(!is_followed("cmake --build build", &["+src/new.cpp"]));
    }

    #[test]
    fn other_programs_may_overlook_a_difference() {
        let others = [
            "make",
            "npm run build",
            "sh build.sh",
            "sh -c 'cargo build; ./pack'",
            "cargo xtask",
        ];
        for build in others
            .into_iter()
            .chain(["cmake -P build.cmake", "sh -c 'cargo build | tee log'"])
        {
            assert!(
                !is_followed(build, &["src/a.rs"]) && !is_followed(build, &["a.c"]),
                "{build}"
            );
        }
    }
}
