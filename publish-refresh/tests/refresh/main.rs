//! Tests of the binary against a fake GitHub with a real git repository.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod ahead;
mod branch;
mod crowds;
mod error;
mod files;
mod plain;
mod protected;
mod setting;
