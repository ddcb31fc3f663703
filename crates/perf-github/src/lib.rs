//! GitHub access for the programs: the workflow environment, its event, and a client with plain errors.
//!
//! * [`event`]: the event that started a workflow; [`pull`]: a pull request or comment in an event or from the API.
//! * `network`: the workflow environment ([`Actions`]), and [`Client`], whose methods are the supported calls:
//!   comments, pull requests, branches, commits and files, statuses and check runs. A failed call returns an [`ApiError`] with
//!   its kind, one line and a hint.
//!
//! Calls block. A *read* is retried if that may help, a *write* only if it was certainly not executed. If
//! [`ApiError::maybe_done`] is true, read before writing again.
//!
//! ```no_run
//! use perf_github::{Actions, Client, ClientSettings};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let actions = Actions::from_env()?;
//!     let repo = actions.repo(None)?;
//!     let client = Client::new(&actions.api, repo, actions.token()?, ClientSettings::from_env()?)?;
//!     for comment in client.comments(5)? {
//!         assert!(comment.id > 0);
//!     }
//!     Ok(())
//! }
//! ```

pub mod event;
pub mod names;
mod network;
pub mod pull;

pub use event::{Event, WorkflowRun};
pub use names::{Account, Repo};
pub use network::*;
pub use perf_model::commit::CommitId;
pub use pull::{Comment, Pull, Side};
