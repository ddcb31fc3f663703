//! Options and filters of benchmark tools: for many short samples, for selected benchmarks, and for a fixed number of
//! iterations.
//!
//! By default, a tool measures each benchmark for about a second, and prints one mean. On a busy machine, the noise of
//! this mean hides a change of 5%. A low quantile of twenty samples, each shorter than a scheduler time slice, reveals
//! the change.
//!
//! ```
//! use measure::bench_tools::{BenchTool, SAMPLES, ToolKind};
//! use std::path::Path;
//!
//! let command = ["go", "test", "-bench", "."].map(Into::into);
//! let harness = BenchTool::of(&command, Path::new("."))?;
//! assert_eq!(harness.tool(), ToolKind::Go);
//! let short = harness.samples(SAMPLES, Path::new("results"));
//! assert_eq!(short.note().as_deref(), Some("Go: added -run=^$ -benchtime=2ms -count=20"));
//! let narrowed = short.only(&["example.com/url.BenchmarkParse"]).expect("Go has a filter");
//! assert!(narrowed.command().contains(&"-bench=^(BenchmarkParse)$".into()));
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
pub(crate) mod prefix;
mod pytest_config;

pub use self::adjusted::Adjusted;
pub use self::go::GoTest;
pub use self::kinds::ToolKind;
pub use self::language::{Language, format_of_executable, started_program};
pub use self::parts::BenchTool;

/// The number of samples per benchmark and process run.
pub const SAMPLES: u32 = 20;

/// The environment variable that contains options for Node.js. [`Adjusted`] commands append to it.
pub const NODE_OPTIONS: &str = "NODE_OPTIONS";

/// The reason why a command's benchmark tool was not recognised.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRecognised {
    /// The command runs a shell line, which may start several programs.
    #[error("`{0}` runs a shell line: call the benchmark tool itself")]
    Shell(String),
    /// The command runs a build tool, which does not pass options on.
    #[error("`{0}` does not pass options to the benchmark tool: call the tool itself")]
    BuildTool(String),
    /// The package.json script is missing, or does not accept options at its end.
    #[error("the package.json script `{0}` is not a command that accepts options at its end")]
    Script(String),
    /// The bench targets use different tools, which have no options in common.
    #[error("the bench targets use different benchmark tools: choose some with `--bench`")]
    MixedTargets,
    /// Neither the command line nor the files in it reveal the tool.
    #[error("`{0}` is not a known benchmark tool")]
    Program(String),
    /// The command starts the tool without any benchmarks.
    #[error("`{0}` runs no benchmarks")]
    NoBenchmarks(String),
    /// The project does not depend on pytest-benchmark. pytest rejects options for a plugin that is not installed.
    #[error(
        "pytest-benchmark is not among the project's dependencies: list it there, or set the format"
    )]
    NoPytestBenchmark,
    /// No tool with known options prints this format.
    #[error("no benchmark tool with known options prints format `{0}`")]
    Format(String),
}
