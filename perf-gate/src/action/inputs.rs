//! The inputs of the action, each checked before anything is done.

use std::env;

use clap::ValueEnum;
use perf_cli::Failure;
use serde::{Deserialize, Serialize};

use super::choices::FailOn;
pub(super) use super::choices::{Annotate, CommentMode, Mode, Protected, Side, Store, When};
use super::git::Commit;
use super::place::{is_absolute, plain};

/// The inputs. Paths and limits are checked by the tools that use them; an empty text is an input that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent inputs of the action")]
pub(super) struct Inputs {
    pub(super) input: String,
    /// The command that measures, split into words; empty where rows are only read.
    pub(super) measure: Vec<String>,
    pub(super) build: String,
    pub(super) time_limit: String,
    pub(super) format: String,
    pub(super) platform: String,
    pub(super) strict: bool,
    pub(super) aggregate: bool,
    pub(super) mode: Mode,
    pub(super) baseline: String,
    pub(super) baseline_store: Store,
    pub(super) config: String,
    pub(super) config_from: Side,
    pub(super) document: String,
    pub(super) region: String,
    pub(super) packages: String,
    pub(super) machine_specs: String,
    pub(super) scope: String,
    pub(super) platform_substring: String,
    pub(super) tolerance: String,
    pub(super) regression_threshold: String,
    pub(super) history: String,
    pub(super) confirm: String,
    pub(super) paired: bool,
    /// As `perf-gate compare --fail-on` takes it.
    pub(super) fail_on: String,
    /// Whether trouble with GitHub fails the job.
    pub(super) comment_fails: bool,
    pub(super) status: bool,
    pub(super) comment: When,
    pub(super) comment_key: String,
    pub(super) comment_mode: CommentMode,
    pub(super) annotate: Annotate,
    pub(super) pull_request: Option<u64>,
    pub(super) base: Option<Commit>,
    pub(super) measured_paths: String,
    pub(super) commit_message: String,
    pub(super) protected_branch: Option<Protected>,
    pub(super) directory: String,
}

/// A variable of the environment that is set and not empty.
pub(super) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// An input as it was given, from its variable: `PERF_COMMENT_KEY` for `comment-key`.
fn text(input: &str) -> String {
    let name = format!("PERF_{}", input.to_uppercase().replace('-', "_"));
    variable(&name).unwrap_or_default()
}

impl Inputs {
    /// Reads them from the environment.
    ///
    /// # Errors
    /// The first input that is wrong.
    pub(super) fn from_env() -> Result<Self, Failure> {
        let (fail_on, comment_fails) = fail_on(&text("fail-on"))?;
        let inputs = Self {
            input: text("input"),
            measure: command("measure")?,
            build: command("build").map(|_| text("build"))?,
            time_limit: text("time-limit"),
            format: text("format"),
            platform: text("platform"),
            strict: option("strict")?,
            aggregate: option("aggregate")?,
            mode: choice("mode")?,
            baseline: baseline(text("baseline"))?,
            baseline_store: choice("baseline-store")?,
            config: text("config"),
            config_from: choice("config-from")?,
            document: text("document"),
            region: text("region"),
            packages: text("packages"),
            machine_specs: text("machine-specs"),
            scope: text("scope"),
            platform_substring: text("platform-substring"),
            tolerance: text("tolerance"),
            regression_threshold: text("regression-threshold"),
            history: history(text("history"))?,
            confirm: text("confirm"),
            paired: switch("paired")?,
            fail_on,
            comment_fails,
            status: switch("status")?,
            comment: choice("comment")?,
            comment_key: key(text("comment-key"))?,
            comment_mode: choice("comment-mode")?,
            annotate: choice("annotate")?,
            pull_request: number(&text("pull-request"))?,
            base: commit(&text("base"))?,
            measured_paths: text("measured-paths"),
            commit_message: text("commit-message"),
            protected_branch: chosen("protected-branch")?,
            directory: text("working-directory"),
        };
        inputs.agree()?;
        Ok(inputs)
    }

    /// Whether the action itself measures, both sides in turn.
    pub(super) fn is_measuring(&self) -> bool {
        !self.measure.is_empty()
    }

    /// The page that a refresh writes, or an empty text. Other stores have the baseline alone.
    pub(super) fn page(&self) -> &str {
        if self.baseline_store == Store::Commit { &self.document } else { "" }
    }

    /// Inputs that do not go together.
    fn agree(&self) -> Result<(), Failure> {
        if !self.is_measuring() {
            return match (self.input.trim().is_empty(), self.build.is_empty()) {
                _ if self.baseline_store == Store::Cache && !self.history.is_empty() => Err(Failure::new(
                    "`history` has no effect with `baseline-store: cache`",
                )
                .hint("a cache has one version of the baseline; `baseline-store: branch` has all of them")),
                (true, _) => Err(Failure::new("neither `input` nor `measure` is set").hint(
                    "`input` names the output of the benchmark; `measure` is a command that prints it",
                )),
                (_, false) => Err(Failure::new("`build` has no effect without `measure`")),
                _ => Ok(()),
            };
        }
        let without_effect = [
            ("history", !self.history.is_empty()),
            ("confirm", !self.confirm.is_empty()),
            ("platform", !self.platform.is_empty()),
            ("baseline-store: workspace", self.baseline_store == Store::Workspace),
        ];
        match without_effect.into_iter().find(|(_, is_set)| *is_set) {
            Some((name, _)) => Err(Failure::new(format!("`{name}` has no effect with `measure`"))
                .hint("with `measure`, both sides are measured in turn and compared with each other")),
            None => Ok(()),
        }
    }
}

/// What a shell would act on. Without one, a program gets it as an argument.
const OPERATORS: [&str; 8] = ["|", "||", "&", "&&", ";", ">", ">>", "<"];

/// The words of a command, which is started without a shell.
fn command(input: &str) -> Result<Vec<String>, Failure> {
    words(input, &text(input))
}

fn words(input: &str, value: &str) -> Result<Vec<String>, Failure> {
    let invalid = |hint| invalid(input, value.trim(), hint);
    let words = shell_words::split(value).map_err(|_| invalid("a quote is not closed"))?;
    if words.iter().any(|word| OPERATORS.contains(&word.as_str())) {
        return Err(invalid("it is run without a shell; for one, write `bash -c '…'`"));
    }
    Ok(words)
}

fn invalid(input: &str, value: &str, hint: &str) -> Failure {
    Failure::new(format!("invalid `{input}`: `{value}`")).hint(hint)
}

fn parsed<T: ValueEnum>(input: &str, value: &str) -> Result<T, Failure> {
    T::from_str(value, false).map_err(|_| {
        let known = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let known: Vec<String> = known.map(|known| known.get_name().to_owned()).collect();
        invalid(input, value, &format!("it can be one of: {}", known.join(", ")))
    })
}

fn choice<T: ValueEnum>(input: &str) -> Result<T, Failure> {
    parsed(input, &text(input))
}

/// A choice that may be left to the config.
fn chosen<T: ValueEnum>(input: &str) -> Result<Option<T>, Failure> {
    Some(text(input)).filter(|value| !value.is_empty()).map(|value| parsed(input, &value)).transpose()
}

/// A switch that the config may turn on as well.
fn option(input: &str) -> Result<bool, Failure> {
    if text(input).is_empty() { Ok(false) } else { switch(input) }
}

fn switch(input: &str) -> Result<bool, Failure> {
    match text(input).as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        other => Err(invalid(input, other, "it can be one of: true, false")),
    }
}

/// Which verdicts fail, empty for what the configuration says; and whether trouble with GitHub does.
fn fail_on(value: &str) -> Result<(String, bool), Failure> {
    match value {
        // As earlier versions took it.
        "regression" => Ok(("regressed".to_owned(), false)),
        "missing" => Ok(("regressed,missing".to_owned(), false)),
        "" => Ok((String::new(), false)),
        list => {
            let list: String = list.split_whitespace().collect();
            let words = list.split(',').map(|word| parsed("fail-on", word));
            let words: Vec<FailOn> = words.collect::<Result<_, _>>()?;
            if words.len() > 1 && words.contains(&FailOn::None) {
                return Err(invalid("fail-on", value, "`none` stands alone"));
            }
            let verdicts: Vec<&str> = list.split(',').filter(|word| *word != "comment").collect();
            let verdicts = if verdicts.is_empty() { "none".to_owned() } else { verdicts.join(",") };
            Ok((verdicts, words.contains(&FailOn::Comment)))
        }
    }
}

fn key(value: String) -> Result<String, Failure> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    // It names a folder.
    let is_name = !["", ".", ".."].contains(&value.as_str());
    if is_name && value.len() <= 64 && value.bytes().all(plain) {
        return Ok(value);
    }
    Err(invalid("comment-key", &value, "up to 64 letters, digits, dots, dashes and underscores"))
}

fn history(value: String) -> Result<String, Failure> {
    let is_number = !value.starts_with('0') && value.bytes().all(|byte| byte.is_ascii_digit());
    let is_in_range = value.parse::<u16>().is_ok_and(|number| (1..=1000).contains(&number));
    if value.is_empty() || is_number && is_in_range {
        return Ok(value);
    }
    Err(invalid("history", &value, "it is a number of versions of the baseline, from 1 to 1000, such as 30"))
}

fn number(value: &str) -> Result<Option<u64>, Failure> {
    if value.is_empty() {
        return Ok(None);
    }
    let is_plain =
        !value.starts_with('0') && value.len() <= 10 && value.bytes().all(|byte| byte.is_ascii_digit());
    let number = value.parse().ok().filter(|_| is_plain);
    number.map(Some).ok_or_else(|| invalid("pull-request", value, "it is the number of a pull request"))
}

fn commit(value: &str) -> Result<Option<Commit>, Failure> {
    let hint = "it is the full id of a commit: 40 hexadecimal digits";
    let parse = |value: &str| value.parse().map_err(|()| invalid("base", value, hint));
    Some(value).filter(|value| !value.is_empty()).map(parse).transpose()
}

/// A path below the folder of the suite; empty where the config names it.
pub(super) fn baseline(value: String) -> Result<String, Failure> {
    if is_absolute(&value) || value.split('/').any(|part| part == "..") || plain(&value).is_none() {
        return Err(invalid("baseline", &value, "it is the path of a CSV below `working-directory`"));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_failures_may_have_spaces_and_none_stands_alone() {
        let parsed = |list: &str| fail_on(list).unwrap();
        assert_eq!(parsed("regressed, new"), ("regressed,new".to_owned(), false));
        assert_eq!(parsed("missing"), ("regressed,missing".to_owned(), false));
        assert_eq!(parsed("none"), ("none".to_owned(), false));
        assert_eq!(parsed("regressed,comment"), ("regressed".to_owned(), true));
        assert_eq!(parsed("comment"), ("none".to_owned(), true));
        for wrong in ["regressed,", "none,new", "Regressed", " "] {
            assert!(fail_on(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn commands_are_words_and_need_no_shell() {
        let cargo = words("measure", "cargo bench --bench 'a b' \\\n  -- --quick\n").unwrap();
        assert_eq!(cargo, ["cargo", "bench", "--bench", "a b", "--", "--quick"]);
        assert_eq!(words("measure", " \n").unwrap(), [""; 0]);
        for wrong in ["make && ./bench", "./bench | tee log", "echo 'open"] {
            assert!(words("build", wrong).is_err(), "{wrong}");
        }
        assert!(words("build", "bash -c 'make && make install'").is_ok());
    }

    #[test]
    fn numbers_are_plain_digits() {
        assert_eq!(number("42").unwrap(), Some(42));
        assert!(["0", "042", "+1", "1e3", "12345678901"].into_iter().all(|text| number(text).is_err()));
        assert!(["1", "30", "1000", ""].into_iter().all(|text| history(text.into()).is_ok()));
        assert!(["0", "030", "+3", "1001", "all"].into_iter().all(|text| history(text.into()).is_err()));
    }

    #[test]
    fn a_baseline_is_below_its_folder() {
        assert!(["", "a.csv", "docs/a.csv", "./a.csv"].into_iter().all(|text| baseline(text.into()).is_ok()));
        let outside = ["/a.csv", "../a.csv", "docs/../a.csv", "C:\\a.csv"];
        assert!(outside.into_iter().all(|text| baseline(text.into()).is_err()));
    }
}
