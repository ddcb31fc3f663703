//! Baselines on a separate branch or in the workflow's cache.
//!
//! The limits still come from the base commit. A pull request that changes the workflow itself can manipulate either store,
//! see `docs/how-to/stored-baseline.md`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use perf_cli::Failure;

use super::baseline::{Base, BaselinePlace, has_rows};
use super::git::CheckoutRepository;
use super::inputs::ActionInputs;
use super::place::SuiteFolder;
use super::place::path;
use super::settings::{BaselineStore, RunSettings};
use crate::action::environment::variable;
use crate::action::log;

/// The branch that contains only baselines.
pub const BRANCH: &str = "perf-baseline";

/// The file name in the cached folder.
const CACHED: &str = "baseline.csv";

/// Loads the baseline from the branch or the cache into `here`. Returns `here` unchanged for other stores.
pub fn load(
    inputs: &ActionInputs,
    settings: &RunSettings,
    place: &SuiteFolder,
    folder: &Path,
    here: Base,
) -> anyhow::Result<Base> {
    let file = folder.join("base").join(&settings.baseline);
    match settings.store {
        BaselineStore::Pairs | BaselineStore::Commit | BaselineStore::Left => Ok(here),
        BaselineStore::Branch => load_from_branch(settings, place, folder, file, here),
        BaselineStore::Cache => load_from_cache(inputs, file, here),
    }
}

fn load_from_branch(
    settings: &RunSettings,
    place: &SuiteFolder,
    folder: &Path,
    file: PathBuf,
    here: Base,
) -> anyhow::Result<Base> {
    let name = &settings.baseline;
    let mut loaded = Base {
        baseline: BaselinePlace::File(file.clone()),
        ..here
    };
    let mut repository = CheckoutRepository::new(place, &folder.join("store"));
    let Some(commit) = repository.branch_head(BRANCH)? else {
        return Ok(loaded);
    };
    // The branch contains only baselines, so its whole history is small.
    if !repository.fetch_history(&commit)? {
        return Err(Failure::new(format!("cannot fetch the branch `{BRANCH}`")).into());
    }
    let Some(object) = repository.object(&commit, name)? else {
        return Ok(loaded);
    };
    repository.write(&commit, &object, &file)?;
    let path = place.in_repository(name).unwrap_or_default();
    loaded.has_baseline = has_rows(&file);
    loaded.baseline = BaselinePlace::Commit { commit, path, file };
    (loaded.store, loaded.objects) = (Some(repository.store()), repository.objects());
    Ok(loaded)
}

fn load_from_cache(inputs: &ActionInputs, file: PathBuf, here: Base) -> anyhow::Result<Base> {
    let mut has_baseline = false;
    // If the cache was not restored, a file in the folder comes from somewhere else.
    if variable("PERF_RESTORED").is_some() {
        copy(&cache_folder(inputs)?.join(CACHED), &file)?;
        has_baseline = has_rows(&file);
    }
    Ok(Base {
        baseline: BaselinePlace::File(file),
        has_baseline,
        ..here
    })
}

/// The cached folder, the same path as in `action.yml`. It is below the home folder because a cache is only restored to the
/// path that it was saved from, and `runner.temp` is different inside a container.
fn cache_folder(inputs: &ActionInputs) -> Result<PathBuf, Failure> {
    let home = std::env::home_dir().ok_or_else(|| {
        Failure::new("cannot find the home folder").hint("set HOME, or use `baseline: branch`")
    })?;
    Ok(home.join(".cache/perf-gate/baseline").join(&inputs.name))
}

/// Copies the cached baseline to the workspace before it is refreshed. Without one, removes the workspace's file.
pub fn restore_to_workspace(inputs: &ActionInputs, settings: &RunSettings) -> anyhow::Result<()> {
    let here = PathBuf::from(path(&settings.baseline));
    if variable("PERF_RESTORED").is_some() {
        return copy(&cache_folder(inputs)?.join(CACHED), &here);
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
