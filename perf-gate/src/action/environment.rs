//! Environment variables: reads those of the step, and selects those of the processes that it starts.

use std::env;
use std::ffi::OsString;
use std::path::Path;

use perf_cli::actions::TOKENS;
use perf_cli::{Failure, git};

use super::search_path;

/// Files through which a step passes values to the workflow.
const FILES: [&str; 5] = [
    "GITHUB_ENV",
    "GITHUB_OUTPUT",
    "GITHUB_PATH",
    "GITHUB_STATE",
    "GITHUB_STEP_SUMMARY",
];

/// Settings for every git process. They ignore most of what a benchmark could have written to the repository.
pub(super) const GIT: [(&str, &str); 9] = [
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_CONFIG_COUNT", "3"),
    ("GIT_CONFIG_KEY_0", "safe.directory"),
    ("GIT_CONFIG_VALUE_0", "*"),
    ("GIT_CONFIG_KEY_1", "core.hooksPath"),
    ("GIT_CONFIG_VALUE_1", "/dev/null"),
    ("GIT_CONFIG_KEY_2", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_2", "false"),
];

/// The variable with a folder of additional git objects.
pub(super) const GIT_OBJECTS: &str = "GIT_ALTERNATE_OBJECT_DIRECTORIES";

/// The value of a variable, or `None` if it is unset or empty.
pub(super) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// The value of a variable that `action.yml` sets.
pub(super) fn required(name: &str) -> Result<String, Failure> {
    variable(name).ok_or_else(|| {
        Failure::new(format!("{name} is not set")).hint("it is an output of the previous step")
    })
}

/// Fails if a token is set. Steps that run or read untrusted files must not have one.
pub(super) fn refuse_token(step: &str) -> Result<(), Failure> {
    let Some(name) = TOKENS.iter().find(|name| variable(name).is_some()) else {
        return Ok(());
    };
    Err(Failure::new(format!(
        "`perf-gate ci step {step}` must not get a token, and `{name}` is set"
    ))
    .hint(format!(
        "set `{name}` in the `env` of the steps that need it, not of the job or the workflow"
    )))
}

/// Variables hidden from the project's commands: tokens, and the files through which a step passes values to the workflow.
pub(super) fn workflow_variables() -> Vec<OsString> {
    let is_hidden = |name: &OsString| {
        let text = name.to_string_lossy();
        FILES.contains(&&*text) || text.starts_with("PERF_") || text.ends_with("_TOKEN")
    };
    env::vars_os()
        .map(|(name, _)| name)
        .filter(is_hidden)
        .collect()
}

/// Sets the environment of git for reading the base: the fixed settings, the repository that contains the base, additional
/// objects, and no token.
pub(super) fn set_for_git(store: Option<&Path>, objects: Option<&Path>) {
    let mut variables: Vec<(OsString, Option<OsString>)> = Vec::new();
    for (name, value) in GIT {
        variables.push((name.into(), Some(value.into())));
    }
    for name in TOKENS {
        variables.push((name.into(), None));
    }
    let path = search_path::outside_workspace();
    variables.push(("PATH".into(), Some(path)));
    if let Some(store) = store {
        variables.push(("GIT_DIR".into(), Some(store.into())));
    }
    if let Some(objects) = objects {
        variables.push((GIT_OBJECTS.into(), Some(objects.into())));
    }
    git::set_environment(variables);
}
