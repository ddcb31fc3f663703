//! Calls that only the GraphQL API supports: the token's account, commits with several files, auto-merge, and the edits of
//! comments.

use base64::prelude::{BASE64_STANDARD, Engine};
use http::Method;
use perf_cli::term::printable;
use perf_model::commit::CommitId;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::call::Call;
use super::classify::{self, WireGraphqlError};
use super::client::Client;
use super::error::{ApiError, ApiErrorKind, RequestedPause};
use crate::names::Account;

const VIEWER: &str = "query Viewer { viewer { login databaseId } }";

const COMMIT: &str = "mutation Commit($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}";

const AUTO_MERGE: &str = "mutation AutoMerge($input: EnablePullRequestAutoMergeInput!) {
  enablePullRequestAutoMerge(input: $input) { pullRequest { number } }
}";

const EDITS: &str = "query Edits($id: ID!) {
  node(id: $id) { ... on Comment { userContentEdits(first: 20) { nodes { diff editor { login } } } } }
}";

/// A commit to create on a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCommit {
    /// The branch to commit to, which must exist.
    pub branch: String,
    /// The expected head of the branch. If the branch has moved, nothing is committed.
    pub expected_head: CommitId,
    /// The message's first line.
    pub headline: String,
    /// The rest of the message, including trailers. May be empty.
    pub body: String,
    /// The files to add or replace: the path in the repository and the whole content of each.
    pub additions: Vec<(String, Vec<u8>)>,
}

impl Client {
    /// Returns the token's account. A workflow token may not query its own account, so a token without that permission is
    /// assumed to belong to `github-actions[bot]`.
    pub fn viewer(&self) -> Result<Account, ApiError> {
        if let Some(me) = self.me.get() {
            return Ok(me.clone());
        }
        let me = match self.query("read the token's account", VIEWER, &json!({}), "/viewer") {
            Err(error) if error.kind == ApiErrorKind::Permission => Account::github_actions(),
            answer => answer?,
        };
        Ok(self.me.get_or_init(|| me).clone())
    }

    /// Creates a commit with several files, signed by GitHub. Fails with [`ApiErrorKind::Conflict`] if the branch has moved,
    /// and with [`ApiErrorKind::Protected`] if the branch's rules reject the commit.
    pub fn create_commit(&self, new: &NewCommit) -> Result<CommitId, ApiError> {
        let addition = |(path, content): &(String, Vec<u8>)| json!({ "path": path, "contents": BASE64_STANDARD.encode(content) });
        let additions: Vec<Value> = new.additions.iter().map(addition).collect();
        let input = json!({
            "branch": { "repositoryNameWithOwner": self.repo.to_string(), "branchName": new.branch },
            "message": { "headline": new.headline, "body": new.body },
            "expectedHeadOid": new.expected_head.as_str(),
            "fileChanges": { "additions": additions },
        });
        let doing = format!("commit to `{}`", printable(&new.branch));
        self.query(
            &doing,
            COMMIT,
            &json!({ "input": input }),
            "/createCommitOnBranch/commit/oid",
        )
    }

    /// Enables auto-merge for a pull request, with the first of squash, rebase and merge that the repository allows. Fails
    /// with a validation error if the repository does not allow auto-merge, or if the pull request can already be merged.
    pub fn enable_auto_merge(&self, node_id: &str) -> Result<(), ApiError> {
        let mut refused = None;
        for method in ["SQUASH", "REBASE", "MERGE"] {
            let input = json!({ "input": { "pullRequestId": node_id, "mergeMethod": method } });
            let path = "/enablePullRequestAutoMerge/pullRequest/number";
            match self.query::<u64>("enable auto-merge", AUTO_MERGE, &input, path) {
                // GitHub rejects a method that the repository does not allow.
                Err(error) if error.kind == ApiErrorKind::Validation => {
                    refused.get_or_insert(error);
                }
                answer => return answer.map(drop),
            }
        }
        refused.map_or(Ok(()), Err)
    }

    /// Lists the editors' logins and the texts of a comment's edits, newest first. At most 20 edits are listed, and edits by
    /// deleted accounts are left out.
    pub fn texts_of_comment(&self, node_id: &str) -> Result<Vec<(String, String)>, ApiError> {
        let variables = json!({ "id": node_id });
        let edits: Option<Vec<Value>> = self.query(
            "read the edits of a comment",
            EDITS,
            &variables,
            "/node/userContentEdits/nodes",
        )?;
        let mut texts = Vec::new();
        for edit in edits.unwrap_or_default() {
            // A deleted account's edit has no editor.
            let editor = edit.pointer("/editor/login").and_then(Value::as_str);
            if let (Some(editor), Some(text)) = (editor, edit["diff"].as_str()) {
                texts.push((editor.to_owned(), text.to_owned()));
            }
        }
        Ok(texts)
    }

    /// Sends a GraphQL document and returns the data at `path`. Responses with errors also have the status 200, so errors
    /// are checked before the data is read.
    fn query<T: DeserializeOwned>(
        &self,
        doing: &str,
        document: &str,
        variables: &Value,
        path: &str,
    ) -> Result<T, ApiError> {
        let body = json!({ "query": document, "variables": variables });
        let mut call = Call::read(doing, self.graphql.clone()).write(Method::POST, body);
        call.writes = document.starts_with("mutation");
        self.with_retries(false, || {
            let answer = self.attempt(&call)?;
            let errors: Option<Vec<WireGraphqlError>> = self.part(&call, &answer, "/errors")?;
            if let Some(errors) = errors {
                let (kind, why) = classify::classify_graphql(&errors);
                let mut error = self.error(&call, kind, &why);
                error.asked = RequestedPause::from_headers(&answer.headers);
                return Err(error);
            }
            self.part(&call, &answer, &format!("/data{path}"))
        })
    }
}
