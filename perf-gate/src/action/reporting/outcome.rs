//! The outcome of a comparison, for the steps that report it and decide.

use std::path::{Path, PathBuf};

use perf_model::finding::Finding;
use perf_verdict::Tally;
use render_perf_deltas::{Counts, FailureReason, ProfiledBenchmark};
use serde::{Deserialize, Serialize};

use super::source::SourceLine;
use crate::action::handover::{self, SealedFiles};
use crate::action::{log, planning::baseline::MEASURED};
use crate::run::Share;

/// The result of measuring, next to the rows in their files.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// A sentence for the report: the base was to be measured and was not, or a busy machine left a slowdown unconfirmed.
    pub note: Option<String>,
    /// The reason there is no verdict, if the time limit was too short for one.
    pub shortage: Option<String>,
    /// The findings about the base and the head.
    pub findings: [Vec<Finding>; 2],
    /// The benchmarks of this job, if the suite is divided over a matrix.
    pub share: Option<Share>,
    /// The functions behind the worst regressions.
    pub profiled: Vec<ProfiledBenchmark>,
}

/// The verdict of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GateVerdict {
    Passed,
    /// Something regressed, whether that fails or not.
    Regressed,
    /// Another verdict of `fail-on` occurred.
    Failed,
    /// There is a baseline, and nothing could be compared with it.
    NothingCompared,
    /// Rows, baseline or configuration cannot be read.
    Broken,
}

/// The verdict, what it was counted from, and where the report is.
#[derive(Debug, Serialize, Deserialize)]
pub struct ActionOutcome {
    pub verdict: GateVerdict,
    /// The counts; `None` where nothing could be read.
    counts: Option<Counts>,
    pub has_baseline: bool,
    pub report: PathBuf,
    pub comment: PathBuf,
    pub json: Option<PathBuf>,
    /// The tables of the page, where a comment shows them.
    pub page: Option<PathBuf>,
    /// The definitions of what regressed, where a check run shows them.
    pub lines: Vec<SourceLine>,
    /// The commits of a push that regressed, as `GOOD..BAD`.
    pub range: Option<String>,
    /// True if the action measured, and again what was unconfirmed.
    pub repeats_itself: bool,
    /// The reason there is no verdict, if the time limit was too short for one.
    pub shortage: Option<String>,
    /// The benchmarks of this job, if the suite is divided over a matrix.
    pub share: Option<Share>,
    /// The SHA-256 of the report's files.
    sealed: SealedFiles,
}

const FILE: &str = "outcome.json";

impl ActionOutcome {
    /// The outcome by the numbers of a comparison, or by its failure.
    pub fn new(counts: Option<Counts>, folder: &Path, has_baseline: bool) -> Self {
        Self {
            verdict: counts.as_ref().map_or(GateVerdict::Broken, judged),
            json: counts.as_ref().map(|_| folder.join("report.json")),
            counts,
            has_baseline,
            report: folder.join("report.md"),
            comment: folder.join("comment.md"),
            page: None,
            lines: Vec::new(),
            range: None,
            repeats_itself: false,
            shortage: None,
            share: None,
            sealed: SealedFiles::default(),
        }
    }

    /// The numbers of the comparison; zeros where nothing could be read.
    pub fn tally(&self) -> Tally {
        self.counts
            .as_ref()
            .map(|counts| counts.tally)
            .unwrap_or_default()
    }

    /// The number of confirmation runs that would settle what is unconfirmed.
    pub fn confirmations(&self) -> usize {
        self.counts
            .as_ref()
            .map_or(0, |counts| counts.confirmations)
    }

    /// The reasons for which the gate fails, the gravest first.
    pub fn failed(&self) -> &[FailureReason] {
        self.counts.as_ref().map_or(&[], |counts| &counts.failed)
    }

    /// Leaves it for the next step, and the outputs for everybody.
    pub fn write(&mut self, folder: &Path) -> anyhow::Result<()> {
        let files = [&self.report, &self.comment].into_iter();
        for file in files.chain(&self.json).chain(&self.page) {
            self.sealed.seal(file);
        }
        self.sealed.seal(&folder.join(MEASURED));
        let hash = handover::leave(&folder.join(FILE), self)?;
        log::output("outcome", &hash)?;
        for (key, value) in self.counts.iter().flat_map(Counts::lines) {
            log::output(key, &value)?;
        }
        log::output("range", self.range.as_deref().unwrap_or_default())?;
        log::output("report", &self.report.to_string_lossy())?;
        if let Some(path) = &self.json {
            log::output("report-json", &path.to_string_lossy())?;
        }
        Ok(())
    }

    /// Reads the outcome that the step `measure` left.
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        let outcome: Self = handover::read(&folder.join(FILE), "PERF_OUTCOME")?;
        outcome.sealed.check()?;
        Ok(outcome)
    }
}

/// A regression comes first: whatever else fails, `comment: regressed` wants to hear of it.
fn judged(counts: &Counts) -> GateVerdict {
    match counts.failed.first() {
        _ if counts.tally.regressed > 0 => GateVerdict::Regressed,
        None => GateVerdict::Passed,
        Some(FailureReason::NothingCompared) => GateVerdict::NothingCompared,
        Some(_) => GateVerdict::Failed,
    }
}

#[cfg(test)]
mod tests {
    use perf_config::FailOn;

    use super::*;

    #[test]
    fn a_regression_outranks_what_else_fails() {
        let missing = FailureReason::Verdict(FailOn::Missing);
        let verdict = |regressed, failed: &[FailureReason]| {
            let tally = Tally {
                regressed,
                ..Tally::default()
            };
            judged(&Counts {
                tally,
                confirmations: 0,
                failed: failed.to_vec(),
            })
        };
        assert_eq!(verdict(1, &[missing]), GateVerdict::Regressed);
        assert_eq!(verdict(1, &[]), GateVerdict::Regressed);
        assert_eq!(
            verdict(0, &[FailureReason::NothingCompared, missing]),
            GateVerdict::NothingCompared
        );
        assert_eq!(verdict(0, &[missing]), GateVerdict::Failed);
        assert_eq!(verdict(0, &[]), GateVerdict::Passed);
        assert_eq!(
            ActionOutcome::new(None, Path::new("f"), true).verdict,
            GateVerdict::Broken
        );
    }
}
