//! Workflows from files and pages. An unknown key fails the test.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

/// A workflow.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workflow {
    /// Its name.
    pub name: String,
    /// Its triggers.
    pub on: Value,
    /// The default permissions of the jobs' tokens.
    #[serde(default)]
    pub permissions: BTreeMap<String, String>,
    /// The concurrency group.
    #[serde(default)]
    pub concurrency: Value,
    /// Its jobs by ID.
    pub jobs: BTreeMap<String, Job>,
}

/// A job.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Job {
    /// The name for people.
    pub name: Option<String>,
    /// The condition.
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// The job that it needs.
    pub needs: Option<String>,
    /// The token's permissions.
    pub permissions: Option<BTreeMap<String, String>>,
    /// The runner's label.
    pub runs_on: String,
    /// The time limit.
    pub timeout_minutes: Option<u32>,
    /// The deployment environment.
    #[serde(default)]
    pub environment: Value,
    /// The outputs for jobs that need it.
    #[serde(default)]
    pub outputs: BTreeMap<String, String>,
    /// The matrix.
    #[serde(default)]
    pub strategy: Strategy,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// The strategy of a job with a matrix.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Strategy {
    /// Whether a failure cancels the other jobs.
    pub fail_fast: Option<bool>,
    /// Each matrix variable's values.
    #[serde(default)]
    pub matrix: BTreeMap<String, Vec<Value>>,
}

/// A step.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Step {
    /// The name for people.
    pub name: Option<String>,
    /// The ID for expressions.
    pub id: Option<String>,
    /// The condition.
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// The action.
    pub uses: Option<String>,
    /// Its inputs.
    #[serde(default)]
    pub with: BTreeMap<String, Value>,
    /// The script.
    pub run: Option<String>,
    /// The shell of the script.
    pub shell: Option<String>,
    /// The working directory.
    pub working_directory: Option<String>,
    /// Environment variables.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

impl Workflow {
    /// Parses a workflow, or only a job's steps, which then run after a checkout and the benchmark.
    pub fn parse(text: &str) -> Self {
        if !text.starts_with("- ") {
            return parsed(text);
        }
        let steps: Vec<Step> = parsed(text);
        let mut workflow: Self = parsed(
            "name: steps\non: pull_request\npermissions: {contents: read, pull-requests: write}\njobs:\n  \
             job:\n    runs-on: ubuntu-24.04\n    steps:\n      - uses: actions/checkout@v5\n      - run: ./bench.sh >bench.log\n",
        );
        workflow
            .jobs
            .get_mut("job")
            .expect("a job")
            .steps
            .extend(steps);
        workflow
    }

    /// The jobs, each after the one that it needs.
    pub fn in_order(&self) -> Vec<(&String, &Job)> {
        let mut ordered: Vec<(&String, &Job)> = Vec::new();
        while ordered.len() < self.jobs.len() {
            let is_there = |id: &String| ordered.iter().any(|(known, _)| *known == id);
            let due = |(id, job): &(&String, &Job)| {
                !is_there(id) && job.needs.as_ref().is_none_or(is_there)
            };
            let next = self.jobs.iter().find(due).expect("no job needs itself");
            ordered.push(next);
        }
        ordered
    }
}

fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> T {
    yaml_serde::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

impl Job {
    /// Every combination of matrix values, or a single empty one if there is no matrix.
    pub fn variants(&self) -> Vec<Value> {
        let mut variants = vec![Value::Object(serde_json::Map::new())];
        for (name, values) in &self.strategy.matrix {
            let with = |variant: &Value| {
                let fill = |value: &Value| {
                    let mut variant = variant.clone();
                    variant[name] = value.clone();
                    variant
                };
                values.iter().map(fill).collect::<Vec<_>>()
            };
            variants = variants.iter().flat_map(with).collect();
        }
        variants
    }
}

/// The code blocks in a language on a page, with the numbers of their first lines.
pub fn blocks(page: &Path, language: &str) -> Vec<(usize, String)> {
    let text = fs::read_to_string(page).expect("a page");
    let (mut found, mut inside) = (Vec::new(), None);
    for (number, line) in text.lines().enumerate() {
        match &mut inside {
            None if line.strip_prefix("```") == Some(language) => {
                inside = Some((number + 2, String::new()));
            }
            Some(_) if line == "```" => found.extend(inside.take()),
            Some((_, block)) => block.extend([line, "\n"]),
            None => {}
        }
    }
    found
}
