//! The outcome of a comparison, passed from `measure` to `publish`.

use std::path::Path;

use perf_cli::actions::write_output;
use perf_cli::term;
use perf_verdict::Tally;
use render_perf_deltas::{CompareRequest, Counts, ProfiledBenchmark};
use serde::{Deserialize, Serialize};
use upsert_pr_comment::ShardStamp;

use super::base::MEASURED;
use super::environment::required;
use super::handover::{self, SealedFiles};
use crate::run::{Part, Share};

/// The result of a measurement.
#[derive(Default)]
pub struct Measured {
    /// The comparison of the measured rows.
    pub request: CompareRequest,
    /// Notes for the report: the measured part of the suite, and why the base could not be measured or benchmarks are
    /// undecided.
    pub notes: Vec<String>,
    /// This job's shard, if the suite is divided over a matrix.
    pub shard: Option<ShardStamp>,
    /// The functions that slowed down in the worst regressions.
    pub profiled: Vec<ProfiledBenchmark>,
}

impl Measured {
    /// Says which part of the suite is measured, and leaves the rest out of the comparison.
    pub fn set_share(&mut self, part: &Part, share: Share) {
        let sentence = share.sentence();
        term::note(&sentence);
        self.notes.push(format!("This run covers {sentence}."));
        self.shard = part.shard.map(|shard| ShardStamp {
            number: shard.number,
            of: shard.of,
            division: share.division,
        });
        self.request.other_shards = share.others;
    }
}

/// The outcome. The report itself is in separate files.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ActionOutcome {
    /// The counts, or `None` if the rows, the baseline or the config cannot be read.
    pub counts: Option<Counts>,
    /// The report's headline. It may contain untrusted names.
    pub summary: String,
    /// True if the page's tables were written for their own comment.
    pub has_page: bool,
    /// This job's shard, if the suite is divided over a matrix.
    pub shard: Option<ShardStamp>,
    /// True if the baseline and the page were written for a refresh.
    pub is_rendered: bool,
    /// The SHA-256 of the report's files.
    pub sealed: SealedFiles,
}

const FILE: &str = "outcome.json";

/// The report for the job summary, for the comment, and as JSON, and the page's tables for a separate comment.
pub const REPORT: &str = "report.md";
pub const COMMENT: &str = "comment.md";
pub const JSON: &str = "report.json";
pub const PAGE: &str = "page.md";

impl ActionOutcome {
    /// The numbers of benchmarks by verdict. All are 0 if nothing could be read.
    pub fn tally(&self) -> Tally {
        self.counts
            .as_ref()
            .map(|counts| counts.tally)
            .unwrap_or_default()
    }

    /// Writes the outcome for the next step, and the action's outputs.
    pub fn write(&mut self, folder: &Path, outputs: &Path) -> anyhow::Result<()> {
        for name in [REPORT, COMMENT, JSON, PAGE, MEASURED] {
            self.sealed.seal(&folder.join(name));
        }
        let hash = handover::write(&folder.join(FILE), self)?;
        write_output(outputs, "outcome", &hash)?;
        write_output(outputs, "report", &folder.join(REPORT).to_string_lossy())?;
        if let Some(counts) = &self.counts {
            for (key, value) in counts.lines() {
                write_output(outputs, key, &value)?;
            }
            let json = folder.join(JSON);
            write_output(outputs, "report-json", &json.to_string_lossy())?;
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
