//! A stateful fake of GitHub's API for tests.
//!
//! A client reads what it or another client wrote: comments and pull requests live in a [`World`]; branches, commits and
//! files in a bare repository ([`Git`]).
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
//! assert_eq!(fake.story(), "");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! * [`account`]: tokens and permissions.
//! * [`world`]: settings, pull requests and comments, with their JSON format.
//! * [`script`]: fault injection, and hooks for deterministic races; its JSON format.
//! * [`journal`]: the requests.
//!
//! Not supported: a second repository (a fork is only a name), labels, reviews, checks, merging, line counts in
//! comparisons, `ETag`s, and GraphQL beyond the fields in `graphql/`.

pub mod account;
mod context;
mod git;
mod graphql;
mod http;
mod hub;
pub mod journal;
mod pull;
mod rest;
pub mod script;
mod server;
mod when;
pub mod world;

pub use account::{Permission, Token};
pub use git::Git;
pub use hub::Hub;
pub use journal::{End, Entry};
pub use server::{Fake, Setup};
pub use when::When;
pub use world::{Comment, Pull, Side, State, World};
