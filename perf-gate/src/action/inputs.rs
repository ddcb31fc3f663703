//! Reads and checks the action's inputs.

use std::path::{Component, Path, PathBuf};

use clap::ValueEnum;
use perf_cli::Failure;
use perf_config::FailOn;
use serde::{Deserialize, Serialize};

use super::environment::variable;
use super::place::{is_absolute, path};
use crate::run::{Part, Shard};

/// The default suite name.
pub const NAME: &str = "perf-gate";

/// The action's inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionInputs {
    /// The command that runs the benchmark, split into words. Empty if the workflow runs it.
    pub run: Vec<String>,
    /// The build command, or empty.
    pub build: String,
    /// Paths and patterns of result files.
    pub results: Vec<String>,
    /// The suite's name, which identifies its comment and status.
    pub name: String,
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

/// An input's raw text, read from its environment variable, such as `PERF_FAIL_ON` for `fail-on`.
fn text(input: &str) -> String {
    let name = format!("PERF_{}", input.to_uppercase().replace('-', "_"));
    variable(&name).unwrap_or_default()
}

impl ActionInputs {
    /// Reads the inputs from the environment.
    pub fn from_env() -> Result<Self, Failure> {
        let given = |input| Some(text(input)).filter(|value| !value.is_empty());
        let lines = text("results");
        let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
        let inputs = Self {
            run: words("run", &text("run"))?,
            build: words("build", &text("build")).map(|_| text("build"))?,
            results: lines.map(str::to_owned).collect(),
            name: suite_name(text("name"))?,
            baseline: given("baseline"),
            fail_on: given("fail-on").map(|value| fail_on(&value)).transpose()?,
            comment: comment_when(&text("comment"))?,
            pull_request: given("pull-request")
                .map(|value| number(&value))
                .transpose()?,
            config: given("config"),
            platform: given("platform"),
            part: Part {
                shard: given("shard").map(|value| shard(&value)).transpose()?,
                only: given("only").map(|text| format!("*{text}*")),
            },
            directory: text("working-directory"),
        };
        if inputs.run.is_empty() && !inputs.results.is_empty() {
            if !inputs.part.is_whole() {
                return Err(Failure::new("`shard` and `only` have no effect without `run`").hint(
                    "if the benchmark shards itself, compare all results in one job: see docs/how-to/matrix-and-monorepo.md",
                ));
            }
            if !inputs.build.is_empty() {
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

    /// The path from the input `config`, safe to use as a command-line argument.
    pub fn config_file(&self) -> Option<PathBuf> {
        self.config.as_deref().map(path).map(PathBuf::from)
    }
}

/// Shell operators. Without a shell, the program would get them as arguments.
const OPERATORS: [&str; 8] = ["|", "||", "&", "&&", ";", ">", ">>", "<"];

/// Splits a command into words. It is started without a shell.
pub fn words(input: &str, value: &str) -> Result<Vec<String>, Failure> {
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

fn suite_name(value: String) -> Result<String, Failure> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    // The name is also used as a folder.
    let is_name = !["", ".", ".."].contains(&value.as_str());
    if is_name && value.len() <= 64 && value.bytes().all(plain) {
        return Ok(value);
    }
    Err(invalid(
        "name",
        &value,
        "up to 64 letters, digits, dots, dashes and underscores",
    ))
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

/// Parses a shard such as `2/8`, and checks that the matrix measures each shard equally often.
fn shard(value: &str) -> Result<Shard, Failure> {
    let shard: Shard = value
        .parse()
        .map_err(|hint: String| invalid("shard", value, &hint))?;
    let jobs: u32 = variable("PERF_JOBS")
        .and_then(|text| text.parse().ok())
        .unwrap_or(shard.of);
    if !jobs.is_multiple_of(shard.of) {
        let message = format!(
            "`shard: {shard}` does not fit a matrix of {jobs} jobs: a shard would be missing or measured twice"
        );
        return Err(Failure::new(message).hint("the matrix needs one job per shard"));
    }
    Ok(shard)
}

/// Checks the path of a committed baseline, which must be below the suite's folder.
pub fn check_committed(path: String) -> Result<String, Failure> {
    let mut parts = Path::new(&path).components();
    if is_absolute(&path) || parts.any(|part| part == Component::ParentDir) {
        let hint = "`pairs`, the path of a CSV below `working-directory`, or an absolute path";
        return Err(invalid("baseline", &path, hint));
    }
    Ok(path)
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
}
