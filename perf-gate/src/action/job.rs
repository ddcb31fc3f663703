//! The current workflow job and its matrix.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::environment::variable;
use super::inputs::{ActionInputs, CommentWhen, NAME};

/// A job of a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkflowJob {
    pub workflow: String,
    pub name: String,
    /// The job's matrix values.
    pub values: Vec<String>,
    /// The number of matrix jobs that share one comment, or 0 if unknown.
    pub sharing: u32,
}

impl WorkflowJob {
    /// Reads the job from the environment, or returns `None` if no variable identifies it.
    pub fn from_env(inputs: &ActionInputs) -> Option<Self> {
        let matrix = variable("PERF_MATRIX").and_then(|text| serde_json::from_str(&text).ok());
        let mut values = Vec::new();
        collect(&matrix.unwrap_or_default(), &mut values);
        let [workflow, name] =
            ["GITHUB_WORKFLOW", "GITHUB_JOB"].map(|name| variable(name).unwrap_or_default());
        if workflow.is_empty() && name.is_empty() && values.is_empty() {
            return None;
        }
        let jobs = variable("PERF_JOBS")
            .and_then(|text| text.parse().ok())
            .unwrap_or_default();
        // If the suite name contains a matrix value, each job has its own comment. Unless `comment` is `always`, some jobs may
        // not report.
        let is_divided = inputs.name != NAME
            && values
                .iter()
                .any(|value| inputs.name.contains(value.as_str()));
        let sharing = if is_divided || inputs.comment != CommentWhen::Always {
            0
        } else {
            jobs
        };
        Some(Self {
            workflow,
            name,
            values,
            sharing,
        })
    }

    /// The job's status name: the suite, with the matrix values if other jobs report on the same suite.
    pub fn status(&self, suite: &str) -> String {
        if self.sharing < 2 {
            suite.to_owned()
        } else {
            format!("{suite} ({})", self.values.join(", "))
        }
    }
}

/// Collects the strings, numbers and booleans within a JSON value, in order.
fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Null => {}
        Value::String(text) => found.extend((!text.is_empty()).then(|| text.clone())),
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, found)),
        Value::Bool(_) | Value::Number(_) => found.push(value.to_string()),
    }
}
