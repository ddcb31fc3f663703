//! Knowledge about benchmark tools: their options for many short samples, their filters, and their options for a fixed number
//! of iterations.
//!
//! By default, a tool prints one mean over about a second for each benchmark. On a busy machine, its noise hides a change of 5%.
//! A low quantile of twenty samples, each shorter than a scheduler time slice, shows it.
//!
//! ```
//! use measure::bench_tools::{BenchTool, ToolKind};
//! use std::path::Path;
//!
//! let command = ["go", "test", "-bench", "."].map(Into::into);
//! let harness = BenchTool::of(&command, Path::new("."))?;
//! assert_eq!(harness.tool(), ToolKind::Go);
//! let short = harness.short_samples(Path::new("results"));
//! assert_eq!(short.note().as_deref(), Some("Go: added -run=^$ -benchtime=2ms -count=20"));
//! let narrowed = short.only(&["example.com/url.BenchmarkParse"]).expect("Go has a filter");
//! assert!(narrowed.command.contains(&"-bench=^(BenchmarkParse)$".into()));
//! # Ok::<(), measure::bench_tools::NotRecognised>(())
//! ```

mod adjusted;
mod cargo;
mod detect;
mod filter;
mod go;
mod javascript;
mod kinds;
mod language;
mod node;
pub(crate) mod options;
mod parts;
mod prefix;
mod pytest_config;

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::Path;

pub use crate::bench_tools::adjusted::Adjusted;
pub use crate::bench_tools::go::GoTest;
pub use crate::bench_tools::kinds::ToolKind;
pub use crate::bench_tools::language::{
    Language, format_of_executable, is_interpreted, started_program,
};
use crate::bench_tools::parts::CommandParts;

/// The number of samples per benchmark and process run.
pub const SAMPLES: u32 = 20;

/// The environment variable with options of Node.js. An [`Adjusted`] command appends to it.
pub const NODE_OPTIONS: &str = "NODE_OPTIONS";

/// A benchmark command whose tool is known.
#[derive(Clone, Debug)]
pub struct BenchTool {
    found: CommandParts,
}

/// The reason why a command's tool is unknown, for a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRecognised {
    /// A shell script may start several programs.
    #[error("`{0}` runs a shell line: call the benchmark tool itself")]
    Shell(String),
    /// A build tool does not pass on options.
    #[error("`{0}` does not pass options to the benchmark tool: call the tool itself")]
    BuildTool(String),
    /// The package.json script is missing, or does not accept options at its end.
    #[error("the package.json script `{0}` is not a command that accepts options at its end")]
    Script(String),
    /// The bench targets use different tools, which have no options in common.
    #[error("the bench targets use different benchmark tools: choose some with `--bench`")]
    MixedTargets,
    /// Neither the command nor a file in it reveals the tool.
    #[error("`{0}` is not a known benchmark tool")]
    Program(String),
    /// The tool is started without benchmarks.
    #[error("`{0}` runs no benchmarks")]
    NoBenchmarks(String),
    /// pytest rejects options of a plugin that is not installed.
    #[error(
        "pytest-benchmark is not among the project's dependencies: list it there, or set the format"
    )]
    NoPytestBenchmark,
    /// No tool with known options prints this format.
    #[error("no benchmark tool with known options prints format `{0}`")]
    Format(String),
}

impl BenchTool {
    /// Recognises the tool by the command line, and by files in it, relative to `folder`.
    ///
    /// # Errors
    /// The reason why the tool is unknown.
    pub fn of(command: &[OsString], folder: &Path) -> Result<Self, NotRecognised> {
        detect::recognise(command, folder).map(|found| Self { found })
    }

    /// Recognises the tool by its output format, named like `perf-readers` formats. This is the only way for some executables, such as
    /// Google Benchmark.
    ///
    /// # Errors
    /// The reason why the tool is unknown.
    pub fn of_format(format: &str, command: &[OsString]) -> Result<Self, NotRecognised> {
        detect::recognise_by_format(format, command).map(|found| Self { found })
    }

    /// The tool.
    pub fn tool(&self) -> ToolKind {
        self.found.tool
    }

    /// The original command.
    pub fn as_is(&self) -> Adjusted {
        Adjusted::as_is(&self.found)
    }

    /// The original command, with the path of its results if an environment variable sets it. Not for Criterion, whose results are
    /// found without it.
    pub fn as_is_into(&self, results: &Path) -> Adjusted {
        Adjusted::as_is_into(&self.found, results)
    }

    /// Adds options for about 20 samples of 2 ms, or twice as many of 0.5 ms, per benchmark. Keeps options that the command already
    /// contains.
    ///
    /// `results` is an absolute path for tools that write their samples to a file or directory. The caller must remove it before
    /// each process run: Criterion would leave results of other benchmarks there, and pyperf refuses to overwrite it.
    pub fn short_samples(&self, results: &Path) -> Adjusted {
        self.samples(SAMPLES, results)
    }

    /// Does the same as [`Self::short_samples`], for this number of samples. Criterion needs at least 10.
    pub fn samples(&self, samples: u32, results: &Path) -> Adjusted {
        Adjusted::short(&self.found, samples, None, results)
    }

    /// Does the same as [`Self::samples`], with fixed iterations per sample, if [`Adjusted::takes_iterations`]. Otherwise Go runs
    /// each benchmark at least three times to determine the number of iterations, each time after a garbage collection.
    pub fn samples_of(&self, iterations: NonZeroU64, samples: u32, results: &Path) -> Adjusted {
        Adjusted::short(&self.found, samples, Some(iterations), results)
    }

    /// Makes every process run do the same work: `iterations` of each benchmark, or as many samples of one iteration if the tool, or
    /// an old version of it, cannot set iterations. Returns `None` if the tool only accepts times.
    pub fn same_work(&self, iterations: NonZeroU64, results: &Path) -> Option<Adjusted> {
        Adjusted::fixed(&self.found, iterations, results)
    }
}
