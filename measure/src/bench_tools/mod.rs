//! What perf-gate knows of benchmark harnesses: their options for many short samples in a launch, their filters, and
//! their options for a fixed number of iterations.
//!
//! A harness as people call it prints one mean of a second for each benchmark, in which a change of 5% drowns on a
//! busy machine. A low quantile of twenty samples, each shorter than a slice of the scheduler, does not.
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
mod options;
mod prefix;
mod pytest_config;
mod start;

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::Path;

pub use crate::bench_tools::adjusted::Adjusted;
use crate::bench_tools::detect::Found;
pub use crate::bench_tools::go::GoTest;
pub use crate::bench_tools::kinds::ToolKind;
pub use crate::bench_tools::language::{
    Language, format_of_executable, is_interpreted, started_program,
};

/// The samples of a benchmark in a launch.
pub const SAMPLES: u32 = 20;

/// The variable with options of Node.js, to which those of an [`Adjusted`] command are added.
pub const NODE_OPTIONS: &str = "NODE_OPTIONS";

/// A benchmark command whose tool is known.
#[derive(Clone, Debug)]
pub struct BenchTool {
    found: Found,
}

/// The reason the tool behind a command is not known, for a printed line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRecognised {
    /// A shell line may start anything, several times.
    #[error("`{0}` runs a shell line: call the benchmark tool itself")]
    Shell(String),
    /// A build tool passes no options on.
    #[error("`{0}` does not pass options to the benchmark tool: call the tool itself")]
    BuildTool(String),
    /// A script of package.json that is missing, or not a single command that takes options at its end.
    #[error("the script `{0}` of package.json is not a command that takes options at its end")]
    Script(String),
    /// Bench targets with different harnesses, which share no options.
    #[error(
        "the bench targets do not all use Criterion, nor all divan: choose some with `--bench`"
    )]
    MixedTargets,
    /// Neither the command nor a file it names says which harness it is.
    #[error("`{0}` is no benchmark harness whose options are known")]
    Program(String),
    /// The tool runs, but without its benchmarks.
    #[error("`{0}` is called without benchmarks")]
    NoBenchmarks(String),
    /// pytest ends at an option of a plugin that it lacks.
    #[error(
        "nothing says that pytest has pytest-benchmark: name it in a file with dependencies, or set the format"
    )]
    NoPytestBenchmark,
    /// The output has a format without a harness of its own.
    #[error("the format `{0}` has no harness whose options are known")]
    Format(String),
}

impl BenchTool {
    /// Recognises the tool by the command line alone, or by files it names below `folder`, in which it runs.
    ///
    /// # Errors
    /// The reason why the tool is not known.
    pub fn of(command: &[OsString], folder: &Path) -> Result<Self, NotRecognised> {
        detect::found(command, folder).map(|found| Self { found })
    }

    /// The harness of a command whose output has this format, as the readers name it. An executable of Google
    /// Benchmark can only be recognised by it.
    ///
    /// # Errors
    /// The reason why the tool is not known.
    pub fn of_format(format: &str, command: &[OsString]) -> Result<Self, NotRecognised> {
        detect::found_by_format(format, command).map(|found| Self { found })
    }

    /// The tool.
    pub fn tool(&self) -> ToolKind {
        self.found.tool
    }

    /// The command without a change.
    pub fn as_is(&self) -> Adjusted {
        Adjusted::as_is(&self.found)
    }

    /// The command without a change, whose results are left at a path if a variable alone says that to the tool. Criterion's are
    /// found without it.
    pub fn as_is_into(&self, results: &Path) -> Adjusted {
        Adjusted::as_is_into(&self.found, results)
    }

    /// The command with the tool's own options for about 20 samples of about 2 ms, or twice as many of 0.5 ms, for each benchmark. Options that
    /// the command already has are kept.
    ///
    /// `results` is an absolute path for a tool that leaves its samples in a file or folder. The caller removes it
    /// before each launch: Criterion would leave results of other benchmarks there, and pyperf refuses to overwrite.
    pub fn short_samples(&self, results: &Path) -> Adjusted {
        self.samples(SAMPLES, results)
    }

    /// As [`Self::short_samples`], with so many samples of 2 ms; Criterion needs 10 of any length.
    pub fn samples(&self, samples: u32, results: &Path) -> Adjusted {
        Adjusted::short(&self.found, samples, None, results)
    }

    /// As [`Self::samples`], each of exactly so many iterations, where [`Adjusted::takes_iterations`] is true of those. Go runs a
    /// benchmark three times or more until it knows how many iterations fill the time, each time behind a collection of garbage.
    pub fn samples_of(&self, iterations: NonZeroU64, samples: u32, results: &Path) -> Adjusted {
        Adjusted::short(&self.found, samples, Some(iterations), results)
    }

    /// The command with exactly `iterations` iterations of each benchmark, in place of its own options, so that the
    /// processor time of two launches with different numbers differs by that of the iterations. `None` if the tool has
    /// no such option.
    pub fn fixed_iterations(&self, iterations: NonZeroU64, results: &Path) -> Option<Adjusted> {
        Adjusted::fixed(&self.found, iterations, results)
    }

    /// The command with the same work in every launch: `iterations` of each benchmark, as samples of one where the tool has no
    /// option for a number of iterations, or only some versions have. `None` if the tool takes times alone.
    pub fn same_work(&self, iterations: NonZeroU64, results: &Path) -> Option<Adjusted> {
        let one_by_one = Adjusted::one_by_one(&self.found, iterations, results);
        one_by_one.or_else(|| self.fixed_iterations(iterations, results))
    }
}
