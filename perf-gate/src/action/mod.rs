//! The steps of `action.yml`, one subcommand each.
//!
//! | step | does | gets the token |
//! |---|---|---|
//! | `plan` | checks the inputs, finds and fetches the base commit, its config and its baseline | yes |
//! | `measure` | builds and runs the benchmark, compares, writes the report | no |
//! | `publish` | comments, creates the check run, refreshes the baseline, passes or fails | yes |
//! | `render` | writes the baseline and the page again, if `publish` finds them changed on the branch | no |
//!
//! `plan` reads the baseline and the config from the base commit, because the head must not choose them. Each step writes
//! one file for the next and outputs its SHA-256 (`handover`). Untrusted text is printed within `::stop-commands::` (`log`).

mod base;
mod compare;
mod complete;
#[cfg(target_os = "linux")]
mod descendants;
mod environment;
mod git;
mod handover;
mod inputs;
mod log;
mod measure;
mod outcome;
mod place;
mod plan;
mod publish;
mod refresh;
mod request;
mod stored;

use clap::Subcommand;
use perf_cli::Exit;
use perf_cli::actions::Level;

/// A step of `action.yml`.
#[derive(Clone, Debug, Subcommand)]
pub enum ActionStep {
    /// Check the inputs, choose the base, and fetch its config and baseline
    Plan,
    /// Measure, compare and write the report
    Measure {
        /// The plan's folder and hash, and the file for outputs, in a process without the workflow's variables
        #[arg(long, hide = true, num_args = 3)]
        isolated: Option<Vec<String>>,
    },
    /// Deliver the report, refresh, and pass or fail
    Publish,
    /// Write the baseline and the page again, for `publish`
    #[command(hide = true)]
    Render,
}

/// Runs a step, and reports its error as an annotation of the job.
pub fn run(step: &ActionStep) -> Exit {
    let exit = match step {
        ActionStep::Plan => plan::run(),
        ActionStep::Measure { isolated } => measure::run(isolated.as_deref()),
        ActionStep::Publish => publish::run(),
        ActionStep::Render => refresh::run_render(),
    };
    exit.unwrap_or_else(|error| {
        log::show_error(Level::Error, &error);
        Exit::Error
    })
}
