//! The built binary against a fake GitHub with a real repository behind it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod ahead;
mod branch;
mod crowds;
mod error;
mod files;
mod plain;
mod protected;
mod setting;
mod store;
