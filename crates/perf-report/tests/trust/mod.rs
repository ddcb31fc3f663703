//! Reports with more evidence than one number per side.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod comments;
mod common;
mod explain;
mod facts;
mod properties;
mod sentences;
