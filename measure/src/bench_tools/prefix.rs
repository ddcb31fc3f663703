//! Skips programs that start another program, such as `env`, `nice`, `timeout`, `npx` and `uv run`.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::options::word_at;

/// Programs that may precede the benchmark. Each entry contains the program's name, the subcommand that starts another
/// program (empty if the program needs none), the options whose value is the next word, and the number of words between the
/// options and the other program.
const PREFIXES: &[(&str, &str, &[&str], usize)] = &[
    ("env", "", &["-u", "--unset", "-C", "--chdir"], 0),
    ("nice", "", &["-n", "--adjustment"], 0),
    ("timeout", "", &["-s", "--signal", "-k", "--kill-after"], 1),
    ("taskset", "", &[], 1),
    ("npx", "", &["-p", "--package"], 0),
    ("bunx", "", &[], 0),
    ("pnpm", "exec", &[], 0),
    ("yarn", "exec", &[], 0),
    ("npm", "exec", &[], 0),
    (
        "uv",
        "run",
        &[
            "--with",
            "--python",
            "-p",
            "--extra",
            "--group",
            "--project",
            "--directory",
        ],
        0,
    ),
    ("poetry", "run", &[], 0),
    ("pipenv", "run", &[], 0),
    ("pdm", "run", &[], 0),
    ("hatch", "run", &[], 0),
];

/// Returns a program's file name in lowercase, without `.exe`, `.cmd` or `.bat`.
pub fn stem(program: &OsStr) -> String {
    let name = Path::new(program)
        .file_name()
        .unwrap_or(program)
        .to_string_lossy()
        .to_ascii_lowercase();
    [".exe", ".cmd", ".bat"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(&name)
        .to_owned()
}

/// Returns the index of the program that runs the benchmark, after all wrappers.
pub fn program(words: &[OsString]) -> usize {
    let mut at = 0;
    while let Some(next) = next_program(words, at) {
        at = next;
    }
    at
}

/// Returns the index of the program that a wrapper starts, or `None` if the program at `at` is not a wrapper.
fn next_program(words: &[OsString], at: usize) -> Option<usize> {
    let name = stem(words.get(at)?);
    let (_, verb, valued, operands) = PREFIXES.iter().find(|prefix| prefix.0 == name)?;
    let mut next = at + 1;
    if !verb.is_empty() {
        if word_at(words, next) != *verb {
            return None;
        }
        next += 1;
    }
    loop {
        let word = word_at(words, next);
        // `env -S` takes a whole command line as one word.
        if name == "env" && (word.starts_with("-S") || word.starts_with("--split-string")) {
            return None;
        }
        let is_assignment = name == "env" && word.contains('=');
        if !word.starts_with('-') && !is_assignment {
            break;
        }
        next += if valued.contains(&word) { 2 } else { 1 };
    }
    let program = next + operands;
    (program < words.len()).then_some(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn behind_prefixes(line: &str) -> String {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        words[program(&words)].to_string_lossy().into_owned()
    }

    #[test]
    fn prefixes_are_skipped() {
        for line in [
            "go test",
            "env -i -u A GOFLAGS=-v go test",
            "nice -n 10 go test",
            "nice -10 go test",
            "timeout -k 5 60 go test",
            "/usr/bin/env taskset -c 1 nice go test",
            "uv run --with x go test",
            "npx --yes go",
            "pnpm exec go",
        ] {
            assert_eq!(behind_prefixes(line), "go", "{line}");
        }
    }

    #[test]
    fn a_prefix_without_a_program_is_the_program() {
        for line in ["env", "timeout 5", "npm", "pnpm run", "env -S", "nice"] {
            assert_eq!(
                behind_prefixes(line),
                line.split(' ').next().unwrap(),
                "{line}"
            );
        }
    }
}
