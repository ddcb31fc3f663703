//! The workflow job of a report.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A job's name: the workflow's name, a slash, and the job's name with its matrix values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JobName(String);

impl JobName {
    /// The maximum length of each of its parts in characters.
    const LONGEST: usize = 80;

    /// Builds the name `WORKFLOW/JOB (VALUE, VALUE)`. Shortens long parts and replaces slashes in the workflow's name. It then adds a
    /// hash, so that different names stay different.
    pub fn new(workflow: &str, job: &str, values: &[String]) -> Self {
        let parts = [workflow.to_owned(), job.to_owned(), values.join(", ")];
        let [workflow, job, values] = parts.each_ref().map(|part| {
            let short: String = part.chars().take(Self::LONGEST).collect();
            short
        });
        let workflow = workflow.replace('/', "-");
        let mut name = format!("{workflow}/{job}");
        if !values.is_empty() {
            name = format!("{name} ({values})");
        }
        if [workflow, job, values] != parts {
            let mut hasher = DefaultHasher::new();
            parts.hash(&mut hasher);
            name = format!("{name} {:06x}", hasher.finish() & 0xff_ffff);
        }
        Self(name)
    }

    /// The common name for all jobs in a matrix, without their values.
    pub fn of_matrix(workflow: &str, job: &str) -> Self {
        // With a value, the hash in a long name is after the parenthesis.
        let name = Self::new(workflow, job, &["1".to_owned()]);
        Self(name.group().to_owned())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Its matrix values, without the last one that is in `these`.
    pub(crate) fn values_without(&self, these: &[String]) -> String {
        let values = self.0[self.group().len()..].trim_matches([' ', '(', ')']);
        let mut values: Vec<&str> = values.split(", ").collect();
        if let Some(at) = values
            .iter()
            .rposition(|value| these.iter().any(|this| this == value))
        {
            values.remove(at);
        }
        values.join(", ")
    }

    /// The job without its matrix values.
    pub(crate) fn group(&self) -> &str {
        let from = self.0.find('/').unwrap_or_default();
        let values = self.0[from..].find('(');
        values.map_or(&*self.0, |at| self.0[..from + at].trim_end())
    }
}

impl FromStr for JobName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        if text.trim().is_empty() || text.chars().count() > 4 * Self::LONGEST {
            return Err("1 to 320 characters");
        }
        Ok(Self(text.to_owned()))
    }
}

/// A job in a matrix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JobStamp {
    /// The number of jobs in its matrix, or 0 if unknown.
    pub(crate) of: u32,
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
