//! Reads the action's inputs and combines them with the config. The config is the base commit's, because a pull request
//! must not choose its own baseline.

use std::num::NonZeroU32;
use std::path::{Component, Path, PathBuf};

use clap::ValueEnum;
use perf_cli::Failure;
use perf_config::{Config, FailOn};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use upsert_pr_comment::{CommentKey, JobName};

use super::environment::variable;
use super::place::is_absolute;
use crate::run::{BASELINE, Part, Shard};

/// The action's inputs.
#[derive(Debug, Serialize, Deserialize)]
pub struct ActionInputs {
    /// The command that runs the benchmark, split into words. Empty if the workflow runs it.
    pub run: Vec<String>,
    pub build: Option<String>,
    /// Paths and patterns of result files.
    pub results: Vec<String>,
    /// The suite's name, which identifies its comment and status.
    pub name: CommentKey,
    pub baseline: Option<String>,
    /// The verdicts that fail the job.
    pub fail_on: Option<Vec<FailOn>>,
    pub comment: CommentWhen,
    pub pull_request: Option<u64>,
    pub config: Option<PathBuf>,
    /// The platform of rows that don't state one.
    pub platform: Option<String>,
    /// The benchmarks that this job measures.
    pub part: Part,
    /// The unchecked input `working-directory`.
    pub directory: String,
}

/// When to comment on the pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
pub enum CommentWhen {
    Always,
    Changed,
    Regressed,
    Never,
}

/// An input, read from its environment variable, such as `PERF_FAIL_ON` for `fail-on`. `None` if it is empty.
fn given(input: &str) -> Option<String> {
    let name = input.to_uppercase().replace('-', "_");
    variable(&format!("PERF_{name}"))
}

impl ActionInputs {
    /// Reads the inputs from the environment.
    pub fn from_env() -> Result<Self, Failure> {
        let lines = given("results").unwrap_or_default();
        let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
        let [name, comment] = ["name", "comment"].map(|input| given(input).unwrap_or_default());
        let inputs = Self {
            run: words("run", &given("run").unwrap_or_default())?,
            build: given("build"),
            results: lines.map(str::to_owned).collect(),
            name: name.parse().map_err(|_| {
                let hint = "up to 64 letters, digits, dots, dashes and underscores";
                invalid("name", &name, hint)
            })?,
            baseline: given("baseline"),
            fail_on: given("fail-on").map(|value| fail_on(&value)).transpose()?,
            comment: CommentWhen::from_str(&comment, false).map_err(|_| {
                let hint = "it can be one of: always, changed, regressed, never";
                invalid("comment", &comment, hint)
            })?,
            pull_request: given("pull-request")
                .map(|value| number(&value))
                .transpose()?,
            config: given("config").map(PathBuf::from),
            platform: given("platform"),
            part: Part {
                shard: given("shard").map(|value| shard(&value)).transpose()?,
                only: given("only").map(|text| format!("*{text}*")),
            },
            directory: given("working-directory").unwrap_or_default(),
        };
        if inputs.run.is_empty() && !inputs.results.is_empty() {
            for (input, is_set) in [
                ("shard", inputs.part.shard.is_some()),
                ("only", inputs.part.only.is_some()),
                ("build", inputs.build.is_some()),
                (
                    "baseline: pairs",
                    inputs.baseline.as_deref() == Some("pairs"),
                ),
            ] {
                if is_set {
                    let message = format!("`{input}` has no effect without `run`");
                    return Err(Failure::new(message).hint(
                        "without `run`, the action only compares `results`; for shards, see docs/how-to/large-suites.md",
                    ));
                }
            }
        }
        Ok(inputs)
    }
}

/// Shell operators. Without a shell, the program would get them as arguments.
const OPERATORS: [&str; 8] = ["|", "||", "&", "&&", ";", ">", ">>", "<"];

/// Splits a command into words. Rejects shell operators, because no shell runs it.
fn words(input: &str, value: &str) -> Result<Vec<String>, Failure> {
    let invalid = |hint| invalid(input, value.trim(), hint);
    let words = shell_words::split(value).map_err(|_| invalid("a quote is not closed"))?;
    if words.iter().any(|word| OPERATORS.contains(&word.as_str())) {
        return Err(invalid(
            "it is run without a shell; to use one, write `bash -c '…'`",
        ));
    }
    Ok(words)
}

fn invalid(input: &str, value: &str, hint: &str) -> Failure {
    Failure::new(format!("invalid `{input}`: `{value}`")).hint(hint)
}

fn fail_on(value: &str) -> Result<Vec<FailOn>, Failure> {
    FailOn::parse_list(value).map_err(|error| {
        let (message, hint) = error.split_once("\nhint: ").unwrap_or((&error, ""));
        Failure::new(format!("invalid `fail-on`: {message}")).hint(hint)
    })
}

fn number(value: &str) -> Result<u64, Failure> {
    let number: NonZeroU32 = value
        .parse()
        .map_err(|_| invalid("pull-request", value, "it must be a pull request number"))?;
    Ok(number.get().into())
}

/// The number of jobs in the matrix (`strategy.job-total`).
fn matrix_jobs() -> Option<u32> {
    given("jobs")?.parse().ok()
}

/// Parses a shard such as `2/8`, and checks that the matrix measures each shard equally often.
fn shard(value: &str) -> Result<Shard, Failure> {
    let shard: Shard = value
        .parse()
        .map_err(|hint: String| invalid("shard", value, &hint))?;
    let jobs = matrix_jobs().unwrap_or(shard.of);
    if !jobs.is_multiple_of(shard.of) {
        let message = format!(
            "`shard: {shard}` does not fit a matrix of {jobs} jobs: a shard would be missing or measured twice"
        );
        return Err(Failure::new(message)
            .hint("the number of matrix jobs must be a multiple of the number of shards"));
    }
    Ok(shard)
}

/// Checks the path of a committed baseline, which must be below the suite's folder.
fn check_committed(path: String) -> Result<String, Failure> {
    let mut parts = Path::new(&path).components();
    let is_outside = is_absolute(&path) || parts.any(|part| part == Component::ParentDir);
    // A path with a leading dash could be taken for an option.
    if is_outside || path.starts_with('-') {
        let hint = "`pairs`, the path of a CSV below `working-directory`, or an absolute path";
        return Err(invalid("baseline", &path, hint));
    }
    Ok(path)
}

/// Where the baseline comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BaselineStore {
    /// Nothing is stored: base and checkout are measured alternately.
    Pairs,
    /// A file committed next to the code.
    Commit,
    /// A file from an earlier step.
    Left,
}

/// The settings of a run, from inputs and config.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunSettings {
    /// The command that runs the benchmark, split into words. Empty if the workflow runs it.
    pub run: Vec<String>,
    pub build: Option<String>,
    pub store: BaselineStore,
    /// The baseline's path, absolute or relative to the suite's folder.
    pub baseline: String,
    /// True if the config sets a baseline or a page. A push then refreshes them even if pairs are measured.
    pub keeps_numbers: bool,
    /// The page that a refresh writes.
    pub page: Option<PathBuf>,
    /// The events that trigger a refresh on the default branch.
    pub refreshing: Vec<String>,
}

impl RunSettings {
    /// Combines inputs and config. Inputs take precedence.
    pub fn new(inputs: &ActionInputs, config: &Config) -> anyhow::Result<Self> {
        let written = config.run();
        crate::run::format_in(None, config)?;
        let mut run = inputs.run.clone();
        if run.is_empty() && inputs.results.is_empty() {
            let command = written.command.as_deref().unwrap_or_default();
            run = words("run.command", command)?;
        }
        if run.is_empty() && inputs.results.is_empty() {
            return Err(Failure::new("neither `run` nor `results` is set")
                .hint("set `run` to the benchmark command, or `results` to its output files if the workflow runs it")
                .hint("a new `[run]` in the config takes effect once it is merged into the base branch")
                .into());
        }
        let build = inputs.build.clone().or_else(|| written.build.clone());
        let build = build.filter(|_| !run.is_empty());
        let files = config.files();
        let named = files
            .baseline
            .as_deref()
            .map(|path| path.to_string_lossy().replace('\\', "/"));
        let named = check_committed(named.unwrap_or_else(|| BASELINE.to_owned()))?;
        let (store, baseline) = match inputs.baseline.as_deref() {
            None if run.is_empty() => (BaselineStore::Commit, named),
            None | Some("pairs") => (BaselineStore::Pairs, named),
            Some(path) if is_absolute(path) => (BaselineStore::Left, path.to_owned()),
            Some(path) => (BaselineStore::Commit, check_committed(path.to_owned())?),
        };
        let settings = Self {
            run,
            build,
            store,
            baseline,
            keeps_numbers: files.baseline.is_some() || files.page.is_some(),
            page: files.page.clone(),
            refreshing: refreshing(config)?,
        };
        words("build", settings.build.as_deref().unwrap_or_default())?;
        Ok(settings)
    }

    /// True if base and head are measured alternately.
    pub fn is_paired(&self) -> bool {
        self.store == BaselineStore::Pairs
    }

    /// The page that a refresh commits, together with the baseline.
    pub fn refreshed_page(&self) -> Option<&Path> {
        self.page
            .as_deref()
            .filter(|_| self.store != BaselineStore::Left)
    }
}

/// The events that may trigger a refresh. Only users with write access can trigger them on the default branch.
const REFRESHING: [&str; 4] = [
    "push",
    "schedule",
    "workflow_dispatch",
    "repository_dispatch",
];

fn refreshing(config: &Config) -> Result<Vec<String>, Failure> {
    let events = config.refresh().events.clone();
    let events = events.unwrap_or_else(|| vec!["push".to_owned()]);
    for event in &events {
        if !REFRESHING.contains(&event.as_str()) {
            return Err(Failure::new(format!("invalid `refresh.events`: `{event}`"))
                .hint(format!("possible events: {}", REFRESHING.join(", "))));
        }
    }
    Ok(events)
}

/// A job of a workflow.
#[derive(Debug, Serialize, Deserialize)]
pub struct WorkflowJob {
    pub name: JobName,
    /// The number of matrix jobs that report in one comment. 0 if they do not share one, or if the number is unknown.
    pub sharing: u32,
}

impl WorkflowJob {
    /// Reads the job from the environment.
    pub fn from_env(inputs: &ActionInputs) -> Self {
        let matrix = variable("PERF_MATRIX").and_then(|text| serde_json::from_str(&text).ok());
        let mut values = Vec::new();
        collect(&matrix.unwrap_or_default(), &mut values);
        // Jobs share a comment only if the suite name contains no matrix value. All of them report only if `comment` is
        // `always`.
        let suite = inputs.name.to_string();
        let is_divided = inputs.name != CommentKey::default()
            && values.iter().any(|value| suite.contains(value));
        let mut sharing = 0;
        if !is_divided && inputs.comment == CommentWhen::Always {
            sharing = matrix_jobs().unwrap_or_default();
        }
        Self {
            name: job_name(variable("GITHUB_JOB").unwrap_or_default(), values),
            sharing,
        }
    }
}

/// The name of a job in this workflow.
pub fn job_name(job: String, values: Vec<String>) -> JobName {
    JobName {
        workflow: variable("GITHUB_WORKFLOW").unwrap_or_default(),
        job,
        values,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fail_on_list_allows_spaces_and_rejects_none_with_others() {
        let parsed = |list| fail_on(list).unwrap();
        assert_eq!(parsed("regressed, new"), [FailOn::Regressed, FailOn::New]);
        assert_eq!(parsed("none"), []);
        for wrong in ["regressed,", "none,new", "Regressed", " "] {
            assert!(fail_on(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn commands_are_split_and_shell_operators_rejected() {
        let cargo = words("run", "cargo bench --bench 'a b' \\\n  -- --quick\n").unwrap();
        assert_eq!(cargo, ["cargo", "bench", "--bench", "a b", "--", "--quick"]);
        assert_eq!(words("run", " \n").unwrap(), [""; 0]);
        for wrong in ["make && ./bench", "./bench | tee log", "echo 'open"] {
            assert!(words("build", wrong).is_err(), "{wrong}");
        }
        assert!(words("build", "bash -c 'make && make install'").is_ok());
    }

    #[test]
    fn pull_request_number_is_positive() {
        assert_eq!(number("42").unwrap(), 42);
        assert!(
            ["0", "-1", "1e3", "12345678901"]
                .into_iter()
                .all(|text| number(text).is_err())
        );
    }

    #[test]
    fn relative_baseline_stays_in_the_suite() {
        for path in ["a.csv", "docs/a.csv", "./a.csv", "pairs.csv"] {
            assert_eq!(check_committed(path.to_owned()).unwrap(), path);
        }
        for path in [
            "../a.csv",
            "docs/../a.csv",
            "/tmp/a.csv",
            "C:\\a.csv",
            "-a.csv",
        ] {
            assert!(check_committed(path.to_owned()).is_err(), "{path}");
        }
    }
}
