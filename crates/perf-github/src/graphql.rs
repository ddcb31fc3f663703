//! What only the GraphQL API has: who the token is, commits of several files, auto-merge.

use base64::prelude::{BASE64_STANDARD, Engine};
use perf_cli::term::printable;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::call::Call;
use crate::classify::{self, WireGraphqlError};
use crate::client::Client;
use crate::names::{Account, Sha};
use crate::retry::Asked;
use crate::trouble::{Kind, Trouble};

const VIEWER: &str = "query Viewer { viewer { login databaseId } }";

const REPOSITORY: &str = "query Repository($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) {
    autoMergeAllowed mergeCommitAllowed squashMergeAllowed rebaseMergeAllowed
  }
}";

const COMMIT: &str = "mutation Commit($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid url } }
}";

const AUTO_MERGE: &str = "mutation AutoMerge($input: EnablePullRequestAutoMergeInput!) {
  enablePullRequestAutoMerge(input: $input) { pullRequest { number } }
}";

const HIDE: &str = "mutation Hide($input: MinimizeCommentInput!) {
  minimizeComment(input: $input) { minimizedComment { isMinimized } }
}";

/// What a repository allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "a repository has as many settings")]
pub struct RepoSettings {
    /// Whether pull requests may be set to merge themselves.
    #[serde(rename = "autoMergeAllowed")]
    pub allow_auto_merge: bool,
    /// Whether [`MergeMethod::Merge`] is allowed.
    #[serde(rename = "mergeCommitAllowed")]
    pub allow_merge: bool,
    /// Whether [`MergeMethod::Squash`] is allowed.
    #[serde(rename = "squashMergeAllowed")]
    pub allow_squash: bool,
    /// Whether [`MergeMethod::Rebase`] is allowed.
    #[serde(rename = "rebaseMergeAllowed")]
    pub allow_rebase: bool,
}

impl RepoSettings {
    /// A method that is allowed; of several, the one that makes the fewest commits.
    pub fn merge_method(&self) -> MergeMethod {
        match (self.allow_squash, self.allow_rebase) {
            (true, _) => MergeMethod::Squash,
            (false, true) => MergeMethod::Rebase,
            (false, false) => MergeMethod::Merge,
        }
    }
}

/// How a pull request is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeMethod {
    /// By a commit of two parents.
    Merge,
    /// As one commit.
    Squash,
    /// Commit by commit.
    Rebase,
}

/// A commit to make on a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCommit {
    /// The branch.
    pub branch: String,
    /// Where the branch has to be; nothing happens when it is elsewhere.
    pub expected_head: Sha,
    /// The message's first line.
    pub headline: String,
    /// The rest of the message, trailers included; may be empty.
    pub body: String,
    /// Files by path in the repository, with their whole content.
    pub additions: Vec<(String, Vec<u8>)>,
    /// Paths of files that are deleted.
    pub deletions: Vec<String>,
}

/// A commit that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Created {
    /// Its name.
    pub sha: Sha,
    /// Its page.
    pub url: String,
}

impl Client {
    /// Whom the token acts for; a workflow's own token that may not ask acts for [`Account::github_actions`].
    ///
    /// # Errors
    /// Any [`Trouble`] but a refusal for lack of permission.
    pub fn viewer(&self) -> Result<Account, Trouble> {
        #[derive(Deserialize)]
        struct Wire {
            viewer: WireViewer,
        }
        match self.query::<Wire>("find out whose token it is", VIEWER, &json!({}), false) {
            Ok(Wire { viewer }) => Ok(Account { login: viewer.login, id: viewer.id }),
            Err(trouble) if trouble.kind == Kind::Permission => Ok(Account::github_actions()),
            Err(trouble) => Err(trouble),
        }
    }

    /// What the repository allows.
    ///
    /// # Errors
    /// Any [`Trouble`]; [`Kind::NotFound`] when the token cannot see the repository.
    pub fn repo_settings(&self) -> Result<RepoSettings, Trouble> {
        #[derive(Deserialize)]
        struct Wire {
            repository: RepoSettings,
        }
        let variables = json!({ "owner": self.repo.owner(), "name": self.repo.name() });
        let wire: Wire = self.query("read the repository's settings", REPOSITORY, &variables, false)?;
        Ok(wire.repository)
    }

    /// Makes a commit of several files at once, signed by GitHub, if the branch still is where it is expected.
    ///
    /// # Errors
    /// Any [`Trouble`]; [`Kind::Conflict`] when the branch has moved, [`Kind::Protected`] when its rules keep the commit out.
    pub fn create_commit(&self, new: &NewCommit) -> Result<Created, Trouble> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire {
            create_commit_on_branch: WireMade,
        }
        let additions = new.additions.iter();
        let additions: Vec<Value> = additions
            .map(|(path, content)| json!({ "path": path, "contents": BASE64_STANDARD.encode(content) }))
            .collect();
        let deletions: Vec<Value> = new.deletions.iter().map(|path| json!({ "path": path })).collect();
        let input = json!({
            "branch": { "repositoryNameWithOwner": self.repo.to_string(), "branchName": new.branch },
            "message": { "headline": new.headline, "body": new.body },
            "expectedHeadOid": new.expected_head.as_str(),
            "fileChanges": { "additions": additions, "deletions": deletions },
        });
        let doing = format!("commit to `{}`", printable(&new.branch));
        let wire: Wire = self.query(&doing, COMMIT, &json!({ "input": input }), true)?;
        let made = wire.create_commit_on_branch.commit;
        Ok(Created { sha: made.oid, url: made.url })
    }

    /// Lets a pull request merge itself once its rules are met.
    ///
    /// # Errors
    /// Any [`Trouble`]; a validation when the repository does not allow it, or nothing keeps the pull request from being
    /// merged at once.
    pub fn enable_auto_merge(&self, node_id: &str, method: MergeMethod) -> Result<(), Trouble> {
        let method = match method {
            MergeMethod::Merge => "MERGE",
            MergeMethod::Squash => "SQUASH",
            MergeMethod::Rebase => "REBASE",
        };
        let input = json!({ "input": { "pullRequestId": node_id, "mergeMethod": method } });
        self.query::<Value>("enable auto-merge", AUTO_MERGE, &input, true).map(drop)
    }

    /// Hides a comment as outdated.
    ///
    /// # Errors
    /// Any [`Trouble`].
    pub fn hide_comment(&self, node_id: &str) -> Result<(), Trouble> {
        let input = json!({ "input": { "subjectId": node_id, "classifier": "OUTDATED" } });
        self.query::<Value>("hide a comment", HIDE, &input, true).map(drop)
    }

    /// Sends a document. Errors come with the status 200, so that they are looked for before the data.
    fn query<T: DeserializeOwned>(
        &self,
        doing: &str,
        document: &str,
        variables: &Value,
        writes: bool,
    ) -> Result<T, Trouble> {
        let body = json!({ "query": document, "variables": variables });
        let call = Call::graphql(doing.into(), self.graphql.clone(), body, writes);
        self.patiently(|| {
            let answer = self.attempt(&call)?;
            let wire: WireAnswer = self.parsed(&call, &answer).map_err(unasked)?;
            if let Some(errors) = &wire.errors {
                let (kind, why) = classify::of_graphql(errors);
                let trouble = Trouble::new(kind, doing, &self.token.redact(&why));
                let maybe_done = writes && matches!(kind, Kind::Server | Kind::Malformed);
                return Err((trouble.of_write(maybe_done), Asked::of(&answer.headers)));
            }
            serde_json::from_value(wire.data).map_err(|error| unasked(self.nonsense(&call, &error)))
        })
    }
}

fn unasked(trouble: Trouble) -> (Trouble, Asked) {
    (trouble, Asked::default())
}

#[derive(Deserialize)]
struct WireAnswer {
    #[serde(default)]
    data: Value,
    errors: Option<Vec<WireGraphqlError>>,
}

#[derive(Deserialize)]
struct WireViewer {
    login: String,
    #[serde(rename = "databaseId")]
    id: u64,
}

#[derive(Deserialize)]
struct WireMade {
    commit: WireCommit,
}

#[derive(Deserialize)]
struct WireCommit {
    oid: Sha,
    url: String,
}
