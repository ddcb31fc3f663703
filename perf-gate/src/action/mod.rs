//! The steps of `action.yml`, one subcommand for each.
//!
//! | step | reads | gets the token |
//! |---|---|---|
//! | `plan` | the inputs, the event, commits by their ids | yes, for `git fetch` |
//! | `measure` | the benchmark itself, which it runs | no |
//! | `compare` | what the benchmark printed | no |
//! | `comment` | the report that `compare` wrote | yes |
//! | `refresh` | what `render` wrote | yes |
//! | `render` | what the benchmark printed | no: it refuses to run with one |
//! | `verdict` | what `compare` concluded | no |
//!
//! `plan` checks every input and takes from the base commit what the head must not choose: the baseline and the
//! configuration. The later steps read nothing but its result (`plan::ActionPlan`) in a folder of this job. Whatever can
//! repeat a stranger's words is printed between `::stop-commands::` and its end (`log`).

#[cfg(feature = "github")]
mod comment;
mod compare;
#[cfg(feature = "github")]
mod complete;
mod environment;
mod files;
mod log;
mod measure;
mod plan;
mod planning;
#[cfg(feature = "github")]
mod publication;
#[cfg(feature = "github")]
mod refresh;
mod render;
mod reporting;
mod search_path;
mod subcommand;

use clap::Subcommand;
use perf_cli::{Exit, failure};

/// A step.
#[derive(Clone, Copy, Debug, Subcommand)]
pub enum ActionStep {
    /// Check the inputs, choose what to compare with, and take it from the base commit
    Plan,
    /// Measure the base and the checkout in turn
    Measure,
    /// Compare the rows with the baseline and write the report
    Compare,
    /// Write the job summary, the annotations and the comment on the pull request
    Comment,
    /// Write baseline and page, and commit them
    Refresh,
    /// Write baseline and page, for `refresh`
    #[command(hide = true)]
    Render,
    /// Pass or fail
    Verdict,
}

/// Runs a step; its errors are annotations of the job.
pub fn run(step: ActionStep) -> Exit {
    let ended = match step {
        ActionStep::Plan => plan::run(),
        ActionStep::Measure => measure::run(),
        ActionStep::Compare => compare::run(),
        ActionStep::Comment => comment::run(),
        ActionStep::Refresh => refresh::run(),
        ActionStep::Render => render::run(),
        ActionStep::Verdict => reporting::verdict::run(),
    };
    ended.unwrap_or_else(|error| {
        log::error(&failure::message(&error), &failure::hints(&error));
        Exit::Error
    })
}

/// The errors of the steps that need GitHub's API, in a program that was built without it.
#[cfg(not(feature = "github"))]
mod offline {
    use perf_cli::{Exit, Failure};
    use perf_model::commit::CommitId;

    use super::planning::inputs::ActionInputs;
    use super::planning::settings::RunSettings;

    pub(super) fn is_refreshed(_: &ActionInputs, _: &RunSettings, _: &CommitId) -> bool {
        false
    }

    pub(super) fn of_jobs(_: &str) -> anyhow::Result<Exit> {
        run()
    }

    pub(super) fn run() -> anyhow::Result<Exit> {
        let failure = Failure::new("built without GitHub support");
        Err(failure
            .hint("build with `--features github`, or use the released program")
            .into())
    }
}
#[cfg(not(feature = "github"))]
use self::{offline as comment, offline as complete, offline as publication, offline as refresh};
