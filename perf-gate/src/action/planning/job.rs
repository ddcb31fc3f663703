//! The job that reports, and the jobs of its matrix that report with it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use upsert_pr_comment::JobName;

use super::inputs::{ActionInputs, CommentWhen, NAME};
use crate::action::environment::variable;

/// A job of a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkflowJob {
    pub workflow: String,
    pub name: String,
    /// The values of its matrix.
    pub values: Vec<String>,
    /// The number of jobs that share the comment; 0 where it is not known.
    pub of: u32,
}

impl WorkflowJob {
    /// The job of the environment; `None` where nothing names it.
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
        // A name that comes from the matrix divides the jobs, and some may have nothing to say.
        let is_divided = inputs.name != NAME
            && values
                .iter()
                .any(|value| inputs.name.contains(value.as_str()));
        let of = if is_divided || inputs.comment != CommentWhen::Always {
            0
        } else {
            jobs
        };
        Some(Self {
            workflow,
            name,
            values,
            of,
        })
    }

    /// The name under which its report is found.
    pub fn report_name(&self) -> JobName {
        JobName::new(&self.workflow, &self.name, &self.values)
    }

    /// The name of the status: that of the suite, and the values of a matrix whose jobs would replace each other's.
    pub fn status(&self, suite: &str) -> String {
        if self.of < 2 {
            suite.to_owned()
        } else {
            format!("{suite} ({})", self.values.join(", "))
        }
    }
}

/// The texts and numbers of a value, in its order.
fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Null => {}
        Value::String(text) => found.extend((!text.is_empty()).then(|| text.clone())),
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, found)),
        Value::Bool(_) | Value::Number(_) => found.push(value.to_string()),
    }
}
