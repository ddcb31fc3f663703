//! A stateful fake of GitHub's API for tests.
//!
//! A client can read back everything that it or another client wrote: comments and pull requests are in a [`World`];
//! branches, commits and files are in a bare repository ([`Git`]).
//!
//! ```
//! use fake_github::{Fake, Pull, World, account};
//!
//! let fake = Fake::start(World::with_pull(Pull::new(5)))?;
//! // Settings of a client:
//! let (_api, _token) = (fake.url(), account::WORKFLOW);
//!
//! // Changes by others:
//! let id = fake.with(|world| world.comment(5, "ada", "Nice."));
//! let commit = fake.git().push("main", &[("src/lib.rs", "// new\n")], "Improve")?;
//! assert_eq!(fake.git().head("main"), Some(commit));
//!
//! // Faults:
//! fake.when("POST */issues/5/comments").answer(502, "Bad Gateway");
//! fake.when("POST */issues/5/comments").nth(2).done().cut();
//! fake.when("GRAPHQL createCommitOnBranch").hook(|hub| {
//!     hub.git().push("main", &[("README.md", "# Quill 2\n")], "Rename").unwrap();
//! });
//!
//! // The result:
//! assert_eq!(fake.comments(5)[0].id, id);
//! assert!(fake.writes().is_empty());
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! * [`account`]: tokens and permissions.
//! * [`world`]: settings, pull requests, comments and statuses.
//! * [`fault`]: fault injection, and hooks for deterministic races.
//!
//! Not supported: a second repository (a fork is only a name), labels, reviews, merging, line counts of comparisons, and
//! GraphQL beyond the fields in `graphql.rs`.

pub mod account;
mod git;
mod graphql;
mod hub;
mod request;
mod rest;
mod server;
pub mod world;

pub use account::{Permission, Token};
pub use git::Git;
pub use hub::fault::{self, When};
pub use hub::{Hub, RecordedRequest};
pub use server::Fake;
pub use world::{Comment, Pull, PullState, Side, World};
