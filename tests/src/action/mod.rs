//! A small runner for `action.yml`: it does what GitHub's does with a composite action, and fails the test on anything
//! in there that it does not know.
//!
//! * [`definition`]: the file, as far as a runner reads it.
//! * [`expression`]: `${{ … }}` and `if:`.
//! * [`log`]: the commands in a log that a runner obeys.
//! * [`Run`]: an action with its inputs and the environment of a workflow; running it gives a [`Report`].
//! * [`Workspace`]: a checkout of a repository as `actions/checkout` leaves it.

pub mod definition;
pub mod expression;
pub mod log;
mod run;
mod workspace;

pub use self::log::Command;
pub use self::run::{Report, Run, Step};
pub use self::workspace::{Workspace, git};
