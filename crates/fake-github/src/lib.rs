//! The needed part of GitHub as a stateful server, for tests.
//!
//! It is state, not canned replies: what a client writes is there when it, or another one, reads. Comments and pull
//! requests are in a [`World`]; branches, commits and files are in a real bare repository ([`Git`]).
//!
//! ```
//! use fake_github::{Fake, Pull, World, account};
//!
//! let fake = Fake::start(World::with_pull(Pull::new(5)))?;
//! // Where a client goes, and with which token:
//! let (_api, _token) = (fake.url(), account::WORKFLOW);
//!
//! // What others do:
//! let id = fake.with(|world| world.comment(5, "ada", "Nice."));
//! let commit = fake.git().push("main", &[("src/lib.rs", "// new\n")], "Improve")?;
//! assert_eq!(fake.git().head("main"), Some(commit));
//!
//! // Trouble, made to order:
//! fake.when("POST */issues/5/comments").answer(502, "Bad Gateway");
//! fake.when("POST */issues/5/comments").nth(2).done().cut();
//! fake.when("GRAPHQL createCommitOnBranch").hook(|hub| {
//!     hub.git().push("main", &[("README.md", "# Meanwhile\n")], "Meanwhile").unwrap();
//! });
//!
//! // What came of it:
//! assert_eq!(fake.comments(5)[0].id, id);
//! assert_eq!(fake.story(), "");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! * [`account`]: tokens of each kind, and what they may write.
//! * [`world`]: the repository's settings, pull requests and comments; its JSON.
//! * [`script`]: trouble on order, and hooks that make races deterministic.
//! * [`orders`]: the same as JSON, for the binary `fake-github`, which serves scripts.
//! * [`journal`]: what was asked, and what came of it.
//!
//! Not faked: other repositories than the one (forks are names), labels, reviews, checks, merging, line counts of
//! comparisons, `ETag`s, and GraphQL beyond the fields in `graphql/`.

pub mod account;
mod git;
mod graphql;
mod http;
mod hub;
pub mod journal;
pub mod orders;
mod pull;
mod rest;
pub mod script;
mod server;
pub mod world;

pub use account::{Permission, Token};
pub use git::Git;
pub use hub::Hub;
pub use journal::{End, Entry};
pub use server::{Fake, Setup};
pub use world::{Comment, Pull, Side, State, World};
