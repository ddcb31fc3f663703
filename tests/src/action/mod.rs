//! A small runner for `action.yml`: it does what GitHub's does with a composite action, and fails the test on anything
//! in there that it does not know.
//!
//! * [`definition`]: the file, as far as a runner reads it.
//! * [`expression`]: `${{ … }}` and `if:`.
//! * [`log`]: the commands in a log that a runner obeys.
//! * [`ActionRun`]: an action with its inputs and the environment of a workflow; running it gives an [`ActionReport`].
//! * [`workflow`] and [`runner`]: whole workflows, as pages and examples have them.
//! * [`Workspace`]: a checkout of a repository as `actions/checkout` leaves it.

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
