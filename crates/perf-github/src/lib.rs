//! The parts of GitHub that the programs need: the environment of a run, its event, and a client with plain errors.
//!
//! * [`event`]: what started a workflow, and [`pull`]: a pull request as it or the API has it.
//! * `network`, a feature: the environment of a workflow ([`Actions`]), and [`Client`], whose methods are the supported
//!   calls: comments, pull requests, branches, commits and files, statuses and check runs. A failed call is an [`ApiError`]:
//!   its kind, one line and a hint.
//!
//! Calls block. A *read* is retried if that may help; a *write* is retried only if it certainly did not happen.
//! [`ApiError::maybe_done`] tells whether it may have happened: read before you write again.
//!
//! ```no_run
//! use perf_github::{Actions, Client, ClientSettings, Conversation};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let actions = Actions::from_env()?;
//!     let repo = actions.repo(None)?;
//!     let client = Client::new(&actions.api, repo, actions.token()?, ClientSettings::from_env()?)?;
//!     for comment in client.comments(&Conversation::Pull(5))? {
//!         assert!(comment.id > 0);
//!     }
//!     Ok(())
//! }
//! ```

pub mod event;
pub mod names;
#[cfg(feature = "network")]
mod network;
pub mod pull;

pub use event::{Event, WorkflowRun};
pub use names::{Account, Repo};
#[cfg(feature = "network")]
pub use network::*;
pub use perf_model::commit::CommitId;
pub use pull::{Pull, Side};
