//! The workflow job of a report.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A job's workflow, its name and its matrix values. It is displayed without the workflow.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JobName {
    /// The workflow's name.
    pub workflow: String,
    /// The name of the job, which all jobs in a matrix share.
    pub job: String,
    /// The matrix values. Empty for the whole matrix.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

impl JobName {
    /// The matrix that contains the job.
    pub(crate) fn matrix(&self) -> Self {
        Self {
            values: Vec::new(),
            ..self.clone()
        }
    }
}

impl fmt::Display for JobName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.job)?;
        if self.values.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", self.values.join(", "))
    }
}

impl FromStr for JobName {
    type Err = &'static str;

    /// Parses `WORKFLOW/JOB (VALUE, VALUE)`.
    fn from_str(text: &str) -> Result<Self, &'static str> {
        let (workflow, job) = text.split_once('/').unwrap_or_default();
        let (job, values) = job.split_once('(').unwrap_or((job, ""));
        let job = job.trim_end();
        if workflow.is_empty() || job.is_empty() || job.ends_with(')') {
            return Err("write the workflow and the job, such as `ci/perf`");
        }
        let values = values.trim_end_matches(')').split(", ");
        let values = values.filter(|value| !value.is_empty());
        Ok(Self {
            workflow: workflow.to_owned(),
            job: job.to_owned(),
            values: values.map(str::to_owned).collect(),
        })
    }
}

/// A job in a matrix, or a matrix whose jobs have all ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JobStamp {
    /// The number of jobs in its matrix, or 0 if unknown.
    pub(crate) of: u32,
    /// Whether all of the matrix's jobs have ended, with or without a report.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) ended: bool,
    /// The measured part of the suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shard: Option<ShardStamp>,
    pub(crate) name: JobName,
}

/// A job's shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardStamp {
    /// The number, from 1.
    pub number: u32,
    /// The number of shards.
    pub of: u32,
    /// The fingerprint of the suite's division.
    pub division: String,
}
