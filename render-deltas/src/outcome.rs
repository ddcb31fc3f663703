//! What a comparison came to, in each of the forms in which it is told.

use std::path::Path;

use perf_cli::{Failure, term};
use perf_report::deltas::{deltas, summary, without_baseline};
use perf_report::json::Report;
use perf_report::template;
use perf_rows::catalogue::Catalogue;
use perf_verdict::{Comparison, Policy, Tally};

/// A verdict, told in as many forms as are asked for.
pub(crate) enum Outcome<'c> {
    /// Both sides had rows.
    Compared { comparison: Comparison, catalogue: &'c Catalogue, notes: Vec<String> },
    /// There was nothing to compare with, and why.
    Skipped { policy: Policy, why: String },
}

impl Outcome<'_> {
    /// Whether a person at a terminal should be stopped: green never means that nothing was compared. That a runner
    /// is of another kind than the last one is nobody's fault, and is said loudly enough.
    pub(crate) fn failed(&self) -> bool {
        let blind = |tally: Tally| tally.compared == 0 && tally.other_machine == 0;
        self.tally().is_some_and(|tally| tally.regressed > 0 || blind(tally))
    }

    /// The lines that a workflow reads.
    pub(crate) fn lines(&self) -> String {
        let Tally { changed, compared, regressed, improved, missing, new, unmeasured, .. } =
            self.tally().unwrap_or_default();
        let regressed = regressed > 0;
        format!(
            "changed={changed}\nregressed={regressed}\ncompared={compared}\nimproved={improved}\n\
             missing={missing}\nnew={new}\nunmeasured={unmeasured}\n"
        )
    }

    /// Says it in one sentence to whoever looks on.
    pub(crate) fn tell(&self) {
        if self.tally().is_some_and(|tally| tally.compared == 0 && tally.other_machine > 0) {
            term::warn("nothing was compared, as the baseline was measured on another kind of machine");
        }
        match self {
            Self::Compared { comparison, catalogue, .. } => term::note(&summary(comparison, catalogue)),
            // A name that was mistyped looks like a project that has just begun.
            Self::Skipped { why, .. } => term::warn(why),
        }
    }

    /// The report for programs.
    pub(crate) fn json(&self) -> String {
        let report = match self {
            Self::Compared { comparison, catalogue, notes } => {
                Report::new(comparison, catalogue, notes.clone())
            }
            Self::Skipped { policy, why } => Report::skipped(*policy, Some(why.clone())),
        };
        report.to_json()
    }

    /// The report for a pull request, by the template of this name and text or by the built-in one.
    pub(crate) fn markdown(&self, custom: Option<(&Path, &str)>) -> anyhow::Result<String> {
        let deltas = match self {
            Self::Compared { comparison, catalogue, notes } => deltas(comparison, catalogue, notes),
            Self::Skipped { why, .. } => without_baseline(why),
        };
        let Some((path, text)) = custom else { return Ok(template::deltas(template::DELTAS, &deltas)?) };
        template::deltas(text, &deltas)
            .map_err(|error| Failure::new(format!("{}:{error}", term::shown(path))).into())
    }

    fn tally(&self) -> Option<Tally> {
        match self {
            Self::Compared { comparison, .. } => Some(comparison.tally()),
            Self::Skipped { .. } => None,
        }
    }
}
