//! The inputs: both sides, the history and the confirmation runs.

use perf_model::finding::Finding;
use perf_model::suite::Suite;

/// The suites of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'s, 'r> {
    /// The current run.
    pub current: &'s Suite<'r>,
    /// The baseline.
    pub baseline: &'s Suite<'r>,
    /// Earlier baselines, oldest first; the baseline itself may be the last.
    pub history: &'s [Suite<'r>],
    /// Confirmation runs with the current code.
    pub confirmation_runs: &'s [Suite<'r>],
    /// Confirmation runs with the current code on other machines.
    pub elsewhere: &'s [Suite<'r>],
    /// The findings about the current run.
    pub findings: &'s [Finding],
    /// The findings about the baseline.
    pub baseline_findings: &'s [Finding],
    /// True if rows with the same run index on both sides are interleaved pairs.
    pub paired: bool,
}

impl<'s, 'r> Sides<'s, 'r> {
    /// One run and one baseline.
    pub fn new(current: &'s Suite<'r>, baseline: &'s Suite<'r>) -> Self {
        Self {
            current,
            baseline,
            history: &[],
            confirmation_runs: &[],
            elsewhere: &[],
            findings: &[],
            baseline_findings: &[],
            paired: false,
        }
    }

    /// All confirmation runs, those on other machines last.
    pub(crate) fn all_confirmation_runs(&self) -> impl Iterator<Item = &'s Suite<'r>> {
        self.confirmation_runs.iter().chain(self.elsewhere)
    }
}
