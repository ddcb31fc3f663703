//! The command to profile and its profiler, and the profiles that it writes.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, anyhow, bail};
use measure::bench_tools::{Adjusted, BenchTool, Language, NODE_OPTIONS, ToolKind};
use measure::pairs::{PairsRequest, Tree, cargo_runner};
use perf_cli::{ResultExt, file, term};
use perf_config::Config;

use super::WhyRequest;
use super::profile::{self, Profile};
use crate::run::{Benchmark, build_command, command_of, format_in};

/// A profiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Profiler {
    /// Counts instructions and calls of any program; 50 times slower
    Callgrind,
    /// Times Python functions and their calls
    Cprofile,
    /// Samples Node.js with its own profiler
    Node,
    /// Samples Go benchmarks with `-cpuprofile`
    Go,
}

/// The number of samples per process run. It is high, because background load disturbs only a few of many short samples.
const SAMPLES: u32 = 400;

/// The environment variable that contains the folder for profiles.
const FOLDER: &str = "PERF_GATE_PROFILE";
const PYTHON: &str = include_str!("profiler.py");
/// A pytest plugin that re-exports `PYTHON`, because pytest warns about plugins that were already imported.
const PYTEST: (&str, &str) = (
    "perf_gate_profiler",
    "from sitecustomize import (  # noqa: F401\n    pytest_configure,\n    pytest_fixture_setup,\n    pytest_pyfunc_call,\n    pytest_runtest_teardown,\n)\n",
);
const NODE: &str = include_str!("profiler.cjs");
/// A Go profile's file name.
const GO_FILE: &str = "cpu.pprof";

/// The command to profile, its tool and its profiler.
pub struct Plan {
    pub benchmark: Benchmark,
    pub harness: Option<BenchTool>,
    pub language: Language,
    pub profiler: Profiler,
    /// True if the user chose the profiler.
    pub is_chosen: bool,
}

impl Plan {
    pub fn new(request: &WhyRequest, config: &Config) -> anyhow::Result<Self> {
        let benchmark = Benchmark {
            words: command_of(&request.command, config)?,
            format: format_in(request.format, config)?,
            ..Benchmark::default()
        };
        // The config's format may not belong to a known tool. Then detect the tool from the command.
        let harness = match benchmark.harness() {
            Ok(tool) => Some(tool),
            Err(_) => BenchTool::of(&benchmark.words, Path::new(".")).ok(),
        };
        let of_tool = harness
            .as_ref()
            .and_then(|harness| Language::of_tool(harness.tool()));
        let language =
            of_tool.unwrap_or_else(|| Language::of_command(&benchmark.words, Path::new(".")));
        let profiler = match request.profiler {
            Some(profiler) => profiler,
            None => Profiler::for_language(language)?,
        };
        Ok(Self {
            benchmark,
            harness,
            language,
            profiler,
            is_chosen: request.profiler.is_some(),
        })
    }

    /// True if the tool chooses the number of iterations itself. Then the counts of two process runs aren't comparable.
    pub fn repeats(&self, profiler: Profiler) -> bool {
        let counts = || self.adjusted(profiler, Some(1), Path::new("")).is_some();
        profiler.needs_same_work() && self.harness.is_some() && !counts()
    }

    pub fn pairs(
        &self,
        request: &WhyRequest,
        config: &Config,
        reference: Option<&str>,
    ) -> anyhow::Result<PairsRequest> {
        let mut build = build_command(request.build.as_deref(), config)?;
        if self.language == Language::Cargo {
            // Build now, because a build in a profiled run would be profiled.
            let words = self.benchmark.words.split(|word| word == "--").next();
            let mut compile = words.unwrap_or_default().to_vec();
            compile.push("--no-run".into());
            build = build.or(self.harness.is_some().then_some(compile));
        }
        let base = reference.map_or(Tree::Here, |reference| Tree::Commit(reference.to_owned()));
        Ok(PairsRequest {
            build,
            is_at_two_paths: request.two_paths,
            launch_limit: Some(request.timeout),
            time_limit: request.is_whole_limit.then_some(request.time_limit),
            config: request.config.clone(),
            ..self.benchmark.pairs(base, config)
        })
    }

    /// The command with a fixed number of iterations if `iterations` is set, otherwise with many short samples if the
    /// profiler supports them. `None` if the tool is unknown or does not accept a number of iterations.
    pub fn adjusted(
        &self,
        profiler: Profiler,
        iterations: Option<u64>,
        results: &Path,
    ) -> Option<Adjusted> {
        let harness = self.harness.as_ref()?;
        Some(match iterations.and_then(NonZeroU64::new) {
            Some(iterations) => harness.same_work(iterations, results)?,
            None if !profiler.needs_same_work() && profiler != Profiler::Go => {
                harness.samples(SAMPLES, results)
            }
            None => harness.as_is(),
        })
    }
}

/// A command to start, usually under a profiler.
pub struct Profiled {
    pub words: Vec<OsString>,
    pub variables: Vec<(OsString, OsString)>,
    /// The tool's options in the command, if the tool is known.
    pub adjusted: Option<Adjusted>,
    /// True if the command runs only one benchmark.
    pub is_selected: bool,
}

impl Profiler {
    /// The nanoseconds between two Node.js samples, as in `profiler.cjs`.
    pub const NODE_INTERVAL: f64 = 500_000.0;

    /// The default profiler for a language.
    ///
    /// # Errors
    /// Fails if no profiler is known for the language.
    pub fn for_language(language: Language) -> anyhow::Result<Self> {
        let (language, tool) = match language {
            Language::Native | Language::Cargo => return Ok(Self::Callgrind),
            Language::Go => return Ok(Self::Go),
            Language::Python => return Ok(Self::Cprofile),
            Language::JavaScript => return Ok(Self::Node),
            Language::Jvm => ("the JVM", "JMH's `-prof jfr`"),
            Language::DotNet => (".NET", "`dotnet-trace`"),
        };
        Err(anyhow!("`why` cannot profile {language}"))
            .hint(format!("record profiles of both commits with {tool}"))
    }

    /// The name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Callgrind => "callgrind",
            Self::Cprofile => "cProfile",
            Self::Node => "the Node.js profiler",
            Self::Go => "the Go profiler",
        }
    }

    /// Whether costs are exact. If they are, repeating a run adds nothing, and the costs of a short run can be subtracted.
    pub fn is_exact(self) -> bool {
        self == Self::Callgrind
    }

    /// The cost that a process run should reach. `None` if the profiler does not need a fixed number of iterations.
    pub fn enough(self) -> Option<f64> {
        match self {
            Self::Callgrind => Some(2e7),
            Self::Cprofile => Some(3e8),
            _ => None,
        }
    }

    /// True if base and head must run the same number of iterations, because costs are totals.
    pub fn needs_same_work(self) -> bool {
        self.enough().is_some()
    }

    /// Environment variables for the builds. Inlined functions are identified by their source lines, which need debug
    /// information.
    pub fn build_variables(self, language: Language) -> Vec<(OsString, OsString)> {
        let mut variables = Vec::new();
        if language == Language::Cargo && self == Self::Callgrind {
            for (name, value) in [
                ("CARGO_PROFILE_BENCH_DEBUG", "line-tables-only"),
                ("CARGO_PROFILE_BENCH_STRIP", "none"),
            ] {
                if std::env::var_os(name).is_none() {
                    variables.push((name.into(), value.into()));
                }
            }
        }
        variables
    }

    /// Adapts a command to run under the profiler, which writes its files to `folder`.
    ///
    /// # Errors
    /// Fails if the profiler is not installed, or a file cannot be written.
    pub fn wrap(
        self,
        profiled: &mut Profiled,
        language: Language,
        folder: &Path,
    ) -> anyhow::Result<()> {
        let adjusted = profiled.adjusted.as_ref();
        match self {
            Self::Callgrind => {
                let go = adjusted.filter(|_| language == Language::Go);
                let go = go.map(|adjusted| go_test(adjusted, folder));
                profiled.start_with(measure::callgrind(folder)?, go.as_ref(), language);
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
                    // Vitest kills its worker threads before they can write their profiles.
                    profiled.words = vitest.with_missing(&["--pool"], "forks").command();
                }
                profiled.set(NODE_OPTIONS, format!("--require={}", script.display()), " ");
                profiled.set(FOLDER, folder, "");
            }
            Self::Go => {
                let adjusted = adjusted.context("the command is not `go test -bench`")?;
                let adjusted = go_test(adjusted, folder);
                let option = |name: &str| go_option(&adjusted, name);
                let file = folder.join(GO_FILE);
                profiled.words = adjusted
                    // Go collects garbage before each sample, which takes longer than a short sample.
                    .with_missing(&[&option("benchtime")], "20ms")
                    .with_missing(&[&option("count")], "50")
                    .with_missing(&[&option("cpuprofile")], &file.to_string_lossy())
                    .command();
            }
        }
        Ok(())
    }

    /// Reads the profiles in the folders of several process runs, as one profile.
    ///
    /// # Errors
    /// Fails if the folders contain no profile, or if a profile cannot be read.
    pub fn read(
        self,
        folders: &[PathBuf],
        enclosing: &dyn Fn(&str, u32) -> Option<String>,
    ) -> anyhow::Result<Profile> {
        let ending = match self {
            Self::Callgrind => "callgrind",
            Self::Cprofile => "json",
            Self::Node => "cpuprofile",
            Self::Go => "pprof",
        };
        let mut files = Vec::new();
        for folder in folders {
            let entries = fs::read_dir(folder)?.flatten().map(|entry| entry.path());
            files.extend(entries.filter(|path| path.extension() == Some(OsStr::new(ending))));
        }
        files.sort();
        if files.is_empty() {
            return Err(anyhow!("{} wrote no profile", self.name()))
                .hint("the command must be the benchmark itself, not a script that starts it");
        }
        let mut texts = Vec::new();
        if self == Self::Go {
            texts.push(print_go_profile(&files)?);
        } else {
            for path in &files {
                texts.push(file::read_text(path)?);
            }
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let read = match self {
            Self::Callgrind => profile::callgrind(&texts, enclosing),
            Self::Cprofile => profile::python(&texts),
            Self::Node => profile::node(&texts),
            Self::Go => profile::go(&texts.concat()),
        };
        read.context(self.name())
    }
}

impl Profiled {
    /// The command without a profiler.
    pub fn new(words: &[OsString], adjusted: Option<Adjusted>, is_selected: bool) -> Self {
        let all = adjusted.as_ref();
        Self {
            words: all.map_or_else(|| words.to_vec(), Adjusted::command),
            variables: all.map(Adjusted::variables).unwrap_or_default(),
            adjusted,
            is_selected,
        }
    }

    /// Starts the program through the command `words`. Cargo and Go compile the program and start it themselves, so they get
    /// `words` as a runner.
    fn start_with(
        &mut self,
        words: Vec<OsString>,
        adjusted: Option<&Adjusted>,
        language: Language,
    ) {
        match (language, adjusted) {
            (Language::Cargo, _) => self.variables.extend(cargo_runner(&words)),
            (Language::Go, Some(adjusted)) => {
                if adjusted.tool() == ToolKind::Go {
                    let runner = words.join(OsStr::new(" "));
                    let runner = runner.to_string_lossy();
                    self.words = adjusted.with_missing(&["-exec"], &runner).command();
                } else {
                    self.words = [words, adjusted.command()].concat();
                }
                // Valgrind crashes on the signals that preempt goroutines, and garbage collections would add random costs.
                self.set("GODEBUG", "asyncpreemptoff=1", ",");
                for (name, value) in [("GOMAXPROCS", "1"), ("GOGC", "off"), ("GOMEMLIMIT", "2GiB")]
                {
                    self.set(name, value, "");
                }
            }
            _ => drop(self.words.splice(0..0, words)),
        }
    }

    /// Sets an environment variable. If `separator` is not empty, appends `value` to an existing value.
    fn set(&mut self, name: &str, value: impl AsRef<OsStr>, separator: &str) {
        let known = self.variables.iter().position(|(known, _)| known == name);
        let own = match known {
            Some(at) => Some(self.variables.remove(at).1),
            None => std::env::var_os(name),
        };
        let mut whole = match own {
            Some(mut own) if !separator.is_empty() && !own.is_empty() => {
                own.push(separator);
                own
            }
            _ => OsString::new(),
        };
        whole.push(value);
        self.variables.push((name.into(), whole));
    }
}

/// The name of a Go test option, for `go test` or for a test binary.
fn go_option(adjusted: &Adjusted, name: &str) -> String {
    let binary = if adjusted.tool() == ToolKind::GoBinary {
        "-test."
    } else {
        "-"
    };
    format!("{binary}{name}")
}

/// Skips tests, and makes `go test` keep its binary, because the binary contains the function names.
fn go_test(adjusted: &Adjusted, folder: &Path) -> Adjusted {
    let adjusted = adjusted.with_missing(&[&go_option(adjusted, "run")], "^$");
    if adjusted.tool() != ToolKind::Go {
        return adjusted;
    }
    adjusted.with_missing(&["-o"], &folder.join("binary.test").to_string_lossy())
}

fn print_go_profile(files: &[PathBuf]) -> anyhow::Result<String> {
    let mut command = Command::new("go");
    command.args(["tool", "pprof", "-raw"]).args(files);
    let output = command.stdin(Stdio::null()).output();
    let output = output.context("cannot start `go`")?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().next_back().unwrap_or_default();
    bail!("`go` cannot read the profile: {}", term::printable(last));
}
