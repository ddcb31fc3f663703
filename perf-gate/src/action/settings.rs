//! Combines inputs and config. The config is the base commit's, because a pull request must not choose its own baseline.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use perf_cli::Failure;
use perf_config::Config;
use serde::{Deserialize, Serialize};

use super::inputs::{self, ActionInputs};
use super::place::is_absolute;
use crate::run::BASELINE;

/// The storage of the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BaselineStore {
    /// None: the base is measured in turn with the checkout.
    Pairs,
    /// A file committed next to the code.
    Commit,
    /// A file from an earlier step.
    Left,
}

/// The settings of a run, from inputs and config.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSettings {
    /// The command that runs the benchmark, split into words. Empty if the workflow runs it.
    pub run: Vec<String>,
    pub build: Option<String>,
    pub store: BaselineStore,
    /// The baseline's path, absolute or relative to the suite's folder.
    pub baseline: String,
    /// True if the config sets a baseline or a page, which a push then refreshes even with pairs.
    pub keeps_numbers: bool,
    /// The page that a refresh writes.
    pub page: Option<PathBuf>,
    /// The events that refresh on the default branch.
    pub refreshing: Vec<String>,
}

impl RunSettings {
    /// Combines inputs and config. Inputs take precedence.
    pub fn new(inputs: &ActionInputs, config: &Config) -> anyhow::Result<Self> {
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
                .hint("set `run` to the benchmark command, or `results` to its output files if the workflow runs it")
                .hint("a new `[run]` in the config takes effect once it is merged into the base branch")
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
        let named = inputs::check_committed(named.unwrap_or_else(|| BASELINE.to_owned()))?;
        let (store, baseline) = match inputs.baseline.as_deref() {
            None if run.is_empty() => (BaselineStore::Commit, named),
            None | Some("pairs") => (BaselineStore::Pairs, named),
            Some(path) => stored_baseline(path)?,
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

    /// The words of the build command.
    pub fn build_words(&self) -> anyhow::Result<Option<Vec<OsString>>> {
        let words = self
            .build
            .as_deref()
            .map(|build| inputs::words("run.build", build))
            .transpose()?;
        Ok(words.map(|words| words.into_iter().map(OsString::from).collect()))
    }

    /// True if base and head are measured in turn.
    pub fn is_paired(&self) -> bool {
        self.store == BaselineStore::Pairs
    }

    /// The page that a refresh commits, together with the baseline.
    pub fn refreshed_page(&self) -> Option<&Path> {
        self.page
            .as_deref()
            .filter(|_| self.store != BaselineStore::Left)
    }
}

/// A path in the input `baseline`: a committed file, relative to the suite's folder, or the absolute path of another step's file.
fn stored_baseline(path: &str) -> Result<(BaselineStore, String), Failure> {
    if is_absolute(path) {
        return Ok((BaselineStore::Left, path.to_owned()));
    }
    let path = inputs::check_committed(path.to_owned())?;
    Ok((BaselineStore::Commit, path))
}

/// The events that may refresh. Only users with write access can trigger them on the default branch.
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
            .hint(format!("possible events: {}", REFRESHING.join(", ")))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_baseline_stays_in_the_suite() {
        for path in ["a.csv", "docs/a.csv", "./a.csv", "pairs.csv"] {
            let stored = stored_baseline(path).unwrap();
            assert_eq!(stored, (BaselineStore::Commit, path.to_owned()));
        }
        for path in ["/tmp/a.csv", "C:\\a.csv"] {
            let stored = stored_baseline(path).unwrap();
            assert_eq!(stored, (BaselineStore::Left, path.to_owned()));
        }
        for path in ["../a.csv", "docs/../a.csv"] {
            assert!(stored_baseline(path).is_err(), "{path}");
        }
    }
}
