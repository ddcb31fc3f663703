//! Which commit was measured, where rows do not name it.

use std::env;
use std::process::{Command, Stdio};

/// Where CI systems name the commit that they run on.
const VARIABLES: [&str; 7] = [
    "GITHUB_SHA",
    "CI_COMMIT_SHA",
    "BUILD_SOURCEVERSION",
    "BUILDKITE_COMMIT",
    "CIRCLE_SHA1",
    "TRAVIS_COMMIT",
    "GIT_COMMIT",
];

/// The commit of the CI run, or else the one that is checked out; `None` outside of a repository.
pub fn commit() -> Option<String> {
    let named = VARIABLES.iter().filter_map(|name| env::var(name).ok()).find(|value| is_commit(value));
    named.or_else(checked_out)
}

fn checked_out() -> Option<String> {
    let mut git = Command::new("git");
    git.args(["rev-parse", "--verify", "--quiet", "HEAD"]).stdin(Stdio::null());
    let output = git.output().ok().filter(|output| output.status.success())?;
    let commit = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    is_commit(&commit).then_some(commit)
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
