//! The outcome of a comparison, passed from `measure` to `publish`.

use std::path::{Path, PathBuf};

use perf_model::finding::Finding;
use perf_verdict::Tally;
use render_perf_deltas::{Counts, ProfiledBenchmark};
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
    /// A note for the report: why the base could not be measured, or why benchmarks are undecided.
    pub note: Option<String>,
    /// The findings about the base and the head.
    pub findings: [Vec<Finding>; 2],
    /// This job's benchmarks, if the suite is divided over a matrix.
    pub share: Option<Share>,
    /// The functions that slowed down in the worst regressions.
    pub profiled: Vec<ProfiledBenchmark>,
}

/// The result, and the report's files.
#[derive(Debug, Serialize, Deserialize)]
pub struct ActionOutcome {
    /// The counts, or `None` if the rows, the baseline or the config cannot be read.
    pub counts: Option<Counts>,
    /// The report's headline. It may contain untrusted names.
    pub summary: String,
    pub report: PathBuf,
    pub comment: PathBuf,
    pub json: Option<PathBuf>,
    /// The page's tables, if a comment shows them.
    pub page: Option<PathBuf>,
    /// This job's benchmarks, if the suite is divided over a matrix.
    pub share: Option<Share>,
    /// The error if a refresh could not be written.
    pub unrendered: Option<StepFailure>,
    /// The SHA-256 of the report's files.
    pub sealed: SealedFiles,
}

const FILE: &str = "outcome.json";

impl ActionOutcome {
    /// The numbers of benchmarks by verdict. All are 0 if nothing could be read.
    pub fn tally(&self) -> Tally {
        self.counts
            .as_ref()
            .map(|counts| counts.tally)
            .unwrap_or_default()
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
