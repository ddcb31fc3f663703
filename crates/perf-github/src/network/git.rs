//! Branches, commits and files.

use http::Method;
use perf_cli::term::printable;
use perf_model::commit::CommitId;
use serde::Deserialize;
use serde_json::{Value, json};

use super::call::RAW;
use super::client::Client;
use super::error::{ApiError, none_if_missing};
use crate::names::{self, Account};

/// The position of a head relative to a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HeadPosition {
    /// The head and the base are the same commit.
    Identical,
    /// The head has commits on top of the base.
    Ahead,
    /// The base has commits on top of the head.
    Behind,
    /// The head and the base each have commits that the other does not contain.
    Diverged,
}

/// The comparison of two commits.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CommitComparison {
    /// The position of the head relative to the base.
    #[serde(rename = "status")]
    pub position: HeadPosition,
    /// The merge base of the two commits.
    #[serde(rename = "merge_base_commit")]
    pub merge_base: Option<Commit>,
    /// The head's commits that the base does not contain, oldest first. At most 100 are listed.
    #[serde(default)]
    pub commits: Vec<Commit>,
    #[serde(default)]
    total_commits: usize,
    /// The files that changed between the merge base and the head. At most 300 are listed.
    #[serde(default)]
    pub files: Vec<ChangedFile>,
}

impl CommitComparison {
    /// True if all files are certainly listed. A list of 300 files, GitHub's maximum, may be incomplete.
    pub fn is_complete(&self) -> bool {
        self.files.len() < MOST_FILES
    }

    /// True if all commits are listed. Only one page is read, and GitHub lists at most 100 commits per page.
    pub fn has_all_commits(&self) -> bool {
        self.commits.len() == self.total_commits
    }
}

/// A file that changed between two commits.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ChangedFile {
    /// The path in the repository.
    #[serde(rename = "filename")]
    pub path: String,
    /// The path before a rename, or `None` if the file was not renamed.
    #[serde(rename = "previous_filename")]
    pub previous: Option<String>,
}

/// A commit in the repository.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Commit {
    /// The commit's hash.
    pub sha: CommitId,
    /// The author's account, or `None` if the author has no account on GitHub.
    #[serde(deserialize_with = "names::account")]
    pub author: Option<Account>,
    #[serde(rename = "commit")]
    details: Value,
    #[serde(default)]
    parents: Vec<Value>,
}

impl Commit {
    /// The whole message.
    pub fn message(&self) -> &str {
        self.details["message"].as_str().unwrap_or_default()
    }

    /// True if GitHub created and signed the commit, on its site or through its API. If false, the author is not verified.
    pub fn is_by_github(&self) -> bool {
        // GitHub verifies the signature against the committer, not the author.
        self.details["committer"]["email"] == GITHUB
            && self.details["verification"]["verified"] == true
    }

    /// True if the commit merges others.
    pub fn is_merge(&self) -> bool {
        self.parents.len() > 1
    }
}

/// The committer's email address in commits created by GitHub.
const GITHUB: &str = "noreply@github.com";

/// The maximum number of files that GitHub lists in a comparison.
const MOST_FILES: usize = 300;

impl Client {
    /// Returns a branch's newest commit, or `None` if the branch does not exist.
    pub fn branch(&self, name: &str) -> Result<Option<CommitId>, ApiError> {
        let doing = format!("read the branch `{}`", printable(name));
        let call = self.call(doing, &["git", "ref", &format!("heads/{name}")]);
        none_if_missing(self.json_at(&call, "/object/sha"))
    }

    /// Creates a branch at a commit. Fails with a validation error if the branch already exists.
    pub fn create_branch(&self, name: &str, at: &CommitId) -> Result<(), ApiError> {
        let body = json!({ "ref": format!("refs/heads/{name}"), "sha": at.as_str() });
        let doing = format!("create the branch `{}`", printable(name));
        let call = self.call(doing, &["git", "refs"]);
        self.done(&call.write(Method::POST, body))
    }

    /// Moves a branch to a commit by force. Fails with a validation error if the branch does not exist.
    pub fn move_branch(&self, name: &str, to: &CommitId) -> Result<(), ApiError> {
        let body = json!({ "sha": to.as_str(), "force": true });
        let doing = format!("move the branch `{}`", printable(name));
        let call = self.call(doing, &["git", "refs", &format!("heads/{name}")]);
        self.done(&call.write(Method::PATCH, body))
    }

    /// Deletes a branch. Fails with a validation error if the branch does not exist.
    pub fn delete_branch(&self, name: &str) -> Result<(), ApiError> {
        let doing = format!("delete the branch `{}`", printable(name));
        let call = self.call(doing, &["git", "refs", &format!("heads/{name}")]);
        self.done(&call.write(Method::DELETE, Value::Null))
    }

    /// Compares two commits. Fails with [`crate::ApiErrorKind::NotFound`] if the repository does not contain both of them,
    /// or if they have no common history.
    pub fn compare(&self, base: &CommitId, head: &CommitId) -> Result<CommitComparison, ApiError> {
        let doing = format!("compare {} with {}", base.short(), head.short());
        let call = self.call(doing, &["compare", &format!("{base}...{head}")]);
        // The first page contains all files. There may be thousands of commits, but the first hundred are enough.
        self.json(&call.with("per_page", "100").fixed())
    }

    /// Returns a file's content at a commit, or `None` if the file does not exist. Fails for directories and submodules.
    pub fn file(&self, path: &str, at: &CommitId) -> Result<Option<Vec<u8>>, ApiError> {
        let doing = format!("read `{}` at {}", printable(path), at.short());
        let mut call = self.call(doing, &["contents", path]).fixed();
        call.accept = RAW;
        let call = call.with("ref", at.as_str());
        none_if_missing(self.bytes(&call))
    }

    /// Lists the newest commits that changed `path`, beginning with `at` and its ancestors. At most `most` commits are
    /// listed, and never more than 100.
    pub fn commits(&self, at: &CommitId, path: &str, most: u8) -> Result<Vec<Commit>, ApiError> {
        let doing = format!("list the commits of `{}`", printable(path));
        let call = self
            .call(doing, &["commits"])
            .with("sha", at.as_str())
            .with("path", path)
            .with("per_page", &most.min(100).to_string());
        self.json(&call.fixed())
    }
}
