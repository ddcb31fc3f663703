//! Recognises the benchmark tool of a command line, and splits the line into parts.

use std::ffi::OsString;
use std::path::Path;

use crate::bench_tools::NotRecognised;
use crate::bench_tools::cargo;
use crate::bench_tools::javascript;
use crate::bench_tools::kinds::{ArgPosition, ToolKind};
use crate::bench_tools::options::{self, word_at};
use crate::bench_tools::parts::{BenchTool, mentions, runs_benchmarks};
use crate::bench_tools::prefix;
use crate::bench_tools::pytest_config;
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
    /// Recognises the tool by the command line, and by files in it, relative to `folder`.
    ///
    /// # Errors
    /// The reason why the tool is unknown.
    pub fn of(command: &[OsString], folder: &Path) -> Result<Self, NotRecognised> {
        let (program, at) = program_of(command);
        start(&program, command, at, folder)
    }

    /// Recognises the tool by its output format, named like `perf-readers` formats. This is the only way for some executables,
    /// such as Google Benchmark.
    ///
    /// # Errors
    /// The format is unknown, or the command cannot pass options to the tool.
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
            // Only executables and scripts accept options at their end.
            ToolKind::GoogleBenchmark | ToolKind::Catch2 | ToolKind::Nanobench
                if !["cargo", "go", "npm", "pnpm", "yarn"].contains(&&*program) =>
            {
                Ok(BenchTool::split(tool, words, at + 1))
            }
            ToolKind::PytestBenchmark | ToolKind::PytestCodspeed => {
                let start = pytest(&program, words, at, Path::new("."));
                let start = start.ok_or(NotRecognised::Program(program))?;
                Ok(BenchTool { tool, ..start })
            }
            _ => Err(NotRecognised::Program(program)),
        }
    }
}

/// The name and the index of the program that runs the benchmark.
fn program_of(words: &[OsString]) -> (String, usize) {
    let at = prefix::program(words);
    let name = words.get(at).map(|word| prefix::stem(word));
    (name.unwrap_or_default(), at)
}

/// Recognises the tool of a program by its arguments.
fn start(
    program: &str,
    words: &[OsString],
    at: usize,
    folder: &Path,
) -> Result<BenchTool, NotRecognised> {
    let arguments = &words[(at + 1).min(words.len())..];
    let unknown = || NotRecognised::Program(program.to_owned());
    match program {
        name if SHELLS.contains(&name) => javascript::shell(words, at, folder)
            .ok_or_else(|| NotRecognised::Shell(program.to_owned())),
        name if BUILD_TOOLS.contains(&name) => Err(NotRecognised::BuildTool(program.to_owned())),
        "go" if word_at(words, at + 1) == "test" => {
            match options::find(arguments, &["-bench", "--bench", "-test.bench"]) {
                Some(_) => Ok(BenchTool::split(ToolKind::Go, words, at + 2)),
                None => Err(NotRecognised::NoBenchmarks("go test".to_owned())),
            }
        }
        _ if options::find(arguments, &["-test.bench", "--test.bench"]).is_some() => {
            Ok(BenchTool::split(ToolKind::GoBinary, words, at + 1))
        }
        "cargo" => cargo::start(words, at, folder),
        "hyperfine" => Ok(BenchTool::split(ToolKind::Hyperfine, words, at + 1)),
        "vitest" if runs_benchmarks(arguments) => {
            Ok(BenchTool::split(ToolKind::Vitest, words, at + 1))
        }
        "vitest" => Err(NotRecognised::NoBenchmarks("vitest".to_owned())),
        "npm" | "pnpm" | "yarn" | "bun" | "node" | "deno" | "tsx" | "ts-node" => {
            javascript::start(program, words, at, folder)
        }
        "java" => jmh(words, at).ok_or_else(unknown),
        "dotnet" => dotnet(words, at, folder).ok_or_else(unknown),
        _ => match pytest(program, words, at, folder) {
            Some(start) => pytest_with_plugin(start, &words[at..], folder),
            None => python(program, words, at, folder).ok_or_else(unknown),
        },
    }
}

/// JMH, by the main class or a jar with `jmh` or `benchmark` in its name.
fn jmh(words: &[OsString], at: usize) -> Option<BenchTool> {
    let is_jar = |place: &usize| {
        let name = prefix::stem(&words[*place]);
        words[*place - 1] == "-jar" && (name.contains("jmh") || name.contains("benchmark"))
    };
    let jar = (at + 1..words.len())
        .find(|place| is_jar(place) || words[*place] == "org.openjdk.jmh.Main")?;
    Some(BenchTool::split(ToolKind::Jmh, words, jar + 1))
}

/// `dotnet run` of a project that references BenchmarkDotNet.
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

/// pytest with an option or dependency of pytest-codspeed or pytest-benchmark.
fn pytest_with_plugin(
    start: BenchTool,
    words: &[OsString],
    folder: &Path,
) -> Result<BenchTool, NotRecognised> {
    let asks = |option: &[u8]| {
        words
            .iter()
            .any(|word| word.as_encoded_bytes().starts_with(option))
    };
    if asks(b"--codspeed") {
        return Ok(BenchTool {
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
fn python(program: &str, words: &[OsString], at: usize, folder: &Path) -> Option<BenchTool> {
    let word = |at: usize| word_at(words, at);
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
            return imports.then(|| BenchTool::split(ToolKind::Pyperf, words, script + 1));
        }
        _ => return None,
    };
    let times = ["timeit", "command"].contains(&word(verb));
    times.then(|| BenchTool {
        place: ArgPosition::Front,
        ..BenchTool::split(ToolKind::Pyperf, words, verb + 1)
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
fn pytest(program: &str, words: &[OsString], at: usize, folder: &Path) -> Option<BenchTool> {
    let begin = match program {
        "pytest" | "py.test" => at + 1,
        _ if is_python(program)
            && word_at(words, at + 1) == "-m"
            && word_at(words, at + 2) == "pytest" =>
        {
            at + 3
        }
        _ => return None,
    };
    let configured = pytest_config::options(&words[begin..], folder);
    Some(BenchTool {
        configured,
        ..BenchTool::split(ToolKind::PytestBenchmark, words, begin)
    })
}

/// Whether a dependency list mentions pytest-benchmark, or a test may take its fixture. Without the plugin, pytest rejects its
/// options.
fn has_pytest_benchmark(folder: &Path) -> bool {
    let files = [
        "*.py", "*.toml", "*.cfg", "*.ini", "*.txt", "*.yml", "Pipfile",
    ];
    is_mentioned("pytest[-_]benchmark|[(, ]benchmark *[,:)]", folder, &files)
}

/// Whether one of these files below a directory matches an extended regular expression.
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
