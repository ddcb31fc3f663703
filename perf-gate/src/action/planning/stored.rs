//! Baselines on a separate branch or in the workflow's cache.
//!
//! The limits still come from the base commit. A pull request that changes the workflow itself can manipulate either store,
//! see `docs/how-to/stored-baseline.md`.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::Context;
use perf_cli::{Failure, failure};
use perf_config::Fallback;
use perf_github::Actions;
use perf_model::commit::CommitId;
use publish_perf_refresh::RefreshRequest;

use super::inputs::ActionInputs;
use super::place::path;
use super::settings::{BaselineStore, RunSettings};
use crate::action::environment::variable;
use crate::action::log;

/// The branch that contains only baselines.
pub const BRANCH: &str = "perf-baseline";

/// The file name in the cached folder.
const CACHED: &str = "baseline.csv";

/// Copies the cached baseline to a file. Returns whether it has rows.
pub fn load_from_cache(inputs: &ActionInputs, file: &Path) -> anyhow::Result<bool> {
    // If the cache was not restored, a file in the folder comes from somewhere else.
    if variable("PERF_RESTORED").is_none() {
        return Ok(false);
    }
    copy(&cache_folder(inputs)?.join(CACHED), file)?;
    Ok(has_rows(file))
}

/// The cached folder, the same path as in `action.yml`. It is below the home folder because a cache is only restored to the
/// path that it was saved from, and `runner.temp` is different inside a container.
fn cache_folder(inputs: &ActionInputs) -> Result<PathBuf, Failure> {
    let home = env::home_dir().ok_or_else(|| {
        Failure::new("cannot find the home folder").hint("set HOME, or use `baseline: branch`")
    })?;
    Ok(home.join(".cache/perf-gate/baseline").join(&inputs.name))
}

/// Copies the cached baseline to the workspace before it is refreshed. Without one, removes the workspace's file.
pub fn restore_to_workspace(cached: &Path, settings: &RunSettings) -> anyhow::Result<()> {
    let here = PathBuf::from(path(&settings.baseline));
    if cached.is_file() {
        return copy(cached, &here);
    }
    if here.is_file() {
        fs::remove_file(&here).with_context(|| format!("cannot remove `{}`", here.display()))?;
    }
    Ok(())
}

/// Copies the workspace's baseline to the folder that a later step caches.
pub fn save_to_cache(inputs: &ActionInputs, settings: &RunSettings) -> anyhow::Result<()> {
    let folder = cache_folder(inputs)?;
    copy(Path::new(&path(&settings.baseline)), &folder.join(CACHED))?;
    let part = |name| variable(name).unwrap_or_default();
    let run = ["GITHUB_SHA", "GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT"]
        .map(part)
        .join("-");
    log::output(
        "cache-key",
        &format!("perf-gate-baseline/{}/{run}", inputs.name),
    )
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to)
        .with_context(|| format!("cannot copy `{}` to `{}`", from.display(), to.display()))?;
    Ok(())
}

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
    let config = perf_cli::load::config(inputs.config_file().as_deref())?;
    let refresh = config.refresh();
    let mut files = vec![PathBuf::from(path(&settings.baseline))];
    if let Some(page) = settings.refreshed_page() {
        let page = PathBuf::from(path(&page.to_string_lossy()));
        files.push(page);
    }
    let defaults = RefreshRequest::new(files);
    Ok(RefreshRequest {
        store: (settings.store == BaselineStore::Branch).then(|| BRANCH.to_owned()),
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

/// True if a push contains only refreshed numbers, such as a refresh that was pushed with an app's token, which starts the
/// workflow again. False if the push cannot be inspected or the baseline has no rows yet.
pub fn is_refreshed(inputs: &ActionInputs, settings: &RunSettings, before: &CommitId) -> bool {
    let is_committed = matches!(settings.store, BaselineStore::Commit | BaselineStore::Pairs);
    if !is_committed || !has_rows(Path::new(&path(&settings.baseline))) {
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
