//! Workflows as files and pages have them. A key that is not known here fails the test.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

/// A workflow.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workflow {
    /// What it is called.
    pub name: String,
    /// What starts it.
    pub on: Value,
    /// What the token of its jobs may, unless a job has its own.
    #[serde(default)]
    pub permissions: BTreeMap<String, String>,
    /// Which other runs it waits for, or ends.
    #[serde(default)]
    pub concurrency: Value,
    /// Its jobs by their ids.
    pub jobs: BTreeMap<String, Job>,
}

/// A job.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Job {
    /// For people.
    pub name: Option<String>,
    /// Whether it runs.
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// The job that comes before it.
    pub needs: Option<String>,
    /// What the token may.
    pub permissions: Option<BTreeMap<String, String>>,
    /// On which system.
    pub runs_on: String,
    /// When it is ended.
    pub timeout_minutes: Option<u32>,
    /// What protects it.
    #[serde(default)]
    pub environment: Value,
    /// The outputs for jobs that need it.
    #[serde(default)]
    pub outputs: BTreeMap<String, String>,
    /// Its variants.
    #[serde(default)]
    pub strategy: Strategy,
    /// One after the other.
    pub steps: Vec<Step>,
}

/// The variants of a job.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Strategy {
    /// Whether one that fails ends the others.
    pub fail_fast: Option<bool>,
    /// The values of each name.
    #[serde(default)]
    pub matrix: BTreeMap<String, Vec<Value>>,
}

/// A step.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Step {
    /// For people.
    pub name: Option<String>,
    /// For expressions.
    pub id: Option<String>,
    /// Whether it runs.
    #[serde(rename = "if")]
    pub condition: Option<String>,
    /// An action.
    pub uses: Option<String>,
    /// Its inputs.
    #[serde(default)]
    pub with: BTreeMap<String, Value>,
    /// A script.
    pub run: Option<String>,
    /// What runs the script.
    pub shell: Option<String>,
    /// Where it runs.
    pub working_directory: Option<String>,
    /// Variables.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

impl Workflow {
    /// A workflow, or the steps of a job alone, which run after a checkout and the benchmark.
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

    /// The jobs after those that they need.
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
    /// Every combination of the values of the matrix; a single empty one without a matrix.
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

/// The blocks of a page in a language, with the numbers of their first lines.
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
