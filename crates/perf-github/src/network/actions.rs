//! The environment of a workflow.
//!
//! | variable | content |
//! |---|---|
//! | `GITHUB_TOKEN` or `GH_TOKEN` | the token; the first non-empty one |
//! | `GITHUB_REPOSITORY` | the repository |
//! | `GITHUB_API_URL`, `GITHUB_SERVER_URL` | GitHub's URLs (default: github.com) |
//! | `GITHUB_EVENT_NAME`, `GITHUB_EVENT_PATH`, `GITHUB_REF`, `GITHUB_SHA` | the event, its branch or tag, and its commit |
//! | `GITHUB_RUN_ID`, `GITHUB_RUN_ATTEMPT` | the workflow run |
//! | `GITHUB_ACTOR` | the account that started the run |
//! | `GITHUB_STEP_SUMMARY` | the file with the job summary |
//!
//! An empty variable is treated as unset. An invalid variable is an error when the environment is read. A missing variable
//! is an error only when its value is needed.

use std::fmt;
use std::num::ParseIntError;
use std::path::PathBuf;
use std::str::FromStr;

use perf_cli::Failure;
use serde::{Deserialize, Serialize};

use super::api::Api;
use super::client::{Client, ClientSettings};
use super::token::Token;
use crate::event::{Event, parsed};
use crate::names::Repo;

/// The environment of a workflow. Outside of a workflow, most fields are `None`.
#[derive(Clone, Debug)]
pub struct Actions {
    repo: Option<Repo>,
    token: Option<Token>,
    /// The URLs of GitHub's APIs.
    pub api: Api,
    /// GitHub's URL for browsers without a trailing slash, such as `https://github.com`.
    pub server: String,
    /// The event that started the workflow.
    pub event: Event,
    /// The current workflow run, or `None` outside of a workflow.
    pub run: Option<RunAttempt>,
    actor: Option<String>,
    /// The file that the job summary is written to, or `None` outside of a workflow.
    pub summary: Option<PathBuf>,
}

/// An attempt of a workflow run. Attempts are ordered by time: a later run has a larger ID, and a rerun has the same ID and
/// a larger attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunAttempt {
    /// The run's ID, which is unique on the server.
    pub id: u64,
    /// The attempt's number, starting at 1.
    pub attempt: u32,
}

impl fmt::Display for RunAttempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.id, self.attempt)
    }
}

impl FromStr for RunAttempt {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        let (id, attempt) = text.split_once('.').unwrap_or((text, "1"));
        Ok(Self {
            id: id.parse()?,
            attempt: attempt.parse()?,
        })
    }
}

impl Actions {
    /// Reads this process's environment. Fails if a variable is invalid, or if the event's payload is required but missing
    /// or unreadable.
    pub fn from_env() -> Result<Self, Failure> {
        Self::read(|name| std::env::var(name).ok())
    }

    /// Like [`Actions::from_env`], but calls `variable` for the value of each environment variable.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Failure> {
        let variable = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let server = variable("GITHUB_SERVER_URL").unwrap_or_else(|| "https://github.com".into());
        let api = variable("GITHUB_API_URL").unwrap_or_else(|| "https://api.github.com".into());
        let token = variable("GITHUB_TOKEN").or_else(|| variable("GH_TOKEN"));
        let mut run = None;
        if let Some(id) = parsed(&variable, "GITHUB_RUN_ID")? {
            let attempt = parsed(&variable, "GITHUB_RUN_ATTEMPT")?.unwrap_or(1);
            run = Some(RunAttempt { id, attempt });
        }
        Ok(Self {
            repo: parsed(&variable, "GITHUB_REPOSITORY")?,
            token: token.map(|text| Token::new(&text)).transpose()?,
            api: Api::new(&api)?,
            server: server.trim_end_matches('/').into(),
            event: Event::read(&variable)?,
            run,
            actor: variable("GITHUB_ACTOR"),
            summary: variable("GITHUB_STEP_SUMMARY").map(Into::into),
        })
    }

    /// Replaces the token in a text with `***`.
    pub fn redact(&self, text: &str) -> String {
        match &self.token {
            Some(token) => token.redact(text),
            None => text.to_owned(),
        }
    }

    /// Returns `named`, the repository from the command line, or the workflow's repository if `named` is `None`. Fails if
    /// both are missing.
    pub fn repo(&self, named: Option<&Repo>) -> Result<Repo, Failure> {
        named.or(self.repo.as_ref()).cloned().ok_or_else(|| {
            Failure::new("no repository given")
                .hint("pass `--repo OWNER/NAME`, or set GITHUB_REPOSITORY")
        })
    }

    /// The token. Fails if none is set.
    pub fn token(&self) -> Result<&Token, Failure> {
        self.token.as_ref().ok_or_else(|| {
            Failure::new("no token: neither GITHUB_TOKEN nor GH_TOKEN is set")
                .hint("in a workflow, pass it by `env: GITHUB_TOKEN: ${{ github.token }}`")
        })
    }

    /// Creates a client for the workflow's repository, with the workflow's token and the settings from the environment.
    pub fn client(&self) -> Result<Client, Failure> {
        self.client_of(None)
    }

    /// Creates a client for `named`, or for the workflow's repository if `named` is `None`.
    pub fn client_of(&self, named: Option<&Repo>) -> Result<Client, Failure> {
        let repo = self.repo(named)?;
        let (token, settings) = (self.token()?, ClientSettings::from_env()?);
        Ok(Client::new(&self.api, repo, token, settings)?)
    }

    /// The URL of this run's page, which contains the job summary. `None` outside of a workflow.
    pub fn run_url(&self) -> Option<String> {
        let (repo, run) = (self.repo.as_ref()?, self.run?);
        Some(format!(
            "{}/{repo}/actions/runs/{}/attempts/{}",
            self.server, run.id, run.attempt
        ))
    }

    /// True if this run has a read-only token and no secrets, because a pull request from a fork or Dependabot started the
    /// run.
    pub fn is_read_only(&self) -> bool {
        let by_dependabot = self.actor.as_deref() == Some("dependabot[bot]");
        match (self.event.name.as_str(), &self.event.pull_request) {
            ("pull_request", Some(pull)) => pull.is_from_fork() || by_dependabot,
            ("push", _) => by_dependabot,
            _ => false,
        }
    }
}
