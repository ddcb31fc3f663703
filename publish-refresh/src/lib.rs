//! `publish-perf-refresh`: refreshed pages and baselines to a commit on the branch.

mod branch;
mod checkout;
mod content;
mod glob;
mod options;
mod origin;
mod outcome;
mod plan;
mod propose;
mod publish;
mod relevance;
mod render;
mod repo_path;
mod store;
mod summary;
mod tell;

use std::env;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;

use anyhow::Context;
use perf_cli::{Exit, Failure, term};
use perf_github::{Actions, Client, CommitId, Settings};

use crate::checkout::Checkout;
use crate::content::Version;
pub use crate::options::Cli;
use crate::origin::{Message, Origin};
use crate::outcome::{Outcome, Scene};
use crate::plan::Wanted;
use crate::publish::Job;
use crate::relevance::Relevance;
use crate::render::Renderer;
use crate::repo_path::RepoPath;

/// Runs the command.
///
/// # Errors
/// What keeps it from doing its work.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let published = publish(cli)?;
    term::stdout(&published.lines)?;
    Ok(published.exit)
}

/// What happened to the numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// `committed`, `unchanged`, `pull-request`, `newer`, `stale`, `superseded`, `planned` or `unpublished`.
    pub refresh: &'static str,
    /// How the command ends.
    pub exit: Exit,
    lines: String,
}

/// Commits the files, and says on standard error and in the job summary what happened to them.
///
/// # Errors
/// Everything that somebody has to fix.
pub fn publish(cli: &Cli) -> anyhow::Result<Published> {
    let actions = Actions::from_env()?;
    let checkout = checkout(cli)?;
    let published = published(cli, &checkout)?;
    let rendered =
        published.iter().map(|path| checkout.read_rendered(path)).collect::<Result<Vec<_>, _>>()?;
    let scene = scene(cli, &actions)?;
    let outcome = attempt(cli, &actions, &checkout, &scene, &rendered);
    tell::tell(&scene, actions.summary.as_deref(), &rendered, outcome)
}

/// Whether the pushed commits, all after `before`, changed nothing but published numbers, so that measuring them would
/// publish numbers of the same code again, and so on for ever.
///
/// # Errors
/// What keeps the push from being looked up.
pub fn only_refreshed(cli: &Cli, before: &CommitId) -> anyhow::Result<bool> {
    let actions = Actions::from_env()?;
    let published = published(cli, &checkout(cli)?)?;
    let scene = scene(cli, &actions)?;
    let client = client(&actions, &scene, Settings::from_env()?)?;
    Ok(branch::only_refreshed(&client, &published, before, &scene.measured).map_err(Failure::from)?)
}

fn checkout(cli: &Cli) -> anyhow::Result<Checkout> {
    let here = env::current_dir().context("cannot tell the current folder")?;
    let checkout = Checkout::around(&here)?;
    // Who names the repository says that this is its checkout.
    if let (None, Some(workspace)) = (&cli.repo, env::var_os("GITHUB_WORKSPACE")) {
        checkout.is_of_workflow(Path::new(&workspace))?;
    }
    Ok(checkout)
}

fn client(actions: &Actions, scene: &Scene, settings: Settings) -> Result<Client, Failure> {
    let client = Client::new(&actions.api, scene.repo.clone(), actions.token()?, settings);
    client.map_err(Failure::from)
}

/// The files in the order of their names, each of them once.
fn published(cli: &Cli, checkout: &Checkout) -> Result<Vec<RepoPath>, Failure> {
    let mut published = cli.file.iter().map(|path| checkout.name(path)).collect::<Result<Vec<_>, _>>()?;
    published.sort();
    published.dedup();
    Ok(published)
}

/// Where the numbers belong, by the command line or else by the workflow.
fn scene(cli: &Cli, actions: &Actions) -> Result<Scene, Failure> {
    let pushed = actions.event.branch().map(str::to_owned);
    let branch = cli.branch.clone().or(pushed).ok_or_else(|| {
        Failure::new("no branch to commit to: GITHUB_REF names none").hint("name one with `--branch`")
    })?;
    let measured = cli.measured.clone().or(actions.event.sha.clone()).ok_or_else(|| {
        Failure::new("no measured commit: GITHUB_SHA is not set")
            .hint("pass `--measured \"$(git rev-parse HEAD)\"`")
    })?;
    let repo = actions.repo(cli.repo.as_ref())?;
    let pushed = branch.clone();
    let branch = cli.store.clone().unwrap_or(branch);
    Ok(Scene { branch, pushed, measured, page: format!("{}/{repo}", actions.server), repo })
}

fn attempt(
    cli: &Cli,
    actions: &Actions,
    checkout: &Checkout,
    scene: &Scene,
    rendered: &[Version],
) -> anyhow::Result<Outcome> {
    let settings = Settings::from_env()?;
    let clock = settings.clock.clone();
    let client = client(actions, scene, settings)?;
    let published: Vec<RepoPath> = rendered.iter().map(|version| version.path.clone()).collect();
    let command = Renderer::new(&cli.command, cli.timeout);
    let mark = origin::mark(&env::var("GITHUB_JOB").unwrap_or_default(), random_u64());
    let origin = Origin { measured: scene.measured.clone(), run: actions.run, mark: Some(mark) };
    let job = Job {
        client: &client,
        clock: &*clock,
        checkout,
        branch: scene.pushed.clone(),
        store: cli.store.clone(),
        message: Message::new(&cli.message, &origin),
        wanted: Wanted { relevance: Relevance::new(&published, &cli.affects, &cli.unrelated), origin },
        command,
        fallback: cli.fallback,
        attempts: cli.attempts,
        dry_run: cli.dry_run,
        read_only: is_read_only(actions),
        random_u64,
    };
    job.run(rendered)
}

/// Whether nobody expects the token to write: it is Dependabot's, or the repository is a fork.
fn is_read_only(actions: &Actions) -> bool {
    actions.is_read_only() || actions.event.name == "push" && actions.event.is_in_fork()
}

/// The standard library seeds its hash tables so that nobody can guess them: no other source is needed here.
fn random_u64() -> u64 {
    RandomState::new().hash_one(0)
}
