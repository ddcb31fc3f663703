//! The commit that was measured, where rows do not name it.

use std::env;

use super::git::{head, is_object};

/// The variables in which CI systems name the commit that they run on.
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
    let named = VARIABLES.iter().filter_map(|name| env::var(name).ok()).find(|value| is_object(value));
    named.or_else(head)
}
