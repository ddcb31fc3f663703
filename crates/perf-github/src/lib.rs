//! GitHub, as far as the programs that talk to it need it: the environment of a run, its event, and a client that fails plainly.
//!
//! * [`actions`]: the environment of a workflow: repository, run, token; [`event`]: what started it.
//! * [`client`]: how calls are made: timeouts, patience with limits, what is repeated and what never is.
//! * [`comments`], [`pulls`], [`git`], [`graphql`], [`statuses`]: the calls there are, as methods of [`Client`].
//! * [`trouble`]: what can go wrong, by kind, each in one line with a hint.
//!
//! Calls block. A *read* is repeated when that may help; a *write* is repeated only when it certainly did not happen.
//! [`Trouble::maybe_done`] says when it may have: look before you write again.
//!
//! ```no_run
//! use perf_github::{Actions, Client, Settings};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let actions = Actions::from_env()?;
//!     let repo = actions.repo(None)?;
//!     let client = Client::new(&actions.api, repo, actions.token()?, Settings::from_env()?)?;
//!     for comment in client.comments(5)? {
//!         assert!(comment.id > 0);
//!     }
//!     Ok(())
//! }
//! ```

pub mod actions;
pub mod api;
mod call;
mod classify;
pub mod client;
pub mod clock;
pub mod comments;
pub mod event;
pub mod git;
pub mod graphql;
pub mod names;
mod proxy;
pub mod pulls;
mod retry;
mod route;
pub mod statuses;
pub mod token;
mod transport;
pub mod trouble;
mod variable;
mod wire;

pub use actions::{Actions, Run};
pub use api::Api;
pub use client::{Client, Settings};
pub use clock::Clock;
pub use comments::Comment;
pub use event::{Event, WorkflowRun};
pub use git::{ChangedFile, Commit, Comparison, Position};
pub use graphql::{MergeMethod, NewCommit};
pub use names::{Account, Repo};
pub use perf_model::commit::CommitId;
pub use pulls::{NewPull, Pull, PullChange, Side};
pub use statuses::{State, Status};
pub use token::Token;
pub use trouble::{Kind, Trouble};
