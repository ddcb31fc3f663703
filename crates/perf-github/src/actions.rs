//! What a workflow's environment tells a program.
//!
//! | variable | what for |
//! |---|---|
//! | `GITHUB_TOKEN`, else `GH_TOKEN` | the token; the first that is set and not empty |
//! | `GITHUB_REPOSITORY` | the repository |
//! | `GITHUB_API_URL`, `GITHUB_GRAPHQL_URL`, `GITHUB_SERVER_URL` | where GitHub is, when not at github.com |
//! | `GITHUB_EVENT_NAME`, `GITHUB_EVENT_PATH` | what started the workflow |
//! | `GITHUB_RUN_ID`, `GITHUB_RUN_ATTEMPT`, `GITHUB_RUN_NUMBER` | which run this is |
//! | `GITHUB_SHA`, `GITHUB_ACTOR`, `GITHUB_WORKFLOW` | of what, by whom, in which workflow |
//! | `GITHUB_STEP_SUMMARY`, `GITHUB_OUTPUT` | files that GitHub reads afterwards |
//!
//! A variable that is set but empty counts as unset. One that is set to nonsense is an error; one that is missing is an
//! error only for whoever needs it.

use std::path::PathBuf;

use perf_cli::Failure;
use perf_cli::term::{printable, shown};

use crate::api::Api;
use crate::event::Event;
use crate::names::{Repo, Sha};
use crate::token::Token;

/// What the environment tells. Outside of a workflow, most of it is absent.
#[derive(Clone, Debug)]
pub struct Actions {
    repo: Option<Repo>,
    token: Option<Token>,
    /// Where the API is.
    pub api: Api,
    /// Where people look, without a slash at its end: `https://github.com`.
    pub server: String,
    /// What started the workflow.
    pub event: Event,
    /// Which run this is.
    pub run: Option<Run>,
    /// The commit that the workflow runs on; for a pull request, the trial merge.
    pub sha: Option<Sha>,
    /// Who started it.
    pub actor: Option<String>,
    /// The workflow's name.
    pub workflow: Option<String>,
    /// Where the job summary is appended to.
    pub summary: Option<PathBuf>,
    /// Where the step's outputs are appended to.
    pub output: Option<PathBuf>,
}

/// One run of a workflow. A later one has a larger number, a repeated one a larger attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// Unique on the server, and growing.
    pub id: u64,
    /// From 1, for each time that it was started again.
    pub attempt: u32,
    /// From 1, within its workflow.
    pub number: u64,
}

impl Actions {
    /// Reads this process's environment.
    ///
    /// # Errors
    /// A variable that is set to nonsense, or an event whose payload cannot be read.
    pub fn from_env() -> Result<Self, Failure> {
        Self::read(|name| std::env::var(name).ok())
    }

    /// Reads the environment that `variable` knows.
    ///
    /// # Errors
    /// A variable that is set to nonsense, or an event whose payload cannot be read.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Failure> {
        let variable = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let rest = variable("GITHUB_API_URL");
        let graphql = variable("GITHUB_GRAPHQL_URL");
        let server = variable("GITHUB_SERVER_URL").unwrap_or_else(|| "https://github.com".into());
        let token = variable("GITHUB_TOKEN").or_else(|| variable("GH_TOKEN"));
        Ok(Self {
            repo: parsed(&variable, "GITHUB_REPOSITORY")?,
            token: token.map(|text| Token::new(&text)).transpose()?,
            api: match rest {
                Some(rest) => Api::new(&rest, graphql.as_deref())?,
                None => Api::default(),
            },
            server: server.trim_end_matches('/').into(),
            event: event(&variable)?,
            run: run(&variable)?,
            sha: parsed(&variable, "GITHUB_SHA")?,
            actor: variable("GITHUB_ACTOR"),
            workflow: variable("GITHUB_WORKFLOW"),
            summary: variable("GITHUB_STEP_SUMMARY").map(Into::into),
            output: variable("GITHUB_OUTPUT").map(Into::into),
        })
    }

    /// The repository that the command line names, or else the workflow's.
    ///
    /// # Errors
    /// When there is neither.
    pub fn repo(&self, named: Option<&Repo>) -> Result<Repo, Failure> {
        named.or(self.repo.as_ref()).cloned().ok_or_else(|| {
            Failure::new("no repository given").hint("pass `--repo OWNER/NAME`, or set GITHUB_REPOSITORY")
        })
    }

    /// The token.
    ///
    /// # Errors
    /// When there is none.
    pub fn token(&self) -> Result<&Token, Failure> {
        self.token.as_ref().ok_or_else(|| {
            Failure::new("no token: neither GITHUB_TOKEN nor GH_TOKEN is set")
                .hint("in a workflow, pass it by `env: GITHUB_TOKEN: ${{ github.token }}`")
        })
    }

    /// The page of this run, where people find its job summary.
    pub fn run_url(&self) -> Option<String> {
        let (repo, run) = (self.repo.as_ref()?, self.run?);
        Some(format!("{}/{repo}/actions/runs/{}/attempts/{}", self.server, run.id, run.attempt))
    }

    /// The event's pull request, if it has one.
    pub fn pull(&self) -> Option<&crate::Pull> {
        match &self.event {
            Event::PullRequest { pull, .. } => Some(pull),
            _ => None,
        }
    }

    /// Whether GitHub hands this run a token that may not write, and no secrets: it was started by a pull request from a
    /// fork, or by Dependabot.
    pub fn is_read_only(&self) -> bool {
        let by_dependabot = self.actor.as_deref() == Some("dependabot[bot]");
        match &self.event {
            Event::PullRequest { target: true, .. } => false,
            Event::PullRequest { pull, .. } => pull.is_from_fork() || by_dependabot,
            Event::Push(_) => by_dependabot,
            _ => false,
        }
    }
}

type Variable<'v> = dyn Fn(&str) -> Option<String> + 'v;

fn parsed<T>(variable: &Variable<'_>, name: &str) -> Result<Option<T>, Failure>
where
    T: std::str::FromStr,
    T::Err: std::fmt::Display,
{
    let Some(value) = variable(name) else { return Ok(None) };
    let why = |error| Failure::new(format!("{name} is set to `{}`: {error}", printable(&value)));
    value.trim().parse().map(Some).map_err(why)
}

fn run(variable: &Variable<'_>) -> Result<Option<Run>, Failure> {
    let Some(id) = parsed(variable, "GITHUB_RUN_ID")? else { return Ok(None) };
    let attempt = parsed(variable, "GITHUB_RUN_ATTEMPT")?.unwrap_or(1);
    let number = parsed(variable, "GITHUB_RUN_NUMBER")?.unwrap_or(1);
    Ok(Some(Run { id, attempt, number }))
}

fn event(variable: &Variable<'_>) -> Result<Event, Failure> {
    let name = variable("GITHUB_EVENT_NAME").unwrap_or_default();
    if !Event::has_payload(&name) {
        return Ok(Event::Other(name));
    }
    let path = variable("GITHUB_EVENT_PATH").map(PathBuf::from).ok_or_else(|| {
        Failure::new(format!("GITHUB_EVENT_NAME is `{name}`, but GITHUB_EVENT_PATH is not set"))
            .hint("unset both to work outside of a workflow")
    })?;
    let cannot = || Failure::new(format!("cannot read the event `{name}` from GITHUB_EVENT_PATH"));
    let payload = perf_cli::file::read_text(&path).map_err(|error| cannot().because(error))?;
    Event::parse(&name, &payload).map_err(|error| {
        cannot().because(Failure::new(format!("`{}`: {}", shown(&path), printable(&error.to_string()))))
    })
}
