//! The settings of a run, from inputs and config together. A pull request must not choose what it is compared with, so
//! the config is that of the base commit.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use perf_cli::{Failure, load};
use perf_config::Config;
use serde::{Deserialize, Serialize};

use super::git::CheckoutRepository;
use super::inputs::{self, ActionInputs, BaselineInput};
use super::place::{SuiteFolder, path};
use crate::run::BASELINE;
use perf_model::commit::CommitId;

/// The paths of a configuration that nobody named.
pub const CONFIGS: [&str; 2] = ["perf-gate.toml", ".github/perf-gate.toml"];

/// The place where the baseline is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BaselineStore {
    /// Nowhere: the base is measured in turn with the checkout.
    Pairs,
    /// In the commits of the branch.
    Commit,
    /// On a branch of its own.
    Branch,
    /// In the cache of the workflow.
    Cache,
    /// In a file that an earlier step left.
    Left,
}

/// The choices of a run that inputs leave to the config, or to each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSettings {
    /// The command that runs the benchmark, split into words; empty where results are only read.
    pub run: Vec<String>,
    pub build: Option<String>,
    pub store: BaselineStore,
    /// The path of the baseline from the folder of the suite, or an absolute one.
    pub baseline: String,
    /// True if the config names a baseline or a page, so that a push refreshes them also where pairs are measured.
    pub keeps_numbers: bool,
    /// The page that a refresh writes.
    pub page: Option<PathBuf>,
    /// The events that refresh on the default branch.
    pub refreshing: Vec<String>,
}

impl RunSettings {
    /// The settings by inputs and config.
    pub fn of(inputs: &ActionInputs, config: &Config) -> anyhow::Result<Self> {
        let written = config.run();
        crate::run::format_in(None, config)?;
        let mut run = inputs.run.clone();
        if run.is_empty() && inputs.results.is_empty() {
            run = inputs::words(
                "run.command",
                written.command.as_deref().unwrap_or_default(),
            )?;
        }
        if run.is_empty() && inputs.results.is_empty() {
            return Err(Failure::new("neither `run` nor `results` is set")
                .hint("`run` is the command of the benchmark; `results` names what it left where the workflow ran it")
                .hint("`[run]` of a config counts once the base commit has it")
                .into());
        }
        let build = Some(inputs.build.clone()).filter(|build| !build.is_empty());
        let build = build
            .or_else(|| written.build.clone())
            .filter(|_| !run.is_empty());
        let files = config.files();
        let named = files
            .baseline
            .as_deref()
            .map(|path| path.to_string_lossy().replace('\\', "/"));
        let named = inputs::committed(named.unwrap_or_else(|| BASELINE.to_owned()))?;
        let (store, baseline) = match inputs.baseline.clone() {
            None if run.is_empty() => (BaselineStore::Commit, named),
            None | Some(BaselineInput::Pairs) => (BaselineStore::Pairs, named),
            Some(BaselineInput::Branch) => (BaselineStore::Branch, named),
            Some(BaselineInput::Cache) => (BaselineStore::Cache, named),
            Some(BaselineInput::Commit(path)) => (BaselineStore::Commit, path),
            Some(BaselineInput::Left(path)) => (BaselineStore::Left, path),
        };
        let settings = Self {
            run,
            build,
            store,
            baseline,
            keeps_numbers: files.baseline.is_some() || files.page.is_some(),
            page: files.page.clone(),
            refreshing: refreshing(config)?,
        };
        settings.build_words().map(|_| settings)
    }

    /// The words of the command that builds a side.
    pub fn build_words(&self) -> anyhow::Result<Option<Vec<OsString>>> {
        let words = self
            .build
            .as_deref()
            .map(|build| inputs::words("run.build", build))
            .transpose()?;
        Ok(words.map(|words| words.into_iter().map(OsString::from).collect()))
    }

    /// True if both sides are measured in turn.
    pub fn is_paired(&self) -> bool {
        self.store == BaselineStore::Pairs
    }

    /// The page that a refresh commits. Other stores have the baseline alone.
    pub fn refreshed_page(&self) -> Option<&Path> {
        self.page
            .as_deref()
            .filter(|_| matches!(self.store, BaselineStore::Commit | BaselineStore::Pairs))
    }
}

/// The events that may refresh. No stranger can start one of them on the default branch.
const REFRESHING: [&str; 4] = [
    "push",
    "schedule",
    "workflow_dispatch",
    "repository_dispatch",
];

fn refreshing(config: &Config) -> Result<Vec<String>, Failure> {
    let events = config
        .refresh()
        .events
        .clone()
        .unwrap_or_else(|| vec!["push".to_owned()]);
    match events
        .iter()
        .find(|event| !REFRESHING.contains(&event.as_str()))
    {
        None => Ok(events),
        Some(event) => Err(Failure::new(format!("invalid `refresh.events`: `{event}`"))
            .hint(format!("it can have: {}", REFRESHING.join(", ")))),
    }
}

/// The config file of the base commit, in the folder of the run; an empty one if the commit contains none.
pub const OF_BASE: &str = "base-config/perf-gate.toml";

/// The config file of the head, which is only checked.
pub const OF_HEAD: &str = "head-config/perf-gate.toml";

/// The path of [`OF_BASE`], which exists afterwards.
pub fn of_base(folder: &Path) -> anyhow::Result<PathBuf> {
    let path = folder.join(OF_BASE);
    if path.is_file() {
        return Ok(path);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&path, "")?;
    Ok(path)
}

/// The config in force: that of the base commit, or without one that of the workspace.
pub fn config(
    inputs: &ActionInputs,
    place: &SuiteFolder,
    folder: &Path,
    base: Option<&CommitId>,
) -> anyhow::Result<Config> {
    let named = inputs.config.as_deref().map(path);
    let Some(base) = base else {
        return load::config(inputs.config_file().as_deref());
    };
    let mut repository = CheckoutRepository::new(place, folder);
    repository.need(base)?;
    let paths = named.as_deref().map_or(CONFIGS.to_vec(), |name| vec![name]);
    for name in paths {
        repository.refuse_links(base, name)?;
        if let Some(object) = repository.object(base, name)? {
            let file = folder.join(OF_BASE);
            repository.write(base, &object, &file)?;
            return load::config(Some(&file));
        }
    }
    Ok(Config::default())
}
