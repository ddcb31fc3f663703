//! The request for a refresh: the files that it commits, and how.

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
use super::subcommand::program;

/// True if a push brought nothing but refreshed numbers. The token of an app starts the workflow for a refresh, too.
/// A push that cannot be looked up is measured; so is one that begins a baseline, or leaves it without rows.
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
                &format!("cannot look up what was pushed: {message}"),
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

/// The default message of a commit that refreshes the numbers.
const MESSAGE: &str = "Refresh the performance numbers";

/// The request for a refresh, by the config of the checkout, which is the branch itself.
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
            program()?.into(),
            "ci".into(),
            "step".into(),
            "render".into(),
        ],
        ..defaults
    })
}
