//! The workflow environment, and the client for GitHub's API.
//!
//! * `actions`: the workflow environment, with repository, run and token; `api`: GitHub's URLs.
//! * `client` makes calls with timeouts, waits for rate limits and retries; `retry` decides whether to retry, `classify`
//!   maps error responses to kinds, `transport` makes the connection.
//! * `comments`, `pulls`, `git`, `graphql`, `checks`: the supported calls, as methods of [`Client`].

mod actions;
mod api;
mod call;
mod checks;
mod classify;
mod client;
mod comments;
mod error;
mod git;
mod graphql;
mod pulls;
mod retry;
mod token;
mod transport;

pub use actions::{Actions, RunAttempt};
pub use api::Api;
pub use checks::{Check, State};
pub use client::{Client, ClientSettings};
pub use error::{ApiError, ApiErrorKind};
pub use git::{ChangedFile, Commit, CommitComparison, HeadPosition};
pub use graphql::NewCommit;
pub use pulls::NewPull;
pub use retry::{Clock, System};
pub use token::Token;
