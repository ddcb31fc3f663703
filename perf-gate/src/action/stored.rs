//! Requests to refresh a committed baseline.

use std::env;
use std::path::{Path, PathBuf};

use perf_cli::actions::Level;
use perf_cli::load;
use perf_config::Fallback;
use perf_github::Actions;
use perf_model::commit::CommitId;
use publish_perf_refresh::RefreshRequest;

use super::base::has_rows;
use super::inputs::{ActionInputs, BaselineStore, RunSettings};
use super::log;

/// Builds the request for a refresh, with the config of the checked-out branch.
pub fn refresh_request(
    inputs: &ActionInputs,
    settings: &RunSettings,
) -> anyhow::Result<RefreshRequest> {
    let config = load::config(inputs.config.as_deref())?;
    let refresh = config.refresh();
    let mut file = vec![PathBuf::from(&settings.baseline)];
    file.extend(settings.refreshed_page().map(Path::to_owned));
    Ok(RefreshRequest {
        file,
        branch: None,
        repo: None,
        measured: None,
        affects: refresh.affects.clone(),
        message: refresh
            .message
            .as_deref()
            .unwrap_or("Refresh the performance numbers")
            .to_owned(),
        fallback: refresh.fallback.unwrap_or(Fallback::PullRequest),
        command: vec![
            env::current_exe()?.into(),
            "ci".into(),
            "step".into(),
            "render".into(),
        ],
    })
}

/// Shows a notice and returns true if a push contains only refreshed numbers. With an app's token, such a push starts
/// the workflow again. Returns false if the push cannot be inspected or the baseline has no rows yet.
pub fn is_refreshed(
    inputs: &ActionInputs,
    settings: &RunSettings,
    actions: &Actions,
    before: &CommitId,
) -> bool {
    if settings.store == BaselineStore::Left || !has_rows(Path::new(&settings.baseline)) {
        return false;
    }
    let answer = refresh_request(inputs, settings)
        .and_then(|request| publish_perf_refresh::only_refreshed(&request, actions, before));
    let is_refreshed = answer.unwrap_or_else(|error| {
        log::show_error(Level::Notice, &error.context("cannot inspect the push"));
        false
    });
    if is_refreshed {
        log::show(
            Level::Notice,
            "nothing is measured: the push contains only refreshed numbers",
            &["list these files in `paths-ignore` to avoid starting the workflow"],
        );
    }
    is_refreshed
}
