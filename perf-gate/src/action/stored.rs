//! A baseline that is not in the commits of the code: on a branch of its own, or in the cache of the workflow.
//!
//! The limits are those of the base commit all the same. Neither store is safe from a pull request that changes the
//! workflow itself: `docs/baseline-stores.md` says how.

use std::fs;
use std::path::{Path, PathBuf};

use perf_cli::Failure;

use super::base::{Base, has_rows, option};
use super::git::Repository;
use super::inputs::{Inputs, Store, variable};
#[cfg(feature = "github")]
use super::log;
use super::place::Place;
#[cfg(feature = "github")]
use super::place::path;
#[cfg(feature = "github")]
use super::plan::Plan;

/// The branch that has baselines and nothing else.
pub(super) const BRANCH: &str = "perf-baseline";

/// The file in the folder that is cached.
const CACHED: &str = "baseline.csv";

/// Takes the baseline from its store, if it is in one; else `here` stays as it is.
///
/// # Errors
/// A branch that cannot be read, or a file that cannot be written.
pub(super) fn take(inputs: &Inputs, place: &Place, folder: &Path, here: Base) -> anyhow::Result<Base> {
    let file = folder.join("base").join(&inputs.baseline);
    let taken = Base {
        baseline: option("--baseline-csv", file.to_string_lossy().into_owned()),
        file,
        ..here.clone()
    };
    match inputs.baseline_store {
        _ if inputs.is_measuring() => Ok(here),
        Store::Commit | Store::Workspace => Ok(here),
        Store::Branch => of_branch(inputs, place, folder, taken),
        Store::Cache => of_cache(inputs, taken),
    }
}

fn of_branch(inputs: &Inputs, place: &Place, folder: &Path, mut taken: Base) -> anyhow::Result<Base> {
    let name = &inputs.baseline;
    let mut repository = Repository::new(place, &folder.join("store"));
    let Some(tip) = repository.branch(BRANCH)? else { return Ok(taken) };
    let fetched =
        if inputs.history.is_empty() { repository.fetch(&tip)? } else { repository.fetch_history(&tip)? };
    if !fetched {
        return Err(Failure::new(format!("cannot fetch the branch `{BRANCH}`")).into());
    }
    let Some(object) = repository.object(&tip, name)? else { return Ok(taken) };
    repository.write(&tip, &object, &taken.file)?;
    let path = place.in_repository(name).unwrap_or_default();
    taken.baseline = option("--baseline-git", format!("{tip}:{path}"));
    taken.has_baseline = has_rows(&taken.file);
    (taken.store, taken.objects) = (Some(repository.store()), repository.objects());
    Ok(taken)
}

fn of_cache(inputs: &Inputs, mut taken: Base) -> anyhow::Result<Base> {
    // What is in the folder although nothing was restored is not from the cache.
    if variable("PERF_RESTORED").is_some() {
        copy(&cache(inputs)?.join(CACHED), &taken.file)?;
        taken.has_baseline = has_rows(&taken.file);
    }
    Ok(taken)
}

/// The folder that is cached, as `action.yml` names it. Below the home folder, because `runner.temp` is another path inside
/// a container, and a cache is only found under the path that it was saved under.
fn cache(inputs: &Inputs) -> Result<PathBuf, Failure> {
    let home = std::env::home_dir().ok_or_else(|| {
        Failure::new("there is no home folder").hint("set HOME, or use `baseline-store: branch`")
    })?;
    Ok(home.join(".cache/perf-gate/baseline").join(&inputs.comment_key))
}

/// Gives the workspace the baseline of the cache, so that the new rows are written on top of it.
///
/// # Errors
/// A file that cannot be written or removed.
#[cfg(feature = "github")]
pub(super) fn put_back(plan: &Plan) -> anyhow::Result<()> {
    let here = PathBuf::from(path(&plan.inputs.baseline));
    if variable("PERF_RESTORED").is_some() {
        return copy(&cache(&plan.inputs)?.join(CACHED), &here);
    }
    if here.is_file() {
        fs::remove_file(&here)
            .map_err(|error| Failure::new(format!("cannot remove `{}`", here.display())).because(error))?;
    }
    Ok(())
}

/// Leaves the baseline of the workspace where a later step caches it.
///
/// # Errors
/// A file that cannot be written.
#[cfg(feature = "github")]
pub(super) fn keep(plan: &Plan) -> anyhow::Result<()> {
    let folder = cache(&plan.inputs)?;
    copy(Path::new(&path(&plan.inputs.baseline)), &folder.join(CACHED))?;
    let part = |name| variable(name).unwrap_or_default();
    let run = ["GITHUB_SHA", "GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT"].map(part).join("-");
    log::output("cache-key", &format!("perf-gate-baseline/{}/{run}", plan.inputs.comment_key))
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    let cannot = |error| {
        Failure::new(format!("cannot copy `{}` to `{}`", from.display(), to.display())).because(error)
    };
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(cannot)?;
    }
    fs::copy(from, to).map_err(cannot)?;
    Ok(())
}
