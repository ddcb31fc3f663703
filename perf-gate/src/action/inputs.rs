//! Reads the action's inputs and combines them with the config. The config is the base commit's, because a pull request must
//! not choose its own baseline.

use std::ffi::OsString;
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    pub config: Option<String>,
    /// The platform of rows that don't state one.
    pub platform: Option<String>,
    /// The benchmarks that this job measures.
    pub part: Part,
    /// The unchecked input `working-directory`.
    pub directory: String,
}

/// The condition for a comment on the pull request.
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
        let build = given("build");
        words("build", build.as_deref().unwrap_or_default())?;
        let inputs = Self {
            run: words("run", &given("run").unwrap_or_default())?,
            build,
            results: lines.map(str::to_owned).collect(),
            name: suite_name(&given("name").unwrap_or_default())?,
            baseline: given("baseline"),
            fail_on: given("fail-on").map(|value| fail_on(&value)).transpose()?,
            comment: comment_when(&given("comment").unwrap_or_default())?,
            pull_request: given("pull-request")
                .map(|value| number(&value))
                .transpose()?,
            config: given("config"),
            platform: given("platform"),
            part: Part {
                shard: given("shard").map(|value| shard(&value)).transpose()?,
                only: given("only").map(|text| format!("*{text}*")),
            },
            directory: given("working-directory").unwrap_or_default(),
        };
        if inputs.run.is_empty() && !inputs.results.is_empty() {
            if !inputs.part.is_whole() {
                return Err(Failure::new("`shard` and `only` have no effect without `run`").hint(
                    "if the benchmark shards itself, compare all results in one job: see docs/how-to/matrix-and-monorepo.md",
                ));
            }
            if inputs.build.is_some() {
                return Err(Failure::new("`build` has no effect without `run`"));
            }
            if inputs.baseline.as_deref() == Some("pairs") {
                return Err(
                    Failure::new("`baseline: pairs` has no effect without `run`")
                        .hint("the action measures pairs with the command in `run`"),
                );
            }
        }
        Ok(inputs)
    }

    /// The path from the input `config`.
    pub fn config_file(&self) -> Option<PathBuf> {
        self.config.as_ref().map(PathBuf::from)
    }
}

/// Shell operators. Without a shell, the program would get them as arguments.
const OPERATORS: [&str; 8] = ["|", "||", "&", "&&", ";", ">", ">>", "<"];

/// Splits a command into words. It is started without a shell.
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

fn comment_when(value: &str) -> Result<CommentWhen, Failure> {
    CommentWhen::from_str(value, false).map_err(|_| {
        let hint = "it can be one of: always, changed, regressed, never";
        invalid("comment", value, hint)
    })
}

fn fail_on(value: &str) -> Result<Vec<FailOn>, Failure> {
    FailOn::parse_list(value).map_err(|error| {
        let (message, hint) = error.split_once("\nhint: ").unwrap_or((&error, ""));
        Failure::new(format!("invalid `fail-on`: {message}")).hint(hint)
    })
}

fn suite_name(value: &str) -> Result<CommentKey, Failure> {
    value.parse().map_err(|_| {
        let hint = "up to 64 letters, digits, dots, dashes and underscores";
        invalid("name", value, hint)
    })
}

fn number(value: &str) -> Result<u64, Failure> {
    match value.parse::<u32>() {
        // Rejects forms such as `+1`.
        Ok(number) if number > 0 && number.to_string() == value => Ok(number.into()),
        _ => Err(invalid(
            "pull-request",
            value,
            "it must be a pull request number",
        )),
    }
}

/// The number of the workflow job's matrix jobs.
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
        return Err(Failure::new(message).hint("the matrix needs one job per shard"));
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

/// The storage of the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BaselineStore {
    /// None: the base is measured as well, alternating with the checkout.
    Pairs,
    /// A file committed next to the code.
    Commit,
    /// A file from an earlier step.
    Left,
}

/// The settings of a run, from inputs and config.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSettings {
    /// The command that runs the benchmark, split into words. Empty if the workflow runs it.
    pub run: Vec<String>,
    pub build: Option<String>,
    pub store: BaselineStore,
    /// The baseline's path, absolute or relative to the suite's folder.
    pub baseline: String,
    /// True if the config sets a baseline or a page, which a push then refreshes even with pairs.
    pub keeps_numbers: bool,
    /// The page that a refresh writes.
    pub page: Option<PathBuf>,
    /// The events that refresh on the default branch.
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
            Some(path) => stored_baseline(path)?,
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
        settings.build_words().map(|_| settings)
    }

    /// The words of the build command.
    pub fn build_words(&self) -> anyhow::Result<Option<Vec<OsString>>> {
        let Some(build) = &self.build else {
            return Ok(None);
        };
        let words = words("run.build", build)?;
        Ok(Some(words.into_iter().map(OsString::from).collect()))
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

/// A path in the input `baseline`: a committed file, relative to the suite's folder, or the absolute path of another step's file.
fn stored_baseline(path: &str) -> Result<(BaselineStore, String), Failure> {
    if is_absolute(path) {
        return Ok((BaselineStore::Left, path.to_owned()));
    }
    // Earlier versions stored the baseline in these places. As a file, it would be missing for ever, and the gate would pass.
    if ["branch", "cache"].contains(&path) {
        return Err(
            Failure::new(format!("`baseline: {path}` is no longer supported"))
                .hint("remove `baseline`, or store a file: see docs/how-to/stored-baseline.md"),
        );
    }
    let path = check_committed(path.to_owned())?;
    Ok((BaselineStore::Commit, path))
}

/// The events that may refresh. Only users with write access can trigger them on the default branch.
const REFRESHING: [&str; 4] = [
    "push",
    "schedule",
    "workflow_dispatch",
    "repository_dispatch",
];

fn refreshing(config: &Config) -> Result<Vec<String>, Failure> {
    let Some(events) = config.refresh().events.clone() else {
        return Ok(vec!["push".to_owned()]);
    };
    for event in &events {
        if !REFRESHING.contains(&event.as_str()) {
            return Err(Failure::new(format!("invalid `refresh.events`: `{event}`"))
                .hint(format!("possible events: {}", REFRESHING.join(", "))));
        }
    }
    Ok(events)
}

/// A job of a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkflowJob {
    pub name: JobName,
    /// The number of matrix jobs that share one comment, or 0 if unknown.
    pub sharing: u32,
}

impl WorkflowJob {
    /// Reads the job from the environment, or returns `None` if no variable identifies it.
    pub fn from_env(inputs: &ActionInputs) -> Option<Self> {
        let matrix = variable("PERF_MATRIX").and_then(|text| serde_json::from_str(&text).ok());
        let mut values = Vec::new();
        collect(&matrix.unwrap_or_default(), &mut values);
        let [workflow, job] =
            ["GITHUB_WORKFLOW", "GITHUB_JOB"].map(|name| variable(name).unwrap_or_default());
        if workflow.is_empty() && job.is_empty() && values.is_empty() {
            return None;
        }
        // If the suite name contains a matrix value, each job has its own comment. Unless `comment` is `always`, some jobs may
        // not report.
        let suite = inputs.name.to_string();
        let is_divided = inputs.name != CommentKey::default()
            && values.iter().any(|value| suite.contains(value));
        let mut sharing = 0;
        if !is_divided && inputs.comment == CommentWhen::Always {
            sharing = matrix_jobs().unwrap_or_default();
        }
        let name = JobName {
            workflow,
            job,
            values,
        };
        Some(Self { name, sharing })
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
    fn pull_request_number_is_plain_digits() {
        assert_eq!(number("42").unwrap(), 42);
        assert!(
            ["0", "042", "+1", "1e3", "12345678901"]
                .into_iter()
                .all(|text| number(text).is_err())
        );
    }

    #[test]
    fn relative_baseline_stays_in_the_suite() {
        for path in ["a.csv", "docs/a.csv", "./a.csv", "pairs.csv"] {
            let stored = stored_baseline(path).unwrap();
            assert_eq!(stored, (BaselineStore::Commit, path.to_owned()));
        }
        for path in ["/tmp/a.csv", "C:\\a.csv"] {
            let stored = stored_baseline(path).unwrap();
            assert_eq!(stored, (BaselineStore::Left, path.to_owned()));
        }
        for path in ["../a.csv", "docs/../a.csv", "branch", "cache"] {
            assert!(stored_baseline(path).is_err(), "{path}");
        }
    }
}
