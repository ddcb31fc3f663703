//! Reads the baseline and the config from the base commit, because a pull request must not choose them.

use std::fs;
use std::path::{Path, PathBuf};

use perf_cli::{Failure, load};
use perf_config::Config;
use perf_github::Actions;
use perf_model::commit::CommitId;
use perf_report::markdown::escape::code;
use serde::{Deserialize, Serialize};

use super::git::CheckoutRepository;
use super::inputs::{ActionInputs, BaselineStore, RunSettings};

/// The default config paths.
const CONFIG_PATHS: [&str; 2] = ["perf-gate.toml", ".github/perf-gate.toml"];

/// The file name of the base commit's config in the run's folder.
const CONFIG: &str = "perf-gate.toml";

/// The file with the measured rows of the head.
pub const MEASURED: &str = "current.csv";

/// The baseline to compare with.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Base {
    /// Notes for the top of the report: the pull request's changes that have no effect.
    pub notes: Vec<String>,
    /// The stored baseline's file, which may not exist. With pairs, its times are used to divide the suite into shards.
    pub baseline: PathBuf,
    /// The baseline's path in the base commit, relative to the repository's root.
    pub path: Option<String>,
    /// True if a baseline exists, so a comparison without one is an error.
    pub has_baseline: bool,
    /// The repository that contains the baseline's versions, if the baseline is committed.
    pub store: Option<PathBuf>,
    /// The commit that is measured or that contains the baseline.
    pub commit: Option<CommitId>,
}

/// Loads the base from its commit, or from the workspace if there is no base commit.
pub struct BaseLoader<'a> {
    pub inputs: &'a ActionInputs,
    pub actions: &'a Actions,
    /// The run's folder.
    pub folder: &'a Path,
    pub repository: &'a mut CheckoutRepository,
    /// The config file with the limits. `None` stands for the workspace's config, if it exists.
    pub config: Option<PathBuf>,
}

impl BaseLoader<'_> {
    /// Loads the commit's config, or the workspace's config if there is no commit.
    pub fn load_config(&mut self, commit: Option<&CommitId>) -> anyhow::Result<Config> {
        let Some(commit) = commit else {
            return load::config(self.config.as_deref());
        };
        let file = self.folder.join(CONFIG);
        self.config = Some(file.clone());
        // Start with an empty config, in case the commit contains none.
        fs::write(&file, "")?;
        for name in self.config_paths() {
            if let Some(object) = self.repository.object(commit, &name)? {
                self.repository.write(commit, &object, &file)?;
                break;
            }
        }
        load::config(Some(&file))
    }

    fn config_paths(&self) -> Vec<String> {
        match &self.inputs.config {
            Some(name) => vec![name.to_string_lossy().into_owned()],
            None => CONFIG_PATHS.map(str::to_owned).to_vec(),
        }
    }

    /// Loads the base.
    pub fn load(
        &mut self,
        settings: &RunSettings,
        commit: Option<CommitId>,
        head: Option<&CommitId>,
    ) -> anyhow::Result<Base> {
        let mut base = Base {
            baseline: settings.baseline.clone().into(),
            ..Base::default()
        };
        let Some(commit) = commit else {
            return Ok(base);
        };
        // Fetching the head must not change the repository from which the base is read.
        let store = self.repository.store();
        // Without the head, the report does not list the files that the pull request changes.
        let known_head = head.filter(|head| self.repository.ensure(head).is_ok());
        let name = &settings.baseline;
        let file = self.folder.join("base").join(name);
        match settings.store {
            BaselineStore::Pairs => {
                // Measure the fork point, because later base commits are not the pull request's changes.
                let mut measured = commit.clone();
                if let Some(head) = known_head
                    && *head != commit
                {
                    measured = self.fork_point(&commit, head).ok_or_else(|| {
                        let (head, base) = (head.short(), commit.short());
                        Failure::new(format!(
                            "cannot find the commit at which `{head}` left `{base}`"
                        ))
                        .hint("set `fetch-depth: 0` for `actions/checkout`, or remove its `ref`")
                    })?;
                }
                self.repository.ensure(&measured)?;
                base.commit = Some(measured);
                if !self.inputs.part.is_whole()
                    && let Some(object) = self.repository.object(&commit, name)?
                {
                    self.repository.write(&commit, &object, &file)?;
                }
                base.baseline = file;
            }
            BaselineStore::Commit => {
                match self.versions(name, &commit, known_head, &mut base)? {
                    (Some(object), _) => self.repository.write(&commit, &object, &file)?,
                    (None, None) => self.refuse_stray_baseline(name)?,
                    (None, Some(_)) => {}
                }
                // A new baseline contains only a header.
                base.has_baseline = has_rows(&file);
                // Compare even if the file does not exist, so the comparison reports a deleted or misspelt path.
                base.path = self.repository.place.in_repository(name);
                base.baseline = file;
                base.store = Some(store);
                base.commit = Some(commit.clone());
            }
            // A missing file means that the earlier step failed to write it, not that the project is new.
            BaselineStore::Left => base.has_baseline = true,
        }
        if self.config == self.inputs.config {
            return Ok(base);
        }
        if settings.is_paired() || base.baseline.is_file() {
            self.check_config(&commit, known_head, &mut base)?;
        } else {
            // Before the first baseline there are no limits to protect, so the head's config is used.
            self.config.clone_from(&self.inputs.config);
        }
        Ok(base)
    }

    /// Fails if the baseline exists in the workspace but in no commit. Without a committed baseline, nothing can fail,
    /// so the gate would always pass.
    fn refuse_stray_baseline(&mut self, name: &str) -> anyhow::Result<()> {
        let mut is_committed = false;
        if let Some(head) = self.repository.head.clone() {
            is_committed = self.repository.object(&head, name)?.is_some();
        }
        if is_committed || !Path::new(name).exists() {
            return Ok(());
        }
        Err(Failure::new(format!("`{name}` is in the workspace, but in no commit"))
            .hint("commit it to the base branch, or set `baseline` to its absolute path to use the workspace's file")
            .into())
    }

    /// Adds a note if the config changed, and fails if the new one is invalid. Once merged, it would fail every pull
    /// request, including the one that fixes it.
    fn check_config(
        &mut self,
        commit: &CommitId,
        head: Option<&CommitId>,
        base: &mut Base,
    ) -> anyhow::Result<()> {
        let mut is_found = self.inputs.config.is_none();
        for name in self.config_paths() {
            let (old, new) = self.versions(&name, commit, head, base)?;
            is_found |= old.is_some() || new.is_some();
            if let (Some(head), Some(object)) = (head, new) {
                let file = self.folder.join("head").join(CONFIG);
                self.repository.write(head, &object, &file)?;
                RunSettings::new(self.inputs, &load::config(Some(&file))?)?;
            }
            if old.is_some() {
                break;
            }
        }
        if is_found {
            return Ok(());
        }
        let commit = commit.short();
        let name = self.config_paths().join("`, `");
        let message = format!("the base commit `{commit}` has no config file `{name}`");
        Err(Failure::new(message)
            .hint("set `config` to the path of a committed file")
            .into())
    }

    /// The objects of a file in the base, and in the head if the pull request changes the file. In that case, adds a
    /// note that the change has no effect. Ignores changes that were made on the base branch since the fork point.
    fn versions(
        &mut self,
        name: &str,
        commit: &CommitId,
        head: Option<&CommitId>,
        base: &mut Base,
    ) -> anyhow::Result<(Option<String>, Option<String>)> {
        let old = self.repository.object(commit, name)?;
        let Some(head) = head else {
            return Ok((old, None));
        };
        let new = self.repository.object(head, name)?;
        if old == new {
            return Ok((old, None));
        }
        let fork_point = self.fork_point(commit, head);
        if let Some(fork_point) = &fork_point
            && self.repository.object(fork_point, name)? == new
        {
            return Ok((old, None));
        }
        let (file, commit) = (code(name), code(commit.short()));
        base.notes.push(if old.is_none() {
            format!(
                "**This pull request adds {file}.** It takes effect after the merge, because the base commit {commit} does not contain it."
            )
        } else if fork_point.is_some() {
            format!("**This pull request changes {file}.** The base commit's version is used ({commit}).")
        } else {
            format!(
                "**{file} differs from the base commit's version ({commit})**: it was edited, or the branch is out of date. \
                 The base commit's version is used."
            )
        });
        Ok((old, new))
    }

    /// The commit at which the pull request left the base, from the checkout's history or from GitHub. `None` if both are
    /// unavailable.
    fn fork_point(&mut self, base: &CommitId, head: &CommitId) -> Option<CommitId> {
        // The first parent of GitHub's trial merge is the base.
        let parents = self.repository.parents(head);
        if parents.is_some_and(|parents| parents.first() == Some(base)) {
            return Some(base.clone());
        }
        if let Some(commit) = self.repository.merge_base(base, head) {
            return Some(commit);
        }
        // The checkout may not contain that history.
        let client = self.actions.client().ok()?;
        let commit = client.compare(base, head).ok()?.merge_base?.sha;
        self.repository.ensure(&commit).ok()?;
        Some(commit)
    }
}

/// True if a baseline contains rows after its header.
pub fn has_rows(file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|text| text.lines().count() > 1)
}
