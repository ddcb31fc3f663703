//! The language of a command's code, which determines the profiler.

use std::ffi::OsString;
use std::path::Path;

use super::kinds::ToolKind;
use super::prefix;
use crate::process::first_bytes;

/// How many bytes of a script to read for its first line.
const HEAD: u64 = 1 << 12;

/// The language of a command's code. Languages that are profiled in the same way are not distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Machine code: C, C++, Rust.
    Native,
    /// Machine code that `cargo bench` builds and starts.
    Cargo,
    /// Go.
    Go,
    /// Python.
    Python,
    /// JavaScript in Node.js.
    JavaScript,
    /// Java and other languages of the JVM.
    Jvm,
    /// C# and other languages of .NET.
    DotNet,
}

impl Language {
    /// Returns the language of a tool's benchmarks, or `None` if the tool can run any command.
    pub fn of_tool(tool: ToolKind) -> Option<Self> {
        Some(match tool {
            ToolKind::Go | ToolKind::GoBinary => Self::Go,
            ToolKind::PytestBenchmark | ToolKind::PytestCodspeed | ToolKind::Pyperf => Self::Python,
            ToolKind::Criterion | ToolKind::Divan | ToolKind::Libtest => Self::Cargo,
            ToolKind::Jmh => Self::Jvm,
            ToolKind::BenchmarkDotNet => Self::DotNet,
            ToolKind::Vitest | ToolKind::Mitata | ToolKind::Tinybench | ToolKind::BenchmarkJs => {
                Self::JavaScript
            }
            ToolKind::GoogleBenchmark | ToolKind::Catch2 | ToolKind::Nanobench => Self::Native,
            ToolKind::Hyperfine => return None,
        })
    }

    /// Determines the language of a command by its program's name, or by the first line if the program is a script. Any
    /// other program is assumed to be native.
    pub fn of_command(command: &[OsString], folder: &Path) -> Self {
        let Some(word) = started_program(command) else {
            return Self::Native;
        };
        let name = prefix::stem(word);
        let named = Self::of_name(&name);
        let script = || {
            let head = first_bytes(&folder.join(word), HEAD);
            let head = String::from_utf8_lossy(&head);
            let first = head.strip_prefix("#!")?.lines().next()?;
            first.split(['/', ' ']).find_map(Self::of_name)
        };
        named.or_else(script).unwrap_or(Self::Native)
    }

    fn of_name(name: &str) -> Option<Self> {
        let name = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        Some(match name {
            "python" | "pypy" | "pytest" | "py.test" | "asv" | "pyperf" => Self::Python,
            "node" | "npm" | "npx" | "pnpm" | "yarn" | "tsx" => Self::JavaScript,
            "java" | "mvn" | "gradle" | "gradlew" => Self::Jvm,
            "go" => Self::Go,
            "cargo" => Self::Cargo,
            "dotnet" => Self::DotNet,
            _ => return None,
        })
    }
}

/// Returns the program that a command runs after wrappers such as `env` and `nice`.
pub fn started_program(command: &[OsString]) -> Option<&OsString> {
    command.get(prefix::program(command))
}

/// Returns the output format of an executable that contains a known benchmark tool's options.
pub fn format_of_executable(program: &Path) -> Option<&'static str> {
    let bytes = std::fs::read(program).ok()?;
    let has = |text: &str| {
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    };
    // If Google Benchmark is a shared library, the executable contains only the name of its `Initialize` function.
    let known = [
        // Its symbols also contain `benchmark_filter`.
        ("Criterion.rs", "criterion"),
        ("benchmark_filter", "google-benchmark"),
        ("9benchmark10Initialize", "google-benchmark"),
        ("benchmark-samples", "catch2"),
        ("NANOBENCH_ENDLESS", "nanobench"),
    ];
    known
        .into_iter()
        .find(|(option, _)| has(option))
        .map(|(_, format)| format)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Language {
        let words: Vec<OsString> = line.split(' ').map(Into::into).collect();
        Language::of_command(&words, Path::new("/nowhere"))
    }

    #[test]
    fn the_program_decides() {
        assert_eq!(of("env A=1 python3.11 bench.py"), Language::Python);
        assert_eq!(of(".venv/bin/pytest tests"), Language::Python);
        assert_eq!(of("node bench.mjs"), Language::JavaScript);
        assert_eq!(of("java -jar x.jar"), Language::Jvm);
        assert_eq!(of("cargo run"), Language::Cargo);
        assert_eq!(of("build/bench"), Language::Native);
    }

    #[test]
    fn the_first_line_of_a_script_decides() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("bench"), "#!/usr/bin/env node\n1\n").unwrap();
        assert_eq!(
            Language::of_command(&["./bench".into()], folder.path()),
            Language::JavaScript
        );
    }

    #[test]
    fn an_executable_is_known_by_its_options() {
        let folder = tempfile::tempdir().unwrap();
        for (text, format) in [
            ("--benchmark_filter=", Some("google-benchmark")),
            ("Criterion.rs\0with_benchmark_filter", Some("criterion")),
            ("NANOBENCH_ENDLESS", Some("nanobench")),
            ("main", None),
        ] {
            let program = folder.path().join("bench");
            std::fs::write(&program, format!("\x7fELF\0{text}\0")).unwrap();
            assert_eq!(format_of_executable(&program), format, "{text}");
        }
    }
}
