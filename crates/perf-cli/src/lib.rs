//! The input and output of all programs: files, git, the terminal, options and errors.
//!
//! * [`actions`]: output of a workflow step for GitHub.
//! * [`exit`]: the exit codes of a run, and how errors are printed.
//! * [`args`]: options shared by all programs, and parsing that allows `--completions` on its own.
//! * [`failure`]: errors with advice.
//! * [`git`]: runs `git`; no other module does.
//! * [`help`]: `-h` on one screen.
//! * [`input`]: streams that may be compressed, UTF-16 or stdin.
//! * [`load`]: reads rows and the config, with the path in every error.
//! * [`mod@file`]: reads small text files whole, and writes them atomically.
//! * [`program`]: finds programs the way a shell does.
//! * [`term`]: writes output for people, and makes untrusted text safe to print.
//!
//! A whole program:
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

use std::time::SystemTime;

pub use args::Common;
pub use exit::{Exit, main, run};
pub use failure::{Failure, ResultExt};
pub use file::Written;
pub use input::Input;

/// The current Unix time in seconds.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}
