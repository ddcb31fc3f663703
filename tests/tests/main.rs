//! Whole pipelines through the real binaries: exit codes, result lines, written files, fields in the JSON report, and
//! positions of warnings and errors. The texts of messages are tested by the crates that write them. Only one error,
//! in [`configs`], and one example's documents, in [`documents`], are compared as a whole.
//!
//! The fixtures are two imaginary projects. *Wayfinder* finds paths: eight columns, three scopes, comparisons with
//! other libraries, and a test report in addition to its log. *Ferrite* writes and reads messages, in the older form:
//! seven columns, CRLF, bytes per operation. Many numbers are at a tolerance, a limit or a rounding tie;
//! [`arithmetic`] computes the expected results independently. A third project, in [`references`], contains the
//! results of the scripts that perf-gate replaced.
#![expect(
    clippy::format_collect,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot do its work has failed, and its inputs are small"
)]

mod accounts;
#[cfg(unix)]
mod action;
mod alerts;
mod appending;
mod arithmetic;
mod baselines;
mod budgets;
mod capabilities;
mod config;
mod configs;
mod documents;
mod evidence;
mod extraction;
mod filters;
mod formats;
mod gating;
#[cfg(unix)]
mod guide;
mod hangs;
mod help;
mod hostile;
mod inputs;
mod interrupted;
mod machines;
mod markers;
mod measuring;
mod methods;
mod pages;
mod policies;
mod properties;
mod references;
mod reports;
mod sides;
mod sites;
mod small;
mod stopwatches;
mod verdicts;

/// The columns of rows without a header, as written to a baseline.
const HEADER: &str =
    "scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes\n";
