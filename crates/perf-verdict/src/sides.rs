//! The inputs of a comparison: both sides, the history and the confirmation runs.

use perf_model::finding::Finding;
use perf_model::suite::Suite;

/// The suites of a comparison, and the findings about them.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'s, 'r> {
    /// The current run.
    pub current: &'s Suite<'r>,
    /// The baseline.
    pub baseline: &'s Suite<'r>,
    /// Earlier baselines, oldest first. The last one may be [`Self::baseline`] itself.
    pub history: &'s [Suite<'r>],
    /// Reruns of the current code on the same machine.
    pub confirmation_runs: &'s [Suite<'r>],
    /// Reruns of the current code on other machines.
    pub elsewhere: &'s [Suite<'r>],
    /// The readers' findings about the current run's files.
    pub findings: &'s [Finding],
    /// The readers' findings about the baseline's files.
    pub baseline_findings: &'s [Finding],
    /// True if rows with the same run index on both sides were measured as an interleaved pair.
    pub paired: bool,
}

impl<'s, 'r> Sides<'s, 'r> {
    /// Compares one run with one baseline: no history, no confirmation runs, no findings, and no pairs.
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

    /// All confirmation runs. Runs on other machines come last.
    pub(crate) fn all_confirmation_runs(&self) -> impl Iterator<Item = &'s Suite<'r>> {
        self.confirmation_runs.iter().chain(self.elsewhere)
    }
}
