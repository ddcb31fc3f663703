//! GitHub, as far as the programs that talk to it need it: the environment of a run, its event, and a client that fails plainly.
//!
//! * [`actions`]: the environment of a workflow: repository, run, token; [`event`]: what started it.
//! * [`client`]: makes calls: timeouts, patience with limits, what is repeated and what never is.
//! * [`comments`], [`pulls`], [`git`], [`graphql`], [`statuses`], [`checks`]: the calls there are, as methods of [`Client`].
//! * [`trouble`]: what can go wrong, by kind, each in one line with a hint.
//!
//! Without the feature `network` there are [`event`] and [`pull`] alone: what needs no connection.
//!
//! Calls block. A *read* is repeated when that may help; a *write* is repeated only when it certainly did not happen.
//! [`Trouble::maybe_done`] says when it may have: look before you write again.
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

#[cfg(feature = "network")]
pub mod actions;
#[cfg(feature = "network")]
pub mod api;
#[cfg(feature = "network")]
mod call;
#[cfg(feature = "network")]
pub mod checks;
#[cfg(feature = "network")]
mod classify;
#[cfg(feature = "network")]
pub mod client;
#[cfg(feature = "network")]
pub mod clock;
#[cfg(feature = "network")]
pub mod comments;
pub mod event;
#[cfg(feature = "network")]
pub mod git;
#[cfg(feature = "network")]
pub mod graphql;
pub mod names;
#[cfg(feature = "network")]
mod people;
#[cfg(feature = "network")]
mod proxy;
pub mod pull;
#[cfg(feature = "network")]
pub mod pulls;
#[cfg(feature = "network")]
mod retry;
#[cfg(feature = "network")]
mod route;
#[cfg(feature = "network")]
pub mod statuses;
#[cfg(feature = "network")]
pub mod token;
#[cfg(feature = "network")]
mod transport;
#[cfg(feature = "network")]
pub mod trouble;
mod variable;
mod wire;

#[cfg(feature = "network")]
pub use actions::{Actions, RunAttempt};
#[cfg(feature = "network")]
pub use api::Api;
#[cfg(feature = "network")]
pub use checks::{Check, LineNote};
#[cfg(feature = "network")]
pub use client::{Client, ClientSettings};
#[cfg(feature = "network")]
pub use clock::Clock;
#[cfg(feature = "network")]
pub use comments::{Comment, Conversation};
pub use event::{Event, WorkflowRun};
#[cfg(feature = "network")]
pub use git::{ChangedFile, Commit, CommitComparison, HeadPosition};
#[cfg(feature = "network")]
pub use graphql::{MergeMethod, NewCommit};
pub use names::{Account, Repo};
pub use perf_model::commit::CommitId;
pub use pull::{Pull, Side};
#[cfg(feature = "network")]
pub use pulls::{NewPull, PullChange};
#[cfg(feature = "network")]
pub use statuses::{State, Status};
#[cfg(feature = "network")]
pub use token::Token;
#[cfg(feature = "network")]
pub use trouble::{Trouble, TroubleKind};
