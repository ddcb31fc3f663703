//! Environment variables: reads those of the step, and selects those of the processes that it starts.

use std::env;
use std::ffi::OsString;
use std::path::Path;

use perf_cli::Failure;
use perf_cli::actions::TOKENS;

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

/// The value of a variable, or `None` if it is unset or empty.
pub(super) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
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

/// The environment of git for reading the base: the fixed settings, the repository that contains the base, additional
/// objects for it, and no token.
pub(super) fn for_git(
    store: Option<&Path>,
    objects: Option<&Path>,
) -> Vec<(OsString, Option<OsString>)> {
    let set = |name: &str, value: OsString| (OsString::from(name), Some(value));
    let fixed = GIT.iter().map(|(name, value)| set(name, value.into()));
    let path = set("PATH", search_path::outside_workspace());
    let hidden = TOKENS.iter().map(|name| (OsString::from(name), None));
    let objects = objects.filter(|_| store.is_some());
    let objects = objects.map(|objects| set("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects.into()));
    let store = store.map(|store| set("GIT_DIR", store.into()));
    fixed
        .chain([path])
        .chain(hidden)
        .chain(store)
        .chain(objects)
        .collect()
}
