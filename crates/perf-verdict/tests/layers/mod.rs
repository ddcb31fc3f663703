//! The strongest rule that the data allow, on whole suites.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

pub mod case;
mod findings;
mod gates;
mod green;
mod history;
mod machine;
mod properties;
mod samples;
mod self_test;
mod unforeseen;
