//! The report as a model: what it says, in order of importance, and how much of that is shown.

use serde::Serialize;

use super::count::{List, Rows};
use crate::template::{Layout, TemplateError};

/// The report. A template of a project's own is filled with it; every text is Markdown already.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Deltas {
    /// The outcome in one line: what fails, and how many of each.
    pub headline: String,
    /// The same as plain text.
    pub summary: String,
    /// The environment shifts, a sentence each.
    pub(super) shifts: List,
    /// The benchmarks that fail or are inconclusive, a sentence each.
    pub(super) failing: List,
    /// What to do about unconfirmed regressions.
    pub(super) confirm: String,
    /// How many benchmarks have a metric that cannot fail.
    pub(super) blind_summary: String,
    /// Metrics that cannot fail, each with the reason.
    pub(super) blind: List,
    /// A row for each benchmark and metric that matters.
    pub(super) table: Rows,
    /// Names of benchmarks that are in the baseline, but not in this run.
    pub(super) missing: List,
    /// Names of benchmarks without a baseline.
    pub(super) new: List,
    /// Why metrics cannot be compared, a sentence for each reason.
    pub(super) uncompared: List,
    /// Expired and unused waivers.
    pub(super) stale_waivers: List,
    /// Everything else that a reader should know.
    pub(super) notes: List,
    /// How many charts there are.
    pub(super) charts_summary: String,
    /// A chart of the history of each metric that fails or is inconclusive, as a mermaid diagram.
    pub(super) charts: List,
    /// How many verdicts `decided` explains.
    pub(super) decided_summary: String,
    /// How each failing or inconclusive verdict was decided.
    pub(super) decided: List,
    /// The command that explains the first of them on the reader's own machine, with a title.
    pub(super) reproduce: String,
    /// How many metrics and benchmarks are waived.
    pub(super) waived_summary: String,
    /// What waivers excuse, each with the reason.
    pub(super) waived: List,
    /// Metrics that are too noisy for their limits or for any, each with what would help.
    pub(super) noisy: List,
    /// Where the level of a metric changed on the main branch, the largest changes first.
    pub(super) trend: List,
    /// How many benchmarks an environment shift leaves without a verdict.
    pub(super) shifted_summary: String,
    /// These.
    pub(super) shifted: Rows,
    /// How many benchmarks are within their limits, and the largest slowdown among them.
    pub(super) within_summary: String,
    /// All other rows.
    pub(super) within: Rows,
    /// How many other metrics are exactly as in the baseline.
    pub(super) same: String,
    /// What was compared, where, and what could have been detected.
    pub(super) footer: String,
    /// What the length limit leaves out.
    pub(super) left_out: String,
}

impl Deltas {
    /// The whole report in the built-in layout.
    ///
    /// # Errors
    /// None, as its template is valid.
    pub fn to_markdown(&self) -> Result<String, TemplateError> {
        Layout::of_report()?.fill(self)
    }
}
