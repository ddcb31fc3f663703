//! Programs that start another program: `env`, `nice`, `timeout`, `npx`, `uv run`.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// A program that may precede the benchmark.
struct Prefix {
    name: &'static str,
    /// The subcommands that start a program; empty if it needs none.
    verbs: &'static [&'static str],
    /// Options with a value in the next word.
    valued: &'static [&'static str],
    /// The number of words between the options and the program.
    operands: usize,
}

const fn prefix(
    name: &'static str,
    verbs: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
) -> Prefix {
    Prefix {
        name,
        verbs,
        valued,
        operands,
    }
}

const PREFIXES: &[Prefix] = &[
    prefix("env", &[], &["-u", "--unset", "-C", "--chdir"], 0),
    prefix("nice", &[], &["-n", "--adjustment"], 0),
    prefix("ionice", &[], &["-c", "-n", "--class", "--classdata"], 0),
    prefix("timeout", &[], &["-s", "--signal", "-k", "--kill-after"], 1),
    prefix("taskset", &[], &[], 1),
    prefix("chrt", &[], &[], 1),
    prefix("stdbuf", &[], &["-i", "-o", "-e"], 0),
    prefix("nohup", &[], &[], 0),
    prefix("npx", &[], &["-p", "--package"], 0),
    prefix("bunx", &[], &[], 0),
    prefix("pnpm", &["exec", "dlx"], &[], 0),
    prefix("yarn", &["exec", "dlx"], &[], 0),
    prefix("npm", &["exec"], &[], 0),
    prefix("bun", &["x"], &[], 0),
    prefix(
        "uv",
        &["run"],
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
    prefix("poetry", &["run"], &[], 0),
    prefix("pipenv", &["run"], &[], 0),
    prefix("pdm", &["run"], &[], 0),
    prefix("hatch", &["run"], &[], 0),
    prefix("rye", &["run"], &[], 0),
];

/// A program's file name in lowercase, without `.exe`.
pub(crate) fn stem(program: &OsStr) -> String {
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

/// The index of the program that runs the benchmark.
pub(crate) fn program(words: &[OsString]) -> usize {
    let mut at = 0;
    while let Some(next) = words
        .get(at)
        .and_then(|word| next_program(&stem(word), words, at))
    {
        at = next;
    }
    at
}

/// The index of the program that a wrapper starts; `None` if it starts none.
fn next_program(name: &str, words: &[OsString], at: usize) -> Option<usize> {
    let prefix = PREFIXES.iter().find(|prefix| prefix.name == name)?;
    let text = |at: usize| words.get(at).and_then(|word| word.to_str());
    let mut next = at + 1;
    if !prefix.verbs.is_empty() {
        prefix.verbs.iter().find(|verb| text(next) == Some(verb))?;
        next += 1;
    }
    loop {
        let word = text(next)?;
        // `env -S` has a whole command line in one word.
        if name == "env" && (word.starts_with("-S") || word.starts_with("--split-string")) {
            return None;
        }
        let is_assignment = name == "env" && word.contains('=');
        if !word.starts_with('-') && !is_assignment {
            break;
        }
        next += if prefix.valued.contains(&word) { 2 } else { 1 };
    }
    let program = next + prefix.operands;
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
