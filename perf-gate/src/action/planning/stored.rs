//! A baseline that is not in the commits of the code: on a branch of its own, or in the cache of the workflow.
//!
//! The limits are those of the base commit all the same. Neither store is safe from a pull request that changes the
//! workflow itself: `docs/how-to/stored-baseline.md` says how.

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

/// The branch that has baselines and nothing else.
pub const BRANCH: &str = "perf-baseline";

/// The file in the folder that is cached.
const CACHED: &str = "baseline.csv";

/// Takes the baseline from its store, if it is in one; else `here` stays as it is.
pub fn take(
    inputs: &ActionInputs,
    settings: &RunSettings,
    place: &SuiteFolder,
    folder: &Path,
    here: Base,
) -> anyhow::Result<Base> {
    let file = folder.join("base").join(&settings.baseline);
    match settings.store {
        BaselineStore::Pairs | BaselineStore::Commit | BaselineStore::Left => Ok(here),
        BaselineStore::Branch => of_branch(settings, place, folder, file, here),
        BaselineStore::Cache => of_cache(inputs, file, here),
    }
}

fn of_branch(
    settings: &RunSettings,
    place: &SuiteFolder,
    folder: &Path,
    file: PathBuf,
    here: Base,
) -> anyhow::Result<Base> {
    let name = &settings.baseline;
    let mut taken = Base {
        baseline: BaselinePlace::File(file.clone()),
        ..here
    };
    let mut repository = CheckoutRepository::new(place, &folder.join("store"));
    let Some(commit) = repository.branch(BRANCH)? else {
        return Ok(taken);
    };
    // It has baselines and nothing else, so all of it is little.
    if !repository.fetch_history(&commit)? {
        return Err(Failure::new(format!("cannot fetch the branch `{BRANCH}`")).into());
    }
    let Some(object) = repository.object(&commit, name)? else {
        return Ok(taken);
    };
    repository.write(&commit, &object, &file)?;
    let path = place.in_repository(name).unwrap_or_default();
    taken.has_baseline = has_rows(&file);
    taken.baseline = BaselinePlace::Commit { commit, path, file };
    (taken.store, taken.objects) = (Some(repository.store()), repository.objects());
    Ok(taken)
}

fn of_cache(inputs: &ActionInputs, file: PathBuf, here: Base) -> anyhow::Result<Base> {
    let mut has_baseline = false;
    // What is in the folder although nothing was restored is not from the cache.
    if variable("PERF_RESTORED").is_some() {
        copy(&cache(inputs)?.join(CACHED), &file)?;
        has_baseline = has_rows(&file);
    }
    Ok(Base {
        baseline: BaselinePlace::File(file),
        has_baseline,
        ..here
    })
}

/// The folder that is cached, as `action.yml` names it. Below the home folder, because `runner.temp` is another path inside
/// a container, and a cache is only found under the path that it was saved under.
fn cache(inputs: &ActionInputs) -> Result<PathBuf, Failure> {
    let home = std::env::home_dir().ok_or_else(|| {
        Failure::new("there is no home folder").hint("set HOME, or use `baseline: branch`")
    })?;
    Ok(home.join(".cache/perf-gate/baseline").join(&inputs.name))
}

/// Gives the workspace the baseline of the cache, so that the new rows are written on top of it.
pub fn put_back(inputs: &ActionInputs, settings: &RunSettings) -> anyhow::Result<()> {
    let here = PathBuf::from(path(&settings.baseline));
    if variable("PERF_RESTORED").is_some() {
        return copy(&cache(inputs)?.join(CACHED), &here);
    }
    if here.is_file() {
        fs::remove_file(&here).with_context(|| format!("cannot remove `{}`", here.display()))?;
    }
    Ok(())
}

/// Leaves the baseline of the workspace where a later step caches it.
pub fn keep(inputs: &ActionInputs, settings: &RunSettings) -> anyhow::Result<()> {
    let folder = cache(inputs)?;
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
