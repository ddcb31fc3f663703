//! The profilers: how a command runs under each, and reading its files.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::why::profile::Profile;
use anyhow::Context;
use measure::bench_tools::{Adjusted, Language, NODE_OPTIONS, ToolKind};
use perf_cli::{Failure, file, term};

/// A profiler.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Profiler {
    /// Counts the instructions of any program, with its calls; 50 times slower
    Callgrind,
    /// Counts the allocations of native programs, by the calls that callgrind counts
    Allocations,
    /// Samples any program on Linux, if the system allows it
    Perf,
    /// Times the functions of Python, with their calls
    Cprofile,
    /// Samples Node.js by its own profiler
    Node,
    /// Samples Go benchmarks by `-cpuprofile`
    Go,
    /// Counts bytes allocated by Go benchmarks, by `-memprofile`
    GoMemory,
    /// Samples the JVM by its flight recorder
    Jfr,
}

/// The variable with the folder that a profile is written to.
const FOLDER: &str = "PERF_GATE_PROFILE";
const PYTHON: &str = include_str!("profiler.py");
/// The same as a plugin of pytest, which warns of one that was imported before.
const PYTEST: (&str, &str) = (
    "perf_gate_profiler",
    "from sitecustomize import (  # noqa: F401\n    pytest_configure,\n    pytest_fixture_setup,\n    pytest_pyfunc_call,\n    pytest_runtest_teardown,\n)\n",
);
const NODE: &str = include_str!("profiler.cjs");
/// The file of a profile that has one name.
const GO_FILE: &str = "cpu.pprof";
const PERF_FILE: &str = "perf.data";

/// A command under a profiler.
pub(crate) struct Profiled {
    pub(crate) words: Vec<OsString>,
    pub(crate) variables: Vec<(OsString, OsString)>,
}

impl Profiler {
    /// The profiler of a language.
    ///
    /// # Errors
    /// A language without one.
    pub(crate) fn of(language: Language) -> anyhow::Result<Self> {
        Ok(match language {
            Language::Native | Language::Cargo if is_there("valgrind") || !is_there("perf") => {
                Self::Callgrind
            }
            Language::Native | Language::Cargo => Self::Perf,
            Language::Go => Self::Go,
            Language::Python => Self::Cprofile,
            Language::JavaScript => Self::Node,
            Language::Jvm => Self::Jfr,
            Language::DotNet => {
                return Err(Failure::new("no profiler for .NET is known")
                    .hint(
                        "`--profiler perf` samples any program, with `DOTNET_PerfMapEnabled=1` also this one",
                    )
                    .into());
            }
        })
    }

    /// The profiler of the memory that a language allocates.
    ///
    /// # Errors
    /// A language without one.
    pub(crate) fn of_memory(language: Language) -> anyhow::Result<Self> {
        match language {
            Language::Go => Ok(Self::GoMemory),
            Language::Native | Language::Cargo => Ok(Self::Allocations),
            _ => Err(Failure::new("`--memory` profiles Go and native programs alone").into()),
        }
    }

    /// The counting profiler that can replace this sampling one.
    pub(crate) fn counter(self) -> Option<Self> {
        (self == Self::Go && is_there("valgrind")).then_some(Self::Callgrind)
    }

    /// The name for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Callgrind | Self::Allocations => "callgrind",
            Self::Perf => "perf",
            Self::Cprofile => "cProfile",
            Self::Node => "the profiler of Node.js",
            Self::Go => "the profiler of Go",
            Self::GoMemory => "the memory profiler of Go",
            Self::Jfr => "the flight recorder of the JVM",
        }
    }

    /// The fewest runs per side; counts need one.
    pub(crate) fn fewest_launches(self) -> u32 {
        if self.is_exact() { 1 } else { 2 }
    }

    /// Whether costs are exact counts: the counts of a short run are subtracted, and more runs add nothing.
    pub(crate) fn is_exact(self) -> bool {
        matches!(self, Self::Callgrind | Self::Allocations | Self::GoMemory)
    }

    /// The cost that a launch should have, where iterations are counted.
    pub(crate) fn enough(self) -> Option<f64> {
        match self {
            Self::Callgrind => Some(2e7),
            Self::Cprofile => Some(3e8),
            Self::Allocations | Self::GoMemory => Some(0.0),
            _ => None,
        }
    }

    /// True if a launch has to do the same work on both sides, as costs are not divided by it.
    pub(crate) fn needs_same_work(self) -> bool {
        self.enough().is_some()
    }

    /// The variables with which both sides are built: inlined functions are known by their lines.
    pub(crate) fn build_variables(self, language: Language) -> Vec<(OsString, OsString)> {
        let is_cargo = language == Language::Cargo
            && matches!(self, Self::Callgrind | Self::Allocations | Self::Perf);
        let wanted = [
            ("CARGO_PROFILE_BENCH_DEBUG", "line-tables-only"),
            ("CARGO_PROFILE_BENCH_STRIP", "none"),
        ];
        let wanted = wanted
            .into_iter()
            .filter(|(name, _)| is_cargo && std::env::var_os(name).is_none());
        wanted
            .map(|(name, value)| (name.into(), value.into()))
            .collect()
    }

    /// The command under the profiler, which leaves its files in the folder.
    ///
    /// # Errors
    /// A profiler that is not installed, or a file that cannot be written.
    pub(crate) fn under(
        self,
        command: Vec<OsString>,
        adjusted: Option<&Adjusted>,
        language: Language,
        folder: &Path,
    ) -> anyhow::Result<Profiled> {
        let mut profiled = Profiled {
            words: command,
            variables: Vec::new(),
        };
        match self {
            Self::Callgrind | Self::Allocations => {
                let go = adjusted.filter(|_| language == Language::Go);
                let go = go.map(|adjusted| go_test(adjusted, folder));
                profiled.start_with(measure::callgrind(folder)?, go.as_ref(), language);
            }
            Self::Perf => {
                require("perf", "apt-get install linux-perf")?;
                let mut words: Vec<OsString> = ["perf", "record", "-q", "-F", "999", "-g", "-o"]
                    .map(Into::into)
                    .into();
                words.extend([folder.join(PERF_FILE).into(), "--".into()]);
                profiled.start_with(words, None, Language::Native);
            }
            Self::Cprofile => {
                let scripts = folder.join("scripts");
                fs::create_dir_all(&scripts)?;
                file::write_if_changed(&scripts.join("sitecustomize.py"), PYTHON.as_bytes())?;
                file::write_if_changed(
                    &scripts.join(format!("{}.py", PYTEST.0)),
                    PYTEST.1.as_bytes(),
                )?;
                profiled.set("PYTHONPATH", &scripts, ":");
                profiled.set("PYTEST_ADDOPTS", format!("-p {}", PYTEST.0), " ");
                profiled.set(FOLDER, folder, "");
            }
            Self::Node => {
                let script = folder.join("profiler.cjs");
                file::write_if_changed(&script, NODE.as_bytes())?;
                if let Some(vitest) =
                    adjusted.filter(|adjusted| adjusted.tool() == ToolKind::Vitest)
                {
                    // A thread is ended without a chance to write its profile.
                    profiled.words = vitest.with_missing(&["--pool"], "forks").command;
                }
                profiled.set(NODE_OPTIONS, format!("--require={}", script.display()), " ");
                profiled.set(FOLDER, folder, "");
            }
            Self::Go | Self::GoMemory => {
                let adjusted =
                    adjusted.ok_or_else(|| Failure::new("the command is not `go test -bench`"))?;
                let adjusted = go_test(adjusted, folder);
                let option = |name: &str| go_option(&adjusted, name);
                let file = folder.join(GO_FILE);
                let file = file.to_string_lossy();
                let adjusted = if self == Self::Go {
                    adjusted
                        // The collection of garbage before each sample takes longer than a sample of 2 ms.
                        .with_missing(&[&option("benchtime")], "20ms")
                        .with_missing(&[&option("count")], "50")
                        .with_missing(&[&option("cpuprofile")], &file)
                } else {
                    adjusted
                        .with_missing(&[&option("memprofile")], &file)
                        .with_missing(&[&option("memprofilerate")], "1")
                };
                profiled.words = adjusted.command;
            }
            Self::Jfr => {
                require("jfr", "apt-get install openjdk-17-jdk-headless")?;
                let option = format!(
                    "-XX:StartFlightRecording=filename={}/,settings=profile",
                    folder.display()
                );
                profiled.set("JAVA_TOOL_OPTIONS", option, " ");
            }
        }
        Ok(profiled)
    }

    /// The profile of the folders of several launches.
    ///
    /// # Errors
    /// No file, or one that cannot be read.
    pub(crate) fn read(
        self,
        folders: &[PathBuf],
        enclosing: &dyn Fn(&str, u32) -> Option<String>,
    ) -> anyhow::Result<Profile> {
        let ending = match self {
            Self::Callgrind | Self::Allocations => "callgrind",
            Self::Perf => "data",
            Self::Cprofile => "json",
            Self::Node => "cpuprofile",
            Self::Go | Self::GoMemory => "pprof",
            Self::Jfr => "jfr",
        };
        let mut files = Vec::new();
        for folder in folders {
            let entries = fs::read_dir(folder)?.flatten().map(|entry| entry.path());
            files.extend(entries.filter(|path| path.extension() == Some(OsStr::new(ending))));
        }
        files.sort();
        if files.is_empty() {
            return Err(Failure::new(format!("{} left no profile", self.name()))
                .hint("is it the command itself, or does it start another program?")
                .into());
        }
        let printed = |words: &[&str]| {
            files
                .iter()
                .map(|file| printed(words, file))
                .collect::<anyhow::Result<Vec<_>>>()
        };
        let texts = || {
            files
                .iter()
                .map(|path| file::read_text(path))
                .collect::<anyhow::Result<Vec<_>>>()
        };
        let texts = match self {
            Self::Callgrind | Self::Allocations | Self::Cprofile | Self::Node => texts()?,
            Self::Perf => printed(&["perf", "script", "-F", "ip,sym", "--no-inline", "-i"])?,
            Self::Jfr => printed(&[
                "jfr",
                "print",
                "--json",
                "--stack-depth",
                "64",
                "--events",
                "jdk.ExecutionSample",
            ])?,
            Self::Go | Self::GoMemory => {
                let mut command = Command::new("go");
                vec![output(command.args(["tool", "pprof", "-raw"]).args(files))?]
            }
        };
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Ok(match self {
            Self::Callgrind => crate::why::profile::callgrind(&texts, enclosing)?,
            Self::Allocations => {
                crate::why::profile::callgrind(&texts, enclosing)?.of_allocations()
            }
            Self::Perf => crate::why::profile::perf(&texts.join("\n"))?,
            Self::Cprofile => crate::why::profile::python(&texts)?,
            Self::Node => crate::why::profile::node(&texts)?,
            Self::Go => crate::why::profile::go(&texts.concat())?,
            Self::GoMemory => crate::why::profile::go_allocations(&texts.concat())?,
            Self::Jfr => crate::why::profile::jvm(&texts)?,
        })
    }
}

impl Profiled {
    /// Puts words in front of the program. Cargo and Go start it themselves, and compile before.
    fn start_with(
        &mut self,
        words: Vec<OsString>,
        adjusted: Option<&Adjusted>,
        language: Language,
    ) {
        let runner = words
            .iter()
            .map(|word| word.to_string_lossy())
            .collect::<Vec<_>>()
            .join(" ");
        match (language, adjusted) {
            (Language::Cargo, _) => {
                let arch = std::env::consts::ARCH.to_uppercase();
                for libc in ["GNU", "MUSL"] {
                    self.set(
                        &format!("CARGO_TARGET_{arch}_UNKNOWN_LINUX_{libc}_RUNNER"),
                        &runner,
                        "",
                    );
                }
            }
            (Language::Go, Some(adjusted)) => {
                if adjusted.tool() == ToolKind::Go {
                    self.words = adjusted.with_missing(&["-exec"], &runner).command;
                } else {
                    self.words = words
                        .into_iter()
                        .chain(adjusted.command.iter().cloned())
                        .collect();
                }
                // Valgrind does not survive the signals that preempt goroutines, and collections of garbage come at random.
                self.set("GODEBUG", "asyncpreemptoff=1", ",");
                for (name, value) in [("GOMAXPROCS", "1"), ("GOGC", "off"), ("GOMEMLIMIT", "2GiB")]
                {
                    self.set(name, value, "");
                }
            }
            _ => drop(self.words.splice(0..0, words)),
        }
    }

    /// Sets a variable, or with a separator appends to it.
    fn set(&mut self, name: &str, value: impl AsRef<OsStr>, separator: &str) {
        let mut whole = OsString::new();
        if let Some(own) =
            std::env::var_os(name).filter(|own| !separator.is_empty() && !own.is_empty())
        {
            whole.push(own);
            whole.push(separator);
        }
        whole.push(value);
        self.variables.push((name.into(), whole));
    }
}

/// An option of `go test` or of the binary that it builds.
fn go_option(adjusted: &Adjusted, name: &str) -> String {
    let binary = if adjusted.tool() == ToolKind::GoBinary {
        "-test."
    } else {
        "-"
    };
    format!("{binary}{name}")
}

/// Builds the Go benchmarks as a binary with function names.
fn go_test(adjusted: &Adjusted, folder: &Path) -> Adjusted {
    let adjusted = adjusted.with_missing(&[&go_option(adjusted, "run")], "^$");
    if adjusted.tool() != ToolKind::Go {
        return adjusted;
    }
    adjusted.with_missing(&["-o"], &folder.join("binary.test").to_string_lossy())
}

fn is_there(program: &str) -> bool {
    let mut command = Command::new(program);
    command
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn require(program: &str, install: &str) -> anyhow::Result<()> {
    if is_there(program) {
        return Ok(());
    }
    Err(Failure::new(format!("`{program}` is not installed"))
        .hint(format!("install it with `{install}`"))
        .into())
}

fn printed(words: &[&str], file: &Path) -> anyhow::Result<String> {
    output(Command::new(words[0]).args(&words[1..]).arg(file))
}

fn output(command: &mut Command) -> anyhow::Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("cannot start `{program}`"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().next_back().unwrap_or_default();
    Err(Failure::new(format!(
        "`{program}` cannot read the profile: {}",
        term::printable(last)
    ))
    .into())
}
