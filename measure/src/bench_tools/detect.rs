//! Recognises the benchmark tool of a command line, and splits the line into parts.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use crate::bench_tools::NotRecognised;
use crate::bench_tools::cargo;
use crate::bench_tools::javascript;
use crate::bench_tools::kinds::{ArgPosition, ToolKind};
use crate::bench_tools::options;
use crate::bench_tools::prefix;
use crate::bench_tools::pytest_config;
use crate::bench_tools::start::{Start, mentions, runs_benchmarks};
use crate::git::git;

/// A command, split into parts.
#[derive(Clone, Debug)]
pub(crate) struct CommandParts {
    pub tool: ToolKind,
    pub place: ArgPosition,
    /// The original command.
    pub words: Vec<OsString>,
    /// The words that start the tool, such as `nice go test`.
    begin: Vec<OsString>,
    /// Added words after those.
    pub front: Vec<OsString>,
    /// The command's own arguments.
    pub arguments: Vec<OsString>,
    /// Added words at the end.
    pub end: Vec<OsString>,
    /// Arguments of a Go test binary, starting with `-args`.
    rest: Vec<OsString>,
    /// The words of the package.json script that the command starts.
    pub script: Vec<OsString>,
    /// Options in the project's config.
    pub configured: Vec<OsString>,
    /// The bench targets that accept the options.
    pub targets: Vec<String>,
    /// Whether options for times only accept whole seconds.
    pub in_seconds: bool,
}

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

/// Recognises the tool of a command.
///
/// # Errors
/// The reason why it is unknown.
pub(crate) fn recognise(words: &[OsString], folder: &Path) -> Result<CommandParts, NotRecognised> {
    let at = prefix::program(words);
    let program = words
        .get(at)
        .map(|word| prefix::stem(word))
        .unwrap_or_default();
    let start = start(&program, words, at, folder)?;
    Ok(parts(start, words))
}

/// Recognises the tool by the format of its output.
///
/// # Errors
/// The format is unknown, or the command cannot pass options to the tool.
pub(crate) fn recognise_by_format(
    format: &str,
    words: &[OsString],
) -> Result<CommandParts, NotRecognised> {
    let tool =
        ToolKind::of_format(format).ok_or_else(|| NotRecognised::Format(format.to_owned()))?;
    let at = prefix::program(words);
    let program = words
        .get(at)
        .map(|word| prefix::stem(word))
        .unwrap_or_default();
    let none = Path::new("");
    match start(&program, words, at, none) {
        Ok(start) if start.tool == tool => Ok(parts(start, words)),
        Err(known @ (NotRecognised::Shell(_) | NotRecognised::BuildTool(_))) => Err(known),
        // Only executables and scripts accept options at their end.
        _ if matches!(
            tool,
            ToolKind::GoogleBenchmark | ToolKind::Catch2 | ToolKind::Nanobench
        ) =>
        {
            let is_cargo = ["cargo", "go", "npm", "pnpm", "yarn"].contains(&&*program);
            if is_cargo {
                Err(NotRecognised::Program(program))
            } else {
                Ok(parts(Start::of(tool, at + 1), words))
            }
        }
        _ => match pytest(&program, words, at, Path::new(".")) {
            Some(start) if matches!(tool, ToolKind::PytestBenchmark | ToolKind::PytestCodspeed) => {
                Ok(parts(Start { tool, ..start }, words))
            }
            _ => Err(NotRecognised::Program(program)),
        },
    }
}

fn parts(start: Start, words: &[OsString]) -> CommandParts {
    let (begin, after) = words.split_at(start.words.min(words.len()));
    let is_end =
        |word: &OsString| start.tool == ToolKind::Go && (word == "-args" || word == "--args");
    let end = after.iter().position(is_end).unwrap_or(after.len());
    let (arguments, rest) = after.split_at(end);
    CommandParts {
        tool: start.tool,
        place: start.place,
        words: words.to_vec(),
        begin: begin.to_vec(),
        front: Vec::new(),
        arguments: arguments.to_vec(),
        end: Vec::new(),
        rest: rest.to_vec(),
        script: start.script,
        configured: start.configured,
        targets: start.targets,
        in_seconds: start.in_seconds,
    }
}

impl CommandParts {
    pub(crate) fn extend(&mut self, place: ArgPosition, words: Vec<OsString>) {
        match place {
            ArgPosition::Front => self.front.extend(words),
            ArgPosition::End | ArgPosition::AfterDashes => self.end.extend(words),
        }
    }

    /// The command with all added words.
    pub(crate) fn command(&self) -> Vec<OsString> {
        let dashes = self.arguments.iter().position(|word| word == "--");
        let missing =
            self.place == ArgPosition::AfterDashes && dashes.is_none() && !self.end.is_empty();
        let at = match (self.place, dashes) {
            (ArgPosition::AfterDashes, _) | (_, None) => self.arguments.len(),
            (_, Some(dashes)) => dashes,
        };
        let (before, after) = self.arguments.split_at(at);
        let dashes = missing.then(|| OsString::from("--"));
        let parts = self
            .begin
            .iter()
            .chain(&self.front)
            .chain(before)
            .chain(dashes.iter());
        parts
            .chain(&self.end)
            .chain(after)
            .chain(&self.rest)
            .cloned()
            .collect()
    }
}

/// Recognises the tool of a program by its arguments.
fn start(
    program: &str,
    words: &[OsString],
    at: usize,
    folder: &Path,
) -> Result<Start, NotRecognised> {
    let arguments = &words[(at + 1).min(words.len())..];
    let first = arguments
        .first()
        .and_then(|word| word.to_str())
        .unwrap_or_default();
    let unknown = || NotRecognised::Program(program.to_owned());
    match program {
        name if SHELLS.contains(&name) => javascript::shell(words, at, folder)
            .ok_or_else(|| NotRecognised::Shell(program.to_owned())),
        name if BUILD_TOOLS.contains(&name) => Err(NotRecognised::BuildTool(program.to_owned())),
        "go" if first == "test" => {
            match options::find(arguments, &["-bench", "--bench", "-test.bench"]) {
                Some(_) => Ok(Start::of(ToolKind::Go, at + 2)),
                None => Err(NotRecognised::NoBenchmarks("go test".to_owned())),
            }
        }
        _ if options::find(arguments, &["-test.bench", "--test.bench"]).is_some() => {
            Ok(Start::of(ToolKind::GoBinary, at + 1))
        }
        "cargo" => cargo::start(words, at, folder),
        "hyperfine" => Ok(Start::of(ToolKind::Hyperfine, at + 1)),
        "vitest" if runs_benchmarks(arguments) => Ok(Start::of(ToolKind::Vitest, at + 1)),
        "vitest" => Err(NotRecognised::NoBenchmarks("vitest".to_owned())),
        "npm" | "pnpm" | "yarn" | "bun" | "node" | "deno" | "tsx" | "ts-node" => {
            javascript::start(program, words, at, folder)
        }
        "java" => jmh(words, at).ok_or_else(unknown),
        "dotnet" => dotnet(first, arguments, at, folder).ok_or_else(unknown),
        _ => match pytest(program, words, at, folder) {
            Some(start) => pytest_with_plugin(start, &words[at..], folder),
            None => python(program, words, at, folder).ok_or_else(unknown),
        },
    }
}

/// JMH, by the main class or a jar with `jmh` or `benchmark` in its name.
fn jmh(words: &[OsString], at: usize) -> Option<Start> {
    let is_jar = |place: &usize| {
        let name = prefix::stem(&words[*place]);
        words[*place - 1] == "-jar" && (name.contains("jmh") || name.contains("benchmark"))
    };
    let jar = (at + 1..words.len())
        .find(|place| is_jar(place) || words[*place] == "org.openjdk.jmh.Main")?;
    Some(Start::of(ToolKind::Jmh, jar + 1))
}

/// `dotnet run` of a project that references BenchmarkDotNet.
fn dotnet(first: &str, arguments: &[OsString], at: usize, folder: &Path) -> Option<Start> {
    let project = options::values(arguments, &["--project", "-p"])
        .last()
        .unwrap_or_default();
    let project = folder.join(project);
    let files: Vec<_> = match fs::read_dir(&project) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(_) => vec![project],
    };
    let is_project = |path: &Path| {
        path.extension()
            .is_some_and(|end| end == "csproj" || end == "fsproj")
    };
    let mut projects = files.iter().filter(|path| is_project(path));
    let refers = projects.any(|path| mentions(path, &["BenchmarkDotNet"]));
    (first == "run" && refers).then(|| Start::of(ToolKind::BenchmarkDotNet, at + 2))
}

/// pytest with an option or dependency of pytest-codspeed or pytest-benchmark.
fn pytest_with_plugin(
    start: Start,
    words: &[OsString],
    folder: &Path,
) -> Result<Start, NotRecognised> {
    let asks = |option: &[u8]| {
        words
            .iter()
            .any(|word| word.as_encoded_bytes().starts_with(option))
    };
    if asks(b"--codspeed") {
        return Ok(Start {
            tool: ToolKind::PytestCodspeed,
            ..start
        });
    }
    if asks(b"--benchmark-") || has_pytest_benchmark(folder) {
        Ok(start)
    } else {
        Err(NotRecognised::NoPytestBenchmark)
    }
}

/// pyperf, or a script that imports it.
fn python(program: &str, words: &[OsString], at: usize, folder: &Path) -> Option<Start> {
    let word = |at: usize| {
        words
            .get(at)
            .and_then(|word| word.to_str())
            .unwrap_or_default()
    };
    let is_module = word(at + 1) == "-m" && word(at + 2) == "pyperf";
    let verb = match program {
        "pyperf" => at + 1,
        _ if is_python(program) && is_module => at + 3,
        _ if is_python(program) => {
            let script = (at + 1..words.len()).find(|place| !word(*place).starts_with('-'))?;
            let imports = mentions(
                &folder.join(word(script)),
                &["import pyperf", "from pyperf"],
            );
            return imports.then(|| Start::of(ToolKind::Pyperf, script + 1));
        }
        _ => return None,
    };
    let times = ["timeit", "command"].contains(&word(verb));
    times.then(|| Start {
        place: ArgPosition::Front,
        ..Start::of(ToolKind::Pyperf, verb + 1)
    })
}

fn is_python(program: &str) -> bool {
    let version = program
        .strip_prefix("python")
        .or_else(|| program.strip_prefix("pypy"));
    version.is_some_and(|version| {
        version
            .chars()
            .all(|letter| letter.is_ascii_digit() || letter == '.')
    })
}

/// `pytest` or `python -m pytest`.
fn pytest(program: &str, words: &[OsString], at: usize, folder: &Path) -> Option<Start> {
    let is = |place: usize, text: &str| words.get(place).is_some_and(|word| word == text);
    let begin = match program {
        "pytest" | "py.test" => at + 1,
        _ if is_python(program) && is(at + 1, "-m") && is(at + 2, "pytest") => at + 3,
        _ => return None,
    };
    let configured = pytest_config::options(&words[begin..], folder);
    Some(Start {
        configured,
        ..Start::of(ToolKind::PytestBenchmark, begin)
    })
}

/// Whether a dependency list mentions pytest-benchmark, or a test may take its fixture. Without the plugin, pytest rejects its
/// options.
fn has_pytest_benchmark(folder: &Path) -> bool {
    let search = [
        "grep",
        "--quiet",
        "--no-index",
        "--exclude-standard",
        "--extended-regexp",
        "-e",
        "pytest[-_]benchmark|[(, ]benchmark *[,:)]",
        "--",
    ];
    let files = [
        "*.py", "*.toml", "*.cfg", "*.ini", "*.txt", "*.yml", "Pipfile",
    ];
    git(folder, &[&search[..], &files].concat()).is_ok()
}
