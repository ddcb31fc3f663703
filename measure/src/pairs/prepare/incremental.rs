//! Builds one side on top of the other side's build, for tools that rebuild only files that depend on a difference.
//!
//! Two clean builds take twice as long as one. So the head is built first, and its build output becomes a layer below both
//! sides. The base's build then updates only the files that depend on the base's own sources, which are newer.
//!
//! If a tool overlooked a difference, the base would run the head's code. So the lists below contain only tools and
//! files whose dependencies are completely known. For example, a makefile might not list headers, and a CMake cache
//! keeps the head's options and lists of files.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use super::checkout::Difference;
use super::outputs::{collect_outputs, is_output, is_source};
use super::sides::Sides;
use crate::bench_tools::prefix;
use crate::process::has_end;
use crate::schedule::Side;

/// Extensions of files that Cargo tracks. It also detects added and removed files.
const RUST: &[&str] = &["lock", "rs", "toml"];
/// Extensions of files that CMake, Meson and Ninja track, as dependencies of compiled files.
const NATIVE: &[&str] = &[
    "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "inc", "inl", "ipp", "m", "mm", "tcc", "tpp",
];

/// Shell commands that build nothing.
const HARMLESS: [&str; 5] = [":", "cd", "mkdir", "set", "true"];

/// Whether this build detects all of these differences.
pub fn follows(build: &[OsString], differences: &[Difference]) -> bool {
    let Some(tools) = tools(build) else {
        return false;
    };
    for difference in differences
        .iter()
        .filter(|difference| is_source(difference))
    {
        let path = &difference.path;
        let is_followed = |ends: &&[&str]| has_end(path, ends);
        let is_new = !difference.is_of_both && tools.contains(&NATIVE);
        if is_new || !tools.iter().all(is_followed) {
            return false;
        }
    }
    true
}

/// Returns the extensions that each build tool of a command or shell script tracks, or `None` if other programs may start.
fn tools(build: &[OsString]) -> Option<Vec<&'static [&'static str]>> {
    let words = build.iter().map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = words.collect();
    let mut commands = Vec::new();
    if let [shell, option, script] = &words[..]
        && ["sh", "bash"].contains(&&*prefix::stem(shell.as_ref()))
        && option == "-c"
    {
        let script = script.replace("$(nproc)", "1").replace("&&", ";");
        // Accept only scripts that run one command after the other.
        if script.contains(['|', '&', '$', '`', '(', '{', '<', '>', '#', '\\']) {
            return None;
        }
        for command in script.split([';', '\n']) {
            commands.push(shell_words::split(command).ok()?);
        }
    } else {
        commands.push(words);
    }
    let mut tools = Vec::new();
    for words in &commands {
        let Some((program, arguments)) = words.split_first() else {
            continue;
        };
        if HARMLESS.contains(&program.as_str()) {
            continue;
        }
        let has = |wanted: &[&str]| arguments.iter().any(|word| wanted.contains(&word.as_str()));
        tools.push(match &*prefix::stem(program.as_ref()) {
            "cargo" if has(&["b", "bench", "build", "rustc", "test"]) => RUST,
            "cmake" if !has(&["-P", "-E"]) => NATIVE,
            "meson" | "ninja" => NATIVE,
            _ => return None,
        });
    }
    (!tools.is_empty()).then_some(tools)
}

impl Sides {
    /// Whether a build on top of the other side's build replaced the other side's code, or did not have to. The former is
    /// likely if the build wrote code. If the other side's build wrote the program, this build must have written it as well.
    pub fn is_own_build(&self, side: Side, differences: &[Difference]) -> bool {
        let Some(checkout) = &self.checkout else {
            return true;
        };
        if !differences.iter().any(is_source) {
            return true;
        }
        let line = &self.side(side).command;
        let program = line.folder.join(&line.words[0]);
        for layer in &checkout.place(side).layers {
            let Some(below) = &layer.below else { continue };
            let (mut theirs, mut own) = (BTreeSet::new(), BTreeSet::new());
            collect_outputs(below, Path::new(""), &[], &mut theirs);
            collect_outputs(&layer.written(), Path::new(""), &[], &mut own);
            if own.is_empty() && !theirs.is_empty() {
                return false;
            }
            // Check the program itself as well, because the two sets are limited in size.
            if let Ok(program) = program.strip_prefix(&layer.root)
                && below.join(program).is_file()
                && is_output(below, program)
                && !layer.written().join(program).exists()
            {
                return false;
            }
        }
        true
    }
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
