//! The base's build on top of the current side's, for build tools that rebuild no more than what depends on a difference.
//!
//! A cold build of each side takes twice as long as one. So the current side is built first. What its build wrote becomes
//! a layer below both sides, and the base builds what its own sources, which are newer than that, make out of date.
//!
//! A tool that overlooks a difference would let the base run current code. Hence only tools and files are listed whose
//! dependencies are known completely: a makefile may lack those on headers, a CMake cache keeps the current side's options
//! and lists of files.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::checkout::{Checkout, DEPENDENCIES, Difference};
use super::outputs::{has_end, is_output};
use crate::process::CommandSpec;

/// A build tool, and the differences that it follows.
struct BuildTool {
    program: &'static str,
    /// Words of which the command needs one; any will do if there are none.
    commands: &'static [&'static str],
    /// Words that run something else.
    foreign: &'static [&'static str],
    /// The ends of names of files whose dependents it rebuilds.
    follows: &'static [&'static str],
    /// True if it notices files that come or go.
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

/// Commands of a script that build nothing.
const HARMLESS: [&str; 4] = ["cd", "mkdir", "set", "true"];
/// Ends of names of files that no build reads.
const PROSE: [&str; 3] = ["md", "rst", "adoc"];
/// The most entries of a layer that are looked at.
const MOST: usize = 200_000;

/// True if this build follows all of these differences.
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

/// True for a file that no build reads.
pub fn is_prose(difference: &Difference) -> bool {
    has_end(&difference.path, &PROSE) || difference.path.starts_with(".github/")
}

/// The tools that a command starts, also as a script of a shell; `None` if others may be among them.
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

/// The commands of a script that only starts one after the other.
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

/// True if a side on top of the other one's build runs nothing that only that wrote, as far as that can be seen: its own build
/// wrote code, and the program that is launched where the other one did.
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

/// The files with code in a folder, from its top.
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
    fn tools_follow_what_they_track() {
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
        // The cache keeps options and lists of files.
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
