//! Requests to refresh a committed baseline.

use std::path::{Path, PathBuf};
use std::{env, fs};

use perf_cli::{failure, load};
use perf_config::Fallback;
use perf_github::Actions;
use perf_model::commit::CommitId;
use publish_perf_refresh::RefreshRequest;

use super::inputs::ActionInputs;
use super::log;
use super::place::path;
use super::settings::{BaselineStore, RunSettings};

/// True if a baseline contains rows after its header.
pub fn has_rows(file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|text| text.lines().count() > 1)
}

/// The default commit message.
const MESSAGE: &str = "Refresh the performance numbers";

/// Builds the request for a refresh, with the config of the checked-out branch.
pub fn refresh_request(
    inputs: &ActionInputs,
    settings: &RunSettings,
) -> anyhow::Result<RefreshRequest> {
    let config = load::config(inputs.config_file().as_deref())?;
    let refresh = config.refresh();
    let mut files = vec![PathBuf::from(path(&settings.baseline))];
    if let Some(page) = settings.refreshed_page() {
        let page = PathBuf::from(path(&page.to_string_lossy()));
        files.push(page);
    }
    let defaults = RefreshRequest::new(files);
    Ok(RefreshRequest {
        affects: refresh.affects.clone(),
        message: refresh.message.as_deref().unwrap_or(MESSAGE).to_owned(),
        fallback: refresh.fallback.unwrap_or(Fallback::PullRequest),
        command: vec![
            env::current_exe()?.into(),
            "ci".into(),
            "step".into(),
            "render".into(),
        ],
        ..defaults
    })
}

/// True if a push contains only refreshed numbers, such as a refresh that was pushed with an app's token, which starts the
/// workflow again. False if the push cannot be inspected or the baseline has no rows yet.
pub fn is_refreshed(inputs: &ActionInputs, settings: &RunSettings, before: &CommitId) -> bool {
    if settings.store == BaselineStore::Left || !has_rows(Path::new(&path(&settings.baseline))) {
        return false;
    }
    let answer = refresh_request(inputs, settings).and_then(|request| {
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
