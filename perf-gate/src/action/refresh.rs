//! Refreshes the baseline and the page.

use std::env;
use std::path::{Path, PathBuf};

use perf_cli::{Exit, Failure, failure};
use perf_config::Fallback;
use perf_github::Actions;
use perf_model::commit::CommitId;
use publish_perf_refresh::RefreshRequest;

use super::log;
use super::plan::ActionPlan;
use super::planning::{
    base::has_rows,
    inputs::ActionInputs,
    place::path,
    settings::{BaselineStore, RunSettings},
    stored,
};
use super::reporting::outcome::ActionOutcome;

/// Commits the baseline and the page that the step `measure` has written, or leaves them to a later step.
pub(super) fn refresh(
    plan: &ActionPlan,
    outcome: &ActionOutcome,
    actions: &Actions,
) -> anyhow::Result<Exit> {
    if let Some(error) = &outcome.unrendered {
        return Err(Failure::from(error).into());
    }
    if let Some(page) = &plan.settings.page
        && plan.settings.refreshed_page().is_none()
    {
        log::notice(
            &format!("the page `{}` is not refreshed", page.display()),
            &["a page is only refreshed together with a committed baseline"],
        );
    }
    match plan.settings.store {
        BaselineStore::Cache => {
            stored::save_to_cache(&plan.inputs, &plan.settings)?;
            log::output("refresh", "cached")?;
            Ok(Exit::Ok)
        }
        // A later step of the workflow stores the file.
        BaselineStore::Left => {
            log::output("refresh", "written")?;
            Ok(Exit::Ok)
        }
        BaselineStore::Pairs | BaselineStore::Commit | BaselineStore::Branch => {
            let request = request(&plan.inputs, &plan.settings)?;
            let report = publish_perf_refresh::publish(&request, actions)?;
            report.show()?;
            log::output("refresh", report.word())?;
            Ok(report.exit())
        }
    }
}

/// True if a push contains only refreshed numbers, such as a refresh that was pushed with an app's token, which starts the
/// workflow again. False if the push cannot be inspected or the baseline has no rows yet.
pub(super) fn is_refreshed(
    inputs: &ActionInputs,
    settings: &RunSettings,
    before: &CommitId,
) -> bool {
    let is_committed = matches!(settings.store, BaselineStore::Commit | BaselineStore::Pairs);
    if !is_committed || !has_rows(Path::new(&path(&settings.baseline))) {
        return false;
    }
    let answer = request(inputs, settings).and_then(|request| {
        publish_perf_refresh::only_refreshed(&request, &Actions::from_env()?, before)
    });
    match answer {
        Ok(answer) => answer,
        Err(error) => {
            let message = failure::message(&error);
            log::notice(
                &format!("cannot inspect the push: {message}"),
                &failure::hints(&error),
            );
            false
        }
    }
}

/// The default commit message.
const MESSAGE: &str = "Refresh the performance numbers";

/// Builds the request for a refresh, with the config of the checked-out branch.
fn request(inputs: &ActionInputs, settings: &RunSettings) -> anyhow::Result<RefreshRequest> {
    let config = perf_cli::load::config(inputs.config_file().as_deref())?;
    let refresh = config.refresh();
    let mut files = vec![PathBuf::from(path(&settings.baseline))];
    if let Some(page) = settings.refreshed_page() {
        let page = PathBuf::from(path(&page.to_string_lossy()));
        files.push(page);
    }
    let defaults = RefreshRequest::new(files);
    Ok(RefreshRequest {
        store: (settings.store == BaselineStore::Branch).then(|| stored::BRANCH.to_owned()),
        affects: refresh.affects.clone(),
        message: refresh.message.as_deref().unwrap_or(MESSAGE).to_owned(),
        fallback: refresh.fallback.unwrap_or(Fallback::PullRequest),
        attempts: refresh.attempts.map_or(defaults.attempts, u32::from),
        command: vec![
            env::current_exe()?.into(),
            "ci".into(),
            "step".into(),
            "render".into(),
        ],
        ..defaults
    })
}
