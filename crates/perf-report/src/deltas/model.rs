//! The report as a model: what it says, in order of importance, and how much of that is shown.

use serde::Serialize;

use super::cells::count::{List, RankedRows};

/// The report. A template of a project's own is filled with it; every text is Markdown already.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DeltasModel {
    /// Notes of the program that asks for the report, above it.
    pub(super) remarks: Vec<String>,
    /// The outcome in one line: what fails, and how many of each.
    pub headline: String,
    /// The same as plain text.
    pub summary: String,
    /// The environment shifts, a sentence each.
    pub(super) shifts: List,
    /// The benchmarks that fail or are inconclusive, a sentence each.
    pub(super) failing: List,
    /// The advice for unconfirmed regressions.
    pub(super) confirm: String,
    /// The number of benchmarks with a metric that cannot fail, as a summary.
    pub(super) blind_summary: String,
    /// Metrics that cannot fail, each with the reason.
    pub(super) blind: List,
    /// A row for each benchmark and metric that matters.
    pub(super) table: RankedRows,
    /// The commands that find the cause of the gravest regression and accept it, or decide what is inconclusive.
    pub(super) next: String,
    /// The number of rows that matter beyond those of the table, by verdict.
    pub(super) rest_summary: String,
    /// These rows.
    pub(super) rest: RankedRows,
    /// Names of benchmarks that are in the baseline, but not in this run.
    pub(super) missing: List,
    /// Names of benchmarks without a baseline.
    pub(super) new: List,
    /// The reasons why metrics cannot be compared, a sentence each.
    pub(super) uncompared: List,
    /// Expired and unused waivers.
    pub(super) stale_waivers: List,
    /// Everything else that a reader should know.
    pub(super) notes: List,
    /// The title of the charts, with their number if there are several.
    pub(super) charts_summary: String,
    /// A chart of the history of each metric that fails or is inconclusive, as a mermaid diagram.
    pub(super) charts: List,
    /// The title of `decided`, with the number of verdicts.
    pub(super) decided_summary: String,
    /// The explanation of each failing or inconclusive verdict.
    pub(super) decided: List,
    /// The command that explains the first of them on the reader's own machine, with a title.
    pub(super) reproduce: String,
    /// The number of metrics and benchmarks that are waived, as a summary.
    pub(super) waived_summary: String,
    /// The metrics and missing benchmarks that waivers excuse, each with the reason.
    pub(super) waived: List,
    /// The number of metrics that are too noisy for their limits or for any, as a summary.
    pub(super) noisy_summary: String,
    /// These metrics, each with what its stored values detect.
    pub(super) noisy: List,
    /// The commands that decide the first of them.
    pub(super) decide: String,
    /// Changes of a metric's level on the main branch, the largest first.
    pub(super) trend: List,
    /// The number of benchmarks that an environment shift leaves without a verdict, as a summary.
    pub(super) shifted_summary: String,
    /// The rows of these benchmarks.
    pub(super) shifted: RankedRows,
    /// The number of benchmarks within their limits, and the largest slowdown among them.
    pub(super) within_summary: String,
    /// All other rows.
    pub(super) within: RankedRows,
    /// The number of other metrics that are exactly as in the baseline, as a sentence.
    pub(super) same: String,
    /// The functions behind the regressions, where they were profiled.
    pub(super) functions: String,
    /// The commits in the last line.
    #[serde(skip)]
    pub(super) commits: Vec<String>,
    /// The last line: commits, machine, and the smallest slowdown that would have been detected.
    pub(super) footer: String,
    /// The parts that the length limit leaves out, as a sentence.
    pub(super) left_out: String,
}
