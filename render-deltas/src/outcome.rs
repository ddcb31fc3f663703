//! What a comparison came to, in each of the forms in which it is told.

use std::path::Path;

use perf_cli::{Failure, term};
use perf_report::deltas::{Deltas, deltas, without_baseline};
use perf_report::json::Report;
use perf_report::template;
use perf_rows::catalogue::Catalogue;
use perf_verdict::{Comparison, Policy};

/// A verdict, ready to be told.
pub(crate) struct Outcome {
    /// For programs.
    pub(crate) report: Report,
    deltas: Deltas,
}

impl Outcome {
    pub(crate) fn compared(comparison: &Comparison, catalogue: &Catalogue, notes: Vec<String>) -> Self {
        Self {
            deltas: deltas(comparison, catalogue, &notes),
            report: Report::new(comparison, catalogue, notes),
        }
    }

    pub(crate) fn skipped(policy: Policy, why: String) -> Self {
        Self { deltas: without_baseline(&why), report: Report::skipped(policy, Some(why)) }
    }

    /// Whether a person at a terminal should be stopped: green never means that nothing was compared.
    pub(crate) fn failed(&self) -> bool {
        self.report.regressed || (self.report.skipped.is_none() && self.report.compared == 0)
    }

    /// The lines that a workflow reads.
    pub(crate) fn lines(&self) -> String {
        let Report { changed, regressed, compared, improved, missing, new, .. } = &self.report;
        format!(
            "changed={changed}\nregressed={regressed}\ncompared={compared}\nimproved={improved}\nmissing={missing}\nnew={new}\n"
        )
    }

    /// The sentence for a person in a hurry.
    pub(crate) fn summary(&self) -> &str {
        &self.deltas.summary
    }

    /// The report for a pull request, by the template of this name and text or by the built-in one.
    pub(crate) fn markdown(&self, custom: Option<(&Path, &str)>) -> anyhow::Result<String> {
        let Some((path, text)) = custom else { return Ok(template::deltas(template::DELTAS, &self.deltas)?) };
        template::deltas(text, &self.deltas)
            .map_err(|error| Failure::new(format!("{}:{error}", term::shown(path))).into())
    }
}
