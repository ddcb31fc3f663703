//! The harness of the end-to-end tests: a folder with a project in it, a command line, and everything that a
//! user would notice of the run.
//!
//! * [`Project`]: a fresh folder, empty or with a fixture in it.
//! * [`Outcome`]: exit code, result lines, places of warnings and errors, and every file that was touched. The
//!   words of a message are tested by the crate that writes it.
//! * [`report`]: the fields of the JSON report.
//! * [`encode`]: the same text as other systems write it.
//! * [`exact`]: arithmetic that shares nothing with the code that is tested.
//! * [`markdown`]: the tables of a document.
//! * [`action`]: `action.yml` and its scripts, run step by step as a runner would.
//!
//! The binaries are built on demand, see [`binaries`], so `cargo test -p end-to-end` needs nothing before it.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a harness that cannot do its work fails the test"
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
