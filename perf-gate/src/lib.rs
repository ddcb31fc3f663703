//! `perf-gate`: every tool as a subcommand of one program, and the steps of the GitHub Action.
//!
//! * [`cli`]: the subcommands; each is the library of a program of its own, which a link with its name starts too.
//! * [`run`]: `run` and `init`, the loop of a developer, made of the other subcommands.
//! * `backfill`: rows of earlier commits.
//! * `bisect`: the commit that changed a benchmark.
//! * `series`: one commit measured after the other.
//! * `why`: the functions behind a slowdown, by a profiler.
//! * `history`: the versions of a baseline in git, as rows for databases.
//! * [`action`]: what `action.yml` calls, one subcommand for each step.

#[cfg(feature = "github")]
pub mod action;
mod backfill;
mod bisect;
pub mod cli;
mod formats;
mod history;
pub mod run;
mod series;
mod why;

use std::process::ExitCode;

/// The whole of `main`.
pub fn main() -> ExitCode {
    measure::entered()
        .or_else(cli::run_by_link)
        .unwrap_or_else(|| perf_cli::main(cli::run))
}
