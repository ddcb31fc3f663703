//! Builds the request for a refresh, which commits the baseline and the page.

use std::path::{Path, PathBuf};

use perf_cli::failure;
use perf_config::Fallback;
use perf_github::Actions;
use perf_model::commit::CommitId;
use publish_perf_refresh::RefreshRequest;

use super::log;
use super::planning::{
    baseline::has_rows,
    inputs::ActionInputs,
    place::path,
    settings::{BaselineStore, RunSettings},
    stored,
};

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
    match only_refreshed(inputs, settings, before) {
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

fn only_refreshed(
    inputs: &ActionInputs,
    settings: &RunSettings,
    before: &CommitId,
) -> anyhow::Result<bool> {
    let request = request(inputs, settings)?;
    publish_perf_refresh::only_refreshed(&request, &Actions::from_env()?, before)
}

/// The default commit message.
const MESSAGE: &str = "Refresh the performance numbers";

/// Builds the request for a refresh, with the config of the checked-out branch.
pub(super) fn request(
    inputs: &ActionInputs,
    settings: &RunSettings,
) -> anyhow::Result<RefreshRequest> {
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
            std::env::current_exe()?.into(),
            "ci".into(),
            "step".into(),
            "render".into(),
        ],
        ..defaults
    })
}
