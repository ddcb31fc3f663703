//! `publish-perf-refresh`: commits refreshed pages and baselines to a branch.

mod branch;
mod checkout;
mod content;
mod origin;
mod outcome;
mod plan;
mod propose;
mod publish;
mod relevance;
mod report;
mod request;

use std::env;
use std::path::Path;

use anyhow::Context;
use perf_cli::{Exit, Failure, term};
use perf_github::{Actions, CommitId};

use crate::checkout::Checkout;
use crate::content::{PublishedFile, RepoPath};
use crate::origin::MeasurementOrigin;
use crate::outcome::RefreshOutcome;
use crate::plan::WantedRefresh;
use crate::publish::{PublishJob, random_u64};
use crate::relevance::Relevance;
pub use crate::report::RefreshReport;
use crate::report::Scene;
pub use crate::request::{Cli, RefreshRequest};

/// Runs the command.
pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let report = publish(&cli.request, &Actions::from_env()?)?;
    report.show()?;
    term::stdout(&report.lines())?;
    Ok(report.exit())
}

/// Commits the files, and writes the outcome to the job summary, including the numbers if they could not be published.
pub fn publish(request: &RefreshRequest, actions: &Actions) -> anyhow::Result<RefreshReport> {
    let (checkout, published) = find_files(request)?;
    let rendered = checkout.read(&published)?;
    let scene = scene(request, actions)?;
    let outcome = run_job(request, actions, &checkout, &scene, &published, &rendered);
    report::summarize(scene, actions.summary.as_deref(), &rendered, outcome)
}

/// Whether the pushed commits after `before` only changed published numbers. Measuring such a push would publish
/// numbers for the same code again, in an endless loop.
pub fn only_refreshed(
    request: &RefreshRequest,
    actions: &Actions,
    before: &CommitId,
) -> anyhow::Result<bool> {
    let (_, published) = find_files(request)?;
    let scene = scene(request, actions)?;
    let client = actions.client_of(Some(&scene.repo))?;
    let only = branch::only_refreshed(&client, &published, before, &scene.measured);
    Ok(only.map_err(Failure::from)?)
}

/// The checkout, and the repository paths of the files, sorted and without duplicates.
fn find_files(request: &RefreshRequest) -> anyhow::Result<(Checkout, Vec<RepoPath>)> {
    let here = env::current_dir().context("cannot determine the current folder")?;
    let checkout = Checkout::around(&here)?;
    // If the repository is given, trust that it is the checkout's.
    if let (None, Some(workspace)) = (&request.repo, env::var_os("GITHUB_WORKSPACE")) {
        checkout.check_workspace(Path::new(&workspace))?;
    }
    let mut published = Vec::new();
    for path in &request.file {
        published.push(checkout.repo_path(path)?);
    }
    published.sort();
    published.dedup();
    Ok((checkout, published))
}

/// The repository, branch and measured commit, from the command line or from the workflow.
fn scene(request: &RefreshRequest, actions: &Actions) -> Result<Scene, Failure> {
    let pushed = actions.event.branch().map(str::to_owned);
    let branch = request.branch.clone().or(pushed).ok_or_else(|| {
        Failure::new("no branch to commit to: GITHUB_REF is not a branch")
            .hint("set one with `--branch`")
    })?;
    let measured = request.measured.clone().or(actions.event.sha.clone());
    let measured = measured.ok_or_else(|| {
        Failure::new("no measured commit: GITHUB_SHA is not set")
            .hint("pass `--measured \"$(git rev-parse HEAD)\"`")
    })?;
    let repo = actions.repo(request.repo.as_ref())?;
    Ok(Scene {
        branch,
        measured,
        page: format!("{}/{repo}", actions.server),
        repo,
    })
}

fn run_job(
    request: &RefreshRequest,
    actions: &Actions,
    checkout: &Checkout,
    scene: &Scene,
    published: &[RepoPath],
    rendered: &[PublishedFile],
) -> anyhow::Result<RefreshOutcome> {
    let client = actions.client_of(Some(&scene.repo))?;
    let origin = MeasurementOrigin {
        measured: scene.measured.clone(),
        run: actions.run,
        mark: Some(format!("{:016x}", random_u64())),
    };
    let job = PublishJob {
        client: &client,
        checkout,
        scene,
        request,
        wanted: WantedRefresh {
            relevance: Relevance::new(published, &request.affects),
            origin,
        },
        // Runs for Dependabot, and runs in forks, must not write.
        read_only: actions.is_read_only()
            || actions.event.name == "push" && actions.event.is_in_fork(),
    };
    job.run(rendered)
}
