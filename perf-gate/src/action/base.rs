//! Reads the baseline and the config from the base commit, because a pull request must not choose them.

use std::fs;
use std::path::{Path, PathBuf};

use perf_cli::{Failure, load};
use perf_config::Config;
use perf_github::Actions;
use perf_model::commit::CommitId;
use serde::{Deserialize, Serialize};

use super::git::CheckoutRepository;
use super::inputs::ActionInputs;
use super::place::path;
use super::settings::{BaselineStore, RunSettings};
use super::stored::has_rows;

/// The default config paths.
const CONFIG_PATHS: [&str; 2] = ["perf-gate.toml", ".github/perf-gate.toml"];

/// The files with the measured rows of base and head.
pub const MEASURED_BASE: &str = "base.csv";
pub const MEASURED: &str = "current.csv";

/// The baseline to compare with, and the config with the limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// Notes for the top of the report: files that the pull request changes without effect.
    pub notes: Vec<String>,
    pub baseline: BaselinePlace,
    /// The config file. `None` stands for the workspace's config, if it exists.
    pub config: Option<PathBuf>,
    /// True if a baseline exists, so a comparison without one is an error.
    pub has_baseline: bool,
    /// The repository with the base commit, if the baseline is read from a commit.
    pub store: Option<PathBuf>,
    /// The folder of additional git objects for that repository.
    pub objects: Option<PathBuf>,
    /// The base commit to measure.
    pub commit: Option<CommitId>,
    /// With pairs, the stored baseline. Its times are used to divide the suite into shards.
    pub recorded: Option<PathBuf>,
}

impl Base {
    /// The base commit, if the baseline is stored in a commit or measured.
    pub fn compared_commit(&self) -> Option<&CommitId> {
        match &self.baseline {
            BaselinePlace::Commit { commit, .. } => Some(commit),
            BaselinePlace::File(_) => self.commit.as_ref(),
        }
    }
}

/// The source from which the comparison reads the baseline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BaselinePlace {
    File(PathBuf),
    /// A path relative to the repository's root, and a copy of that file, if the commit contains it.
    Commit {
        commit: CommitId,
        path: String,
        file: PathBuf,
    },
}

impl BaselinePlace {
    /// The baseline's file, which may not exist.
    pub fn file(&self) -> &Path {
        match self {
            Self::File(file) | Self::Commit { file, .. } => file,
        }
    }
}

/// Loads the base from its commit, or from the workspace if there is no base commit.
pub struct BaseLoader<'a> {
    pub inputs: &'a ActionInputs,
    /// The run's folder.
    pub folder: &'a Path,
    pub repository: &'a mut CheckoutRepository,
}

/// The base commit, and the head if the checkout contains it or it could be fetched.
#[derive(Clone, Copy)]
struct Commits<'c> {
    base: &'c CommitId,
    head: Option<&'c CommitId>,
}

/// The git objects of a file in the base and the head.
struct FileVersions {
    base: Option<String>,
    head: Option<String>,
}

impl BaseLoader<'_> {
    /// Loads a commit's config, or the workspace's without a commit.
    pub fn load_config(&mut self, commit: Option<&CommitId>) -> anyhow::Result<Config> {
        let Some(commit) = commit else {
            return load::config(self.inputs.config_file().as_deref());
        };
        self.repository.ensure(commit)?;
        for name in self.config_paths() {
            if let Some(object) = self.repository.object(commit, &name)? {
                let file = self.config_file()?;
                self.repository.write(commit, &object, &file)?;
                return load::config(Some(&file));
            }
        }
        Ok(Config::default())
    }

    fn config_paths(&self) -> Vec<String> {
        match &self.inputs.config {
            Some(name) => vec![name.clone()],
            None => CONFIG_PATHS.map(str::to_owned).to_vec(),
        }
    }

    /// The base commit's config in the run's folder. Empty if the commit contains none.
    pub fn config_file(&self) -> anyhow::Result<PathBuf> {
        let file = self.folder.join("base-config/perf-gate.toml");
        if !file.is_file() {
            fs::create_dir_all(self.folder.join("base-config"))?;
            fs::write(&file, "")?;
        }
        Ok(file)
    }

    /// Loads the base.
    pub fn load(
        &mut self,
        settings: &RunSettings,
        commit: Option<CommitId>,
        head: Option<CommitId>,
    ) -> anyhow::Result<Base> {
        let mut base = Base {
            notes: Vec::new(),
            baseline: BaselinePlace::File(path(&settings.baseline).into()),
            config: self.inputs.config_file(),
            has_baseline: false,
            store: None,
            objects: None,
            commit: None,
            recorded: None,
        };
        let Some(commit) = commit else {
            if settings.is_paired() {
                return Err(Failure::new("no base commit to measure")
                    .hint("set the input `pull-request`, or a stored `baseline`")
                    .into());
            }
            return Ok(base);
        };
        self.repository.ensure(&commit)?;
        // Fetching the head must not change the repository from which the base is read.
        let store = self.repository.store();
        // Without the head, the report does not list the files that the pull request changes.
        let mut known_head = None;
        if let Some(head) = head
            && (self.repository.has(&head) || self.repository.fetch(&head)?)
        {
            known_head = Some(head);
        }
        let commits = Commits {
            base: &commit,
            head: known_head.as_ref(),
        };
        match settings.store {
            BaselineStore::Pairs => self.choose_measured_commit(settings, commits, &mut base)?,
            BaselineStore::Commit => {
                self.load_baseline(settings, commits, &mut base)?;
                base.store = Some(store);
            }
            // A missing file means that the earlier step failed to write it, not that the project is new.
            BaselineStore::Left => base.has_baseline = true,
        }
        // Before the first baseline there are no limits to protect, so the head's config is used.
        if settings.is_paired() || base.baseline.file().is_file() {
            self.load_limits(commits, &mut base)?;
        }
        Ok(base)
    }

    /// Chooses the commit at which the pull request left the base, so that later merges are not measured as its changes.
    fn choose_measured_commit(
        &mut self,
        settings: &RunSettings,
        commits: Commits<'_>,
        base: &mut Base,
    ) -> anyhow::Result<()> {
        let commit = commits.base;
        let measured = match commits.head {
            Some(head) if head != commit => self.fork_point(commit, head).ok_or_else(|| {
                let (head, base) = (head.short(), commit.short());
                Failure::new(format!(
                    "cannot find the commit at which `{head}` left `{base}`"
                ))
                .hint("set `fetch-depth: 0` for `actions/checkout`, or remove its `ref`")
            })?,
            _ => commit.clone(),
        };
        base.baseline = BaselinePlace::File(self.folder.join(MEASURED_BASE));
        base.objects = self.repository.objects();
        base.commit = Some(measured);
        if !self.inputs.part.is_whole()
            && let Some(object) = self.repository.object(commit, &settings.baseline)?
        {
            let recorded = self.folder.join("recorded.csv");
            self.repository.write(commit, &object, &recorded)?;
            base.recorded = Some(recorded);
        }
        Ok(())
    }

    fn load_baseline(
        &mut self,
        settings: &RunSettings,
        commits: Commits<'_>,
        base: &mut Base,
    ) -> anyhow::Result<()> {
        let (name, commit) = (&settings.baseline, commits.base);
        let file = self.folder.join("base").join(name);
        let versions = self.versions(name, commits)?;
        self.note_change(&versions, name, commits, base)?;
        match &versions.base {
            Some(object) => self.repository.write(commit, object, &file)?,
            None => self.refuse_stray_baseline(name, &versions)?,
        }
        // A new baseline contains only a header.
        base.has_baseline = has_rows(&file);
        // Also compare if the file does not exist: the comparison then reports a deleted or misspelt path.
        let path = self
            .repository
            .place
            .in_repository(name)
            .unwrap_or_default();
        base.baseline = BaselinePlace::Commit {
            commit: commit.clone(),
            path,
            file,
        };
        base.objects = self.repository.objects();
        Ok(())
    }

    /// Fails if the baseline exists in the workspace but in no commit. Without a baseline in the base commit nothing can
    /// fail, so the gate would pass for ever.
    fn refuse_stray_baseline(&mut self, name: &str, versions: &FileVersions) -> anyhow::Result<()> {
        if versions.head.is_some() || !Path::new(&path(name)).exists() {
            return Ok(());
        }
        if let Some(head) = self.repository.head()
            && self.repository.object(&head, name)?.is_some()
        {
            return Ok(());
        }
        Err(Failure::new(format!("`{name}` is in the workspace, but in no commit"))
            .hint("commit it to the base branch, or set `baseline` to its absolute path to use the workspace's file")
            .into())
    }

    /// Loads the base commit's config, which contains the limits, and checks the head's.
    fn load_limits(&mut self, commits: Commits<'_>, base: &mut Base) -> anyhow::Result<()> {
        let file = self.config_file()?;
        let mut is_found = self.inputs.config.is_none();
        for name in self.config_paths() {
            let versions = self.versions(&name, commits)?;
            let is_changed = self.note_change(&versions, &name, commits, base)?;
            if let (true, Some(head), Some(object)) = (is_changed, commits.head, &versions.head) {
                self.check_head_config(head, object)?;
            }
            is_found |= versions.base.is_some() || versions.head.is_some();
            if let Some(object) = &versions.base {
                self.repository.write(commits.base, object, &file)?;
                break;
            }
        }
        base.config = Some(file);
        if is_found {
            return Ok(());
        }
        let commit = commits.base.short();
        let name = self.inputs.config.as_deref().unwrap_or_default();
        Err(Failure::new(format!(
            "the base commit `{commit}` has no config file `{name}`"
        ))
        .hint("set `config` to the path of a committed file")
        .into())
    }

    /// Fails if the head's config is invalid. Once merged, it would fail every pull request, including the one that repairs
    /// it.
    fn check_head_config(&mut self, head: &CommitId, object: &str) -> anyhow::Result<()> {
        let file = self.folder.join("head-config/perf-gate.toml");
        self.repository.write(head, object, &file)?;
        let config = load::config(Some(&file))?;
        RunSettings::new(self.inputs, &config).map(drop)
    }

    fn versions(&mut self, name: &str, commits: Commits<'_>) -> anyhow::Result<FileVersions> {
        let base = self.repository.object(commits.base, name)?;
        let head = match commits.head {
            Some(head) => self.repository.object(head, name)?,
            None => None,
        };
        Ok(FileVersions { base, head })
    }

    /// Notes that the pull request's change of a file has no effect. Returns false without one: changes on the base branch
    /// since are not the pull request's own.
    fn note_change(
        &mut self,
        versions: &FileVersions,
        name: &str,
        commits: Commits<'_>,
        base: &mut Base,
    ) -> anyhow::Result<bool> {
        let Some(head) = commits.head.filter(|_| versions.base != versions.head) else {
            return Ok(false);
        };
        let fork_point = self.fork_point(commits.base, head);
        if let Some(fork_point) = &fork_point
            && self.repository.object(fork_point, name)? == versions.head
        {
            return Ok(false);
        }
        let (file, commit) = (code(name), code(commits.base.short()));
        base.notes.push(match (&versions.base, &versions.head) {
            (None, _) => format!(
                "**This pull request adds {file}.** It takes effect after the merge, because the base commit {commit} does not contain it."
            ),
            (_, None) => {
                format!("**This pull request does not contain {file}.** The base commit's version is used ({commit}).")
            }
            _ if fork_point.is_some() => {
                format!("**This pull request changes {file}.** The base commit's version is used ({commit}).")
            }
            _ => format!(
                "**{file} differs from the base commit's version ({commit})**: it was edited, or the branch is out of date. \
                 The base commit's version is used."
            ),
        });
        Ok(true)
    }

    /// The commit at which the pull request left the base, from the checkout's history or from GitHub. `None` if both are
    /// unavailable.
    fn fork_point(&mut self, base: &CommitId, head: &CommitId) -> Option<CommitId> {
        // GitHub's trial merge contains the base as its first parent.
        if self.repository.parents(head).first() == Some(base) {
            return Some(base.clone());
        }
        if let Some(commit) = self.repository.merge_base(base, head) {
            return Some(commit);
        }
        // The checkout may not contain that history.
        let client = Actions::from_env().ok()?.client().ok()?;
        let commit = client.compare(base, head).ok()?.origin?;
        self.repository.ensure(&commit).ok()?;
        Some(commit)
    }
}

/// Formats a name as inline code in Markdown.
fn code(text: &str) -> String {
    format!("`{}`", text.replace(['`', '\r', '\n'], ""))
}
