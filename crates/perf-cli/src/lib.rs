//! The I/O of every binary, so that the other libraries stay pure.
//!
//! * [`actions`]: output of a workflow step for GitHub.
//! * [`exit`]: the exit codes of a run, and how its error is printed.
//! * [`args`]: the options all binaries share, and parsing that lets `--completions` stand alone.
//! * [`failure`]: errors that carry advice.
//! * [`git`]: the one place that starts `git`.
//! * [`help`]: `-h` on one screen.
//! * [`input`]: streams that may be huge, compressed, UTF-16 or stdin.
//! * [`load`]: rows and config, with the path in every error.
//! * [`mod@file`]: small text files, read whole and written atomically.
//! * [`program`]: programs that a user names.
//! * [`term`]: output for people, and what makes hostile text safe to show.
//!
//! A binary is about this much:
//!
//! ```no_run
//! use clap::Parser;
//! use perf_cli::{Common, Exit};
//!
//! /// Counts the bytes of a file.
//! #[derive(Parser)]
//! struct Cli {
//!     path: std::path::PathBuf,
//!     #[command(flatten)]
//!     common: Common,
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     perf_cli::main(|cli: &Cli| {
//!         let text = perf_cli::file::read_text(&cli.path)?;
//!         perf_cli::term::stdout(&format!("bytes={}\n", text.len()))?;
//!         Ok(Exit::Ok)
//!     })
//! }
//! ```

pub mod actions;
pub mod args;
mod decode;
pub mod exit;
pub mod failure;
pub mod file;
pub mod git;
pub mod help;
pub mod input;
pub mod load;
mod paths;
pub mod program;
pub mod term;
mod write;

pub use args::Common;
pub use exit::{Exit, main, run};
pub use failure::{Failure, ResultExt};
pub use file::Written;
pub use input::Input;
