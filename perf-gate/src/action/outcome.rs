//! The outcome of a comparison, passed from `measure` to `publish`.

use std::path::{Path, PathBuf};

use perf_model::finding::Finding;
use perf_verdict::Tally;
use render_perf_deltas::{Counts, FailureReason, ProfiledBenchmark};
use serde::{Deserialize, Serialize};

use super::base::MEASURED;
use super::environment::required;
use super::handover::{self, SealedFiles};
use super::log;
use super::plan::StepFailure;
use crate::run::Share;

/// The result of a measurement, except its rows, which are in files.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// A note for the report: the base could not be measured, or a suspected regression is unconfirmed.
    pub note: Option<String>,
    /// Why there is no verdict, if the time limit was too short for one.
    pub shortage: Option<String>,
    /// The findings about the base and the head.
    pub findings: [Vec<Finding>; 2],
    /// This job's benchmarks, if the suite is divided over a matrix.
    pub share: Option<Share>,
    /// The functions that slowed down in the worst regressions.
    pub profiled: Vec<ProfiledBenchmark>,
}

/// A comparison's overall verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GateVerdict {
    Passed,
    /// A benchmark regressed, even if `fail-on` does not contain that.
    Regressed,
    /// Another verdict in `fail-on` occurred.
    Failed,
    /// A baseline exists, but no benchmark could be compared with it.
    NothingCompared,
    /// The rows, the baseline or the config cannot be read.
    Broken,
}

/// The verdict, the counts, and the report's files.
#[derive(Debug, Serialize, Deserialize)]
pub struct ActionOutcome {
    pub verdict: GateVerdict,
    /// The counts, or `None` if the comparison failed.
    counts: Option<Counts>,
    pub has_baseline: bool,
    pub report: PathBuf,
    pub comment: PathBuf,
    pub json: Option<PathBuf>,
    /// The page's tables, if a comment shows them.
    pub page: Option<PathBuf>,
    /// The pushed commits that may have caused a regression, as `GOOD..BAD`.
    pub range: Option<String>,
    /// True if the action measures, and makes confirmation runs itself.
    pub repeats_itself: bool,
    /// Why there is no verdict, if the time limit was too short for one.
    pub shortage: Option<String>,
    /// This job's benchmarks, if the suite is divided over a matrix.
    pub share: Option<Share>,
    /// The error if a refresh could not be written.
    pub unrendered: Option<StepFailure>,
    /// The SHA-256 of the report's files.
    sealed: SealedFiles,
}

const FILE: &str = "outcome.json";

impl ActionOutcome {
    /// Creates the outcome of a comparison. `counts` is `None` if it failed.
    pub fn new(counts: Option<Counts>, folder: &Path, has_baseline: bool) -> Self {
        Self {
            verdict: counts.as_ref().map_or(GateVerdict::Broken, gate_verdict),
            json: counts.as_ref().map(|_| folder.join("report.json")),
            counts,
            has_baseline,
            report: folder.join("report.md"),
            comment: folder.join("comment.md"),
            page: None,
            range: None,
            repeats_itself: false,
            shortage: None,
            share: None,
            unrendered: None,
            sealed: SealedFiles::default(),
        }
    }

    /// The numbers of benchmarks by verdict. All are 0 if the comparison failed.
    pub fn tally(&self) -> Tally {
        self.counts
            .as_ref()
            .map(|counts| counts.tally)
            .unwrap_or_default()
    }

    /// The number of confirmation runs needed to decide the suspected regressions.
    pub fn confirmations(&self) -> usize {
        self.counts
            .as_ref()
            .map_or(0, |counts| counts.confirmations)
    }

    /// The reasons why the gate fails, most severe first.
    pub fn failed(&self) -> &[FailureReason] {
        self.counts.as_ref().map_or(&[], |counts| &counts.failed)
    }

    /// Writes the outcome for the next step, and the action's outputs.
    pub fn write(&mut self, folder: &Path) -> anyhow::Result<()> {
        let files = [&self.report, &self.comment].into_iter();
        for file in files.chain(&self.json).chain(&self.page) {
            self.sealed.seal(file);
        }
        self.sealed.seal(&folder.join(MEASURED));
        let hash = handover::write(&folder.join(FILE), self)?;
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

    /// Reads the outcome of the step `measure`.
    pub fn read(folder: &Path) -> anyhow::Result<Self> {
        let outcome: Self = handover::read(&folder.join(FILE), &required("PERF_OUTCOME")?)?;
        outcome.sealed.check()?;
        Ok(outcome)
    }
}

/// The overall verdict. A regression takes precedence over other failures, because `comment: regressed` depends on it.
fn gate_verdict(counts: &Counts) -> GateVerdict {
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
    fn regression_outranks_other_failures() {
        let missing = FailureReason::Verdict(FailOn::Missing);
        let verdict = |regressed, failed: &[FailureReason]| {
            let tally = Tally {
                regressed,
                ..Tally::default()
            };
            gate_verdict(&Counts {
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
