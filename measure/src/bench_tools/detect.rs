//! Recognises the benchmark tool of a command line, and splits the line into parts.

use std::ffi::OsString;
use std::path::Path;

use super::kinds::{ArgPosition, ToolKind};
use super::options::{self, word_at};
use super::parts::{BenchTool, mentions, runs_benchmarks};
use super::{NotRecognised, cargo, javascript, prefix, pytest_config};
use crate::git::git;

const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "zsh",
    "fish",
    "ksh",
    "cmd",
    "powershell",
    "pwsh",
];
const BUILD_TOOLS: &[&str] = &[
    "make", "gmake", "just", "ninja", "cmake", "ctest", "bazel", "gradle", "gradlew", "mvn", "tox",
    "nox", "task",
];

impl BenchTool {
    /// Recognises the tool by the command line and the files that it refers to, which are relative to `folder`.
    ///
    /// # Errors
    /// Fails with the reason if the tool is unknown.
    pub fn of(command: &[OsString], folder: &Path) -> Result<Self, NotRecognised> {
        let (program, at) = program_of(command);
        start(&program, command, at, folder)
    }

    /// Recognises the tool by its output format, which is named as in `perf-readers`. Some executables, such as Google
    /// Benchmark's, can only be recognised in this way.
    ///
    /// # Errors
    /// Fails if the format is unknown, or if the command cannot pass options to the tool.
    pub fn of_format(format: &str, words: &[OsString]) -> Result<Self, NotRecognised> {
        let tool =
            ToolKind::of_format(format).ok_or_else(|| NotRecognised::Format(format.to_owned()))?;
        let (program, at) = program_of(words);
        match start(&program, words, at, Path::new("")) {
            Ok(start) if start.tool == tool => return Ok(start),
            Err(known @ (NotRecognised::Shell(_) | NotRecognised::BuildTool(_))) => {
                return Err(known);
            }
            _ => {}
        }
        match tool {
            // Options can only be appended to the command line of an executable or a script.
            ToolKind::GoogleBenchmark | ToolKind::Catch2 | ToolKind::Nanobench
                if !["cargo", "go", "npm", "pnpm", "yarn"].contains(&&*program) =>
            {
                Ok(BenchTool::split(tool, words, at + 1))
            }
            ToolKind::PytestBenchmark | ToolKind::PytestCodspeed if is_pytest(&program) => {
                Ok(pytest(tool, words, at, Path::new(".")))
            }
            _ => Err(NotRecognised::Program(program)),
        }
    }
}

/// Returns the name and the index of the program that runs the benchmark. For `python -m pytest`, this is `pytest`.
fn program_of(words: &[OsString]) -> (String, usize) {
    let at = prefix::program(words);
    let name = words.get(at).map(|word| prefix::stem(word));
    let name = name.unwrap_or_default();
    let module = word_at(words, at + 2);
    if is_python(&name) && word_at(words, at + 1) == "-m" && ["pytest", "pyperf"].contains(&module)
    {
        return (module.to_owned(), at + 2);
    }
    (name, at)
}

/// Recognises the tool by the program's name and arguments. `at` is the program's index.
fn start(
    program: &str,
    words: &[OsString],
    at: usize,
    folder: &Path,
) -> Result<BenchTool, NotRecognised> {
    let arguments = &words[(at + 1).min(words.len())..];
    let unknown = || NotRecognised::Program(program.to_owned());
    let split = |tool, begin| Ok(BenchTool::split(tool, words, begin));
    match program {
        name if SHELLS.contains(&name) => javascript::shell(words, at, folder)
            .ok_or_else(|| NotRecognised::Shell(program.to_owned())),
        name if BUILD_TOOLS.contains(&name) => Err(NotRecognised::BuildTool(program.to_owned())),
        "go" if word_at(words, at + 1) == "test" => {
            match options::find(arguments, ToolKind::Go.profile().filter) {
                Some(_) => split(ToolKind::Go, at + 2),
                None => Err(NotRecognised::NoBenchmarks("go test".to_owned())),
            }
        }
        _ if options::find(arguments, ToolKind::GoBinary.profile().filter).is_some() => {
            split(ToolKind::GoBinary, at + 1)
        }
        "cargo" => cargo::start(words, at, folder),
        "hyperfine" => split(ToolKind::Hyperfine, at + 1),
        "vitest" if runs_benchmarks(arguments) => split(ToolKind::Vitest, at + 1),
        "vitest" => Err(NotRecognised::NoBenchmarks("vitest".to_owned())),
        "npm" | "pnpm" | "yarn" | "bun" | "node" | "deno" | "tsx" | "ts-node" => {
            javascript::start(program, words, at, folder)
        }
        "java" => jmh(words, at).ok_or_else(unknown),
        "dotnet" => dotnet(words, at, folder).ok_or_else(unknown),
        name if is_pytest(name) => pytest_with_plugin(words, at, folder),
        _ => pyperf(program, words, at, folder).ok_or_else(unknown),
    }
}

/// Recognises JMH by its main class, or by a jar with `jmh` or `benchmark` in its name.
fn jmh(words: &[OsString], at: usize) -> Option<BenchTool> {
    let is_jar = |place: &usize| {
        let name = prefix::stem(&words[*place]);
        words[*place - 1] == "-jar" && (name.contains("jmh") || name.contains("benchmark"))
    };
    let jar = (at + 1..words.len())
        .find(|place| is_jar(place) || words[*place] == "org.openjdk.jmh.Main")?;
    Some(BenchTool::split(ToolKind::Jmh, words, jar + 1))
}

/// Recognises `dotnet run` of a project that references BenchmarkDotNet.
fn dotnet(words: &[OsString], at: usize, folder: &Path) -> Option<BenchTool> {
    let project = options::values(words, &["--project", "-p"]).last();
    let project = folder.join(project.unwrap_or_default());
    let home = if project.is_dir() {
        &*project
    } else {
        project.parent()?
    };
    let is_run = word_at(words, at + 1) == "run"
        && is_mentioned("BenchmarkDotNet", home, &["*.csproj", "*.fsproj"]);
    is_run.then(|| BenchTool::split(ToolKind::BenchmarkDotNet, words, at + 2))
}

/// Recognises pytest-codspeed by its option, and pytest-benchmark by its options or the project's dependencies.
fn pytest_with_plugin(
    words: &[OsString],
    at: usize,
    folder: &Path,
) -> Result<BenchTool, NotRecognised> {
    let has_option = |begin: &[u8]| {
        let mut arguments = words[at..].iter();
        arguments.any(|word| word.as_encoded_bytes().starts_with(begin))
    };
    let tool = if has_option(b"--codspeed") {
        ToolKind::PytestCodspeed
    } else if has_option(b"--benchmark-") || has_pytest_benchmark(folder) {
        ToolKind::PytestBenchmark
    } else {
        return Err(NotRecognised::NoPytestBenchmark);
    };
    Ok(pytest(tool, words, at, folder))
}

fn is_pytest(program: &str) -> bool {
    ["pytest", "py.test"].contains(&program)
}

/// Splits a pytest command, and reads the options in pytest's config.
fn pytest(tool: ToolKind, words: &[OsString], at: usize, folder: &Path) -> BenchTool {
    BenchTool {
        configured: pytest_config::options(&words[at + 1..], folder),
        ..BenchTool::split(tool, words, at + 1)
    }
}

/// Recognises pyperf's own commands, and scripts that import pyperf.
fn pyperf(program: &str, words: &[OsString], at: usize, folder: &Path) -> Option<BenchTool> {
    if program == "pyperf" {
        let is_timer = ["timeit", "command"].contains(&word_at(words, at + 1));
        return is_timer.then(|| BenchTool {
            place: ArgPosition::Front,
            ..BenchTool::split(ToolKind::Pyperf, words, at + 2)
        });
    }
    if !is_python(program) {
        return None;
    }
    let script = (at + 1..words.len()).find(|at| !word_at(words, *at).starts_with('-'))?;
    let path = folder.join(word_at(words, script));
    mentions(&path, &["import pyperf", "from pyperf"])
        .then(|| BenchTool::split(ToolKind::Pyperf, words, script + 1))
}

fn is_python(program: &str) -> bool {
    let version = |letter: char| letter.is_ascii_digit() || letter == '.';
    ["python", "pypy"].contains(&program.trim_end_matches(version))
}

/// Whether a dependency list mentions pytest-benchmark, or a test seems to use its fixture. The plugin's options are only
/// added then, because pytest rejects them without the plugin.
fn has_pytest_benchmark(folder: &Path) -> bool {
    let files = [
        "*.py", "*.toml", "*.cfg", "*.ini", "*.txt", "*.yml", "Pipfile",
    ];
    is_mentioned("pytest[-_]benchmark|[(, ]benchmark *[,:)]", folder, &files)
}

/// Whether a file below a directory matches an extended regular expression. Only searches files that match one of the
/// `files` patterns.
fn is_mentioned(pattern: &str, folder: &Path, files: &[&str]) -> bool {
    let search = [
        "grep",
        "--quiet",
        "--no-index",
        "--exclude-standard",
        "--extended-regexp",
        "-e",
        pattern,
        "--",
    ];
    git(folder, &[&search[..], files].concat()).is_ok()
}
