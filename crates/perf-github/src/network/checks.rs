//! Commit statuses, which branch protection can require, and check runs, which contain a report.

use http::Method;
use perf_model::commit::CommitId;
use serde_json::{Value, json};

use super::actions::RunAttempt;
use super::client::Client;
use super::error::{ApiError, ApiErrorKind, none_if_missing};

pub use octocrab::models::StatusState as State;

/// The maximum length of a status's description in characters.
const LONGEST_DESCRIPTION: usize = 140;

/// A verdict on a commit, for a check run or a commit status. A later check with the same name replaces an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The outcome, or `None` if nothing was compared. With `None`, a check run is neutral and a status succeeds.
    pub state: Option<State>,
    /// The name that GitHub shows, and by which branch protection requires the check.
    pub name: String,
    /// One line. In a status, it is shortened to GitHub's limit.
    pub title: String,
    /// The report in Markdown. A status does not show it.
    pub text: String,
    /// The URL that the check links to.
    pub details: Option<String>,
}

impl Client {
    /// Whether a run attempt exists. The token needs `actions: read`.
    pub fn has_run(&self, run: RunAttempt) -> Result<bool, ApiError> {
        let [id, attempt] = [run.id.to_string(), run.attempt.to_string()];
        let pieces = ["actions", "runs", &id, "attempts", &attempt, "jobs"];
        let found = none_if_missing(self.done(&self.call("read the run", &pieces)))?;
        Ok(found.is_some())
    }

    /// Creates a check run for a commit. Returns false if the token does not have the permission for it, which is `checks:
    /// write`.
    pub fn create_check(&self, commit: &CommitId, check: &Check) -> Result<bool, ApiError> {
        let conclusion = match check.state {
            None => "neutral",
            Some(State::Success) => "success",
            Some(_) => "failure",
        };
        let mut body = json!({
            "name": check.name,
            "head_sha": commit.as_str(),
            "status": "completed",
            "conclusion": conclusion,
            "output": { "title": check.title, "summary": check.title, "text": check.text },
        });
        if let Some(details) = &check.details {
            body["details_url"] = json!(details);
        }
        let call = self
            .call("create a check run", &["check-runs"])
            .write(Method::POST, body);
        match self.done(&call) {
            Err(error)
                if matches!(
                    error.kind,
                    ApiErrorKind::Permission | ApiErrorKind::NotFound
                ) =>
            {
                Ok(false)
            }
            created => created.map(|()| true),
        }
    }

    /// Returns the texts of the newest check runs that the app `app` created for a commit. The token needs `checks: read`.
    pub fn check_texts(&self, commit: &CommitId, app: &str) -> Result<Vec<String>, ApiError> {
        let pieces = ["commits", commit.as_str(), "check-runs"];
        let call = self.call("list the check runs", &pieces);
        let mut texts = Vec::new();
        for run in self.all_of::<Value>(call, "/check_runs")? {
            let text = run.pointer("/output/text").and_then(Value::as_str);
            if let Some(text) = text
                && run.pointer("/app/slug").and_then(Value::as_str) == Some(app)
            {
                texts.push(text.to_owned());
            }
        }
        Ok(texts)
    }

    /// Sets a commit status. The token needs `statuses: write`.
    pub fn create_status(&self, commit: &CommitId, check: &Check) -> Result<(), ApiError> {
        let mut body = json!({
            "state": check.state.unwrap_or(State::Success),
            "context": check.name,
            "description": check.title.chars().take(LONGEST_DESCRIPTION).collect::<String>(),
        });
        if let Some(target) = &check.details {
            body["target_url"] = json!(target);
        }
        let pieces = ["statuses", commit.as_str()];
        let call = self
            .call("set the status of the commit", &pieces)
            .write(Method::POST, body);
        self.done(&call.needs("statuses: write"))
    }
}
