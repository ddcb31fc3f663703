//! Whole pipelines through the real binaries: exit codes, result lines, written files, fields of the JSON report, and
//! where warnings and errors point. The words of a message are tested by the crate that writes it; here, one error in
//! [`configs`] and the documents of an example in [`documents`] are compared whole.
//!
//! Two imaginary projects are the fixtures. *Wayfinder* finds paths: eight columns, three scopes, comparisons with
//! other libraries, and a test report beside its log. *Ferrite* writes and reads messages, in the older form: seven
//! columns, CRLF, bytes per operation. Their numbers lie on tolerances, limits and rounding ties on purpose;
//! [`arithmetic`] computes the expected results independently. A third, in [`references`], has what the scripts gave that
//! perf-gate replaced.
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

/// The columns of rows without a header, as a baseline has them.
const HEADER: &str =
    "scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes\n";
