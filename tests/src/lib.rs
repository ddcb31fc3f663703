//! The test harness of the end-to-end tests: a folder with a project, a command line, and everything that a user
//! would notice about the run.
//!
//! * [`Project`]: a fresh folder, empty or with a copy of a fixture.
//! * [`Outcome`]: exit code, result lines, positions of warnings and errors, and every touched file. The texts of
//!   messages are tested by the crate that writes them.
//! * [`report`]: the fields of the JSON report.
//! * [`encode`]: text in the encodings of other systems.
//! * [`exact`]: arithmetic that shares no code with the tested crates.
//! * [`markdown`]: the tables in a document.
//! * [`action`]: `action.yml` and its scripts, run step by step as a runner would.
//!
//! The binaries are built with the tests (see [`binaries`]), so `cargo test -p end-to-end` needs no preparation.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a panic in the harness fails the test"
)]

pub mod action;
pub mod binaries;
mod command;
pub mod encode;
pub mod exact;
mod folder;
pub mod markdown;
mod outcome;
mod project;
pub mod report;

pub use command::Program;
pub use outcome::Outcome;
pub use project::Project;
pub use report::Report;
