//! A small runner for `action.yml`. It runs a composite action as GitHub's runner does, and fails the test on
//! anything that it does not support.
//!
//! * [`definition`]: the parsed file.
//! * [`expression`]: `${{ … }}` and `if:`.
//! * [`log`]: workflow commands in a log.
//! * [`ActionRun`]: an action with its inputs and the environment of a workflow. Running it returns an [`ActionReport`].
//! * [`workflow`] and [`runner`]: whole workflows from pages and examples.
//! * [`Workspace`]: a checkout of a repository, as left by `actions/checkout`.

mod cache;
pub mod definition;
pub mod expression;
pub mod log;
mod run;
pub mod runner;
pub mod workflow;
mod workspace;

pub use self::log::Command;
pub use self::run::{ActionReport, ActionRun, Step};
pub use self::workspace::{Workspace, git};
