//! A comparison's report for pull requests, terminals and logs.
//!
//! [`Report::new`] collects headline, rows and sections as data. The modules `markdown` and `terminal` render this data. A
//! *prominent* row is one that may need a reviewer's attention.

mod chart;
mod commands;
mod context;
mod failures;
mod findings;
mod headline;
mod markdown;
mod provenance;
mod remarks;
mod rows;
mod sections;
mod state;
mod terminal;

use std::sync::Arc;

use perf_config::Config;
use perf_verdict::{Comparison, MetricComparison};

pub use self::context::{FailureReason, Links, ReportDetails, Reproduction};
pub use self::failures::failures;
pub use self::findings::{FindingGroup, grouped_findings};
pub use self::provenance::MeasuredCommits;
pub use self::remarks::{ProfiledBenchmark, Remarks};
pub use self::terminal::TerminalOptions;

use self::context::ReportContext;
use self::rows::{Figures, Rows};
use self::sections::Section;
use crate::markdown::table::Table;
use crate::number::{counted, whole};
use crate::reasons;
use crate::subject::Subject;

/// A report as data. Texts are plain, with names quoted by backticks, unless a field's comment says that it is Markdown.
#[derive(Default)]
pub struct Report {
    /// Notes above the headline, as Markdown.
    remarks: Vec<String>,
    /// The sign before the headline: ✅, ⚠️ or ❌.
    pub icon: &'static str,
    /// The result in one line.
    pub headline: String,
    /// The commits, the run and the machine, as Markdown.
    provenance: Vec<String>,
    /// The first commits in the head's and the baseline's rows.
    commits: Vec<String>,
    rows: Rows,
    /// The results of a run without a baseline.
    measured: Table,
    /// The sentence below the table on accepting regressions and missing benchmarks, as Markdown; may be empty.
    accept: String,
    sections: Vec<Section>,
    /// The functions that caused regressions, as Markdown.
    functions: String,
    self_comparison: Option<String>,
    /// The limits that were applied.
    limits: Option<String>,
    /// The last line, as Markdown.
    footer: String,
    /// The place where readers find the omitted rows, as Markdown.
    rest: Option<Arc<str>>,
}

impl Report {
    /// Creates a comparison's report.
    pub fn new(comparison: &Comparison, config: &Config, details: &ReportDetails) -> Self {
        let context = ReportContext::new(comparison, config, details);
        let (icon, headline) = headline::headline(&context);
        let rows = Rows::new(&context);
        let mut provenance: Vec<String> = provenance::commits(&context).into_iter().collect();
        provenance.extend(provenance::run_and_machine(&context));
        let first_commits = [
            comparison.current_commits.first(),
            comparison.baseline_commits.first(),
        ];
        Self {
            icon,
            headline,
            provenance,
            commits: first_commits.into_iter().flatten().cloned().collect(),
            accept: commands::accept(&context, rows.prominent.first().map(|row| row.state)),
            sections: sections::sections(&context),
            self_comparison: reasons::self_comparison(comparison),
            limits: provenance::limits(&context),
            footer: provenance::footer(&context, &rows),
            rows,
            ..Self::default()
        }
    }

    /// Returns the headline as a sentence without backticks.
    pub fn summary(&self) -> String {
        capital(&self.headline.replace('`', ""))
    }
}

/// Returns the cells of a metric's row: the reference number, the current number, and the change.
pub fn figures(compared: &MetricComparison, config: &Config) -> [String; 3] {
    let figures = Figures::of(&Subject::new(compared, config));
    [figures.base, figures.head, figures.change]
}

/// Capitalises the first letter.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

impl Rows {
    /// Formats the title of the rows within limits: `10 within limits · 3 metrics not gated`.
    fn within_title(&self) -> String {
        let mut parts = Vec::new();
        if self.benchmarks_within > 0 {
            parts.push(format!("{} within limits", whole(self.benchmarks_within)));
        }
        if self.not_gated > 0 {
            parts.push(format!("{} not gated", counted(self.not_gated, "metric")));
        }
        if parts.is_empty() {
            parts.push("Other metrics".to_owned());
        }
        parts.join(" · ")
    }

    /// Formats the title of the shifted rows: `3 inconclusive due to the environment shift`.
    fn shifted_title(&self) -> String {
        let mut names: Vec<String> = self.shifted.iter().map(|row| row.name.plain()).collect();
        names.sort();
        names.dedup();
        format!(
            "{} inconclusive due to the environment shift",
            whole(names.len())
        )
    }

    /// Formats the sentence about omitted metrics: `Not listed: 15 metrics, equal to the baseline or derived from
    /// another metric.`
    fn without_row_sentence(&self) -> String {
        if self.without_row == 0 {
            return String::new();
        }
        let metrics = counted(self.without_row, "metric");
        format!("Not listed: {metrics}, equal to the baseline or derived from another metric.")
    }
}
