//! `perf-gate`: all tools as subcommands of one program, and the steps of the GitHub Action.
//!
//! * [`cli`]: the subcommands. A link named like a single-purpose program runs that program.
//! * `run`: `run`, `init`, `doctor` and `accept`.
//! * `backfill`: measures earlier commits.
//! * `bisect`: finds the commit that changed a benchmark.
//! * `series`: measures many commits, for `backfill` and `bisect`.
//! * `why`: finds the functions that cause a slowdown, with a profiler.
//! * `history`: exports a baseline's versions in git.
//! * `action`: the steps of `action.yml`, one subcommand each.

#[cfg(feature = "github")]
mod action;
mod backfill;
mod bisect;
pub mod cli;
mod formats;
mod history;
mod run;
mod series;
mod why;

use std::process::ExitCode;

/// The body of `main`. A helper process of `measure` does its own work, and a link named like a single-purpose program runs
/// that program.
pub fn main() -> ExitCode {
    measure::entered()
        .or_else(cli::run_by_link)
        .unwrap_or_else(|| perf_cli::main(cli::run))
}
