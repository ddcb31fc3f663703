//! Reads the baseline and the config from the base commit, because a pull request must not choose them.

use std::path::{Path, PathBuf};

use perf_cli::{Failure, load};
use perf_model::commit::CommitId;

use super::baseline::{Base, BaselinePlace, MEASURED_BASE, has_rows};
use super::git::CheckoutRepository;
use super::inputs::ActionInputs;
use super::place::{SuiteFolder, path};
use super::settings::{BaselineStore, CONFIG_PATHS, HEAD_CONFIG, RunSettings, base_config_file};
use super::{pull, stored};

/// The git objects at one path in the base and the head.
struct FileVersions {
    base: Option<String>,
    head: Option<String>,
    /// True if the pull request changes the file. Changes on the base branch since are not its own.
    is_changed: bool,
}

/// Loads the base from its commit, or from the workspace if there is no base commit.
pub fn load(
    inputs: &ActionInputs,
    settings: &RunSettings,
    place: &SuiteFolder,
    folder: &Path,
    base: Option<CommitId>,
    head: Option<CommitId>,
) -> anyhow::Result<Base> {
    let here = Base {
        notes: Vec::new(),
        baseline: BaselinePlace::File(path(&settings.baseline).into()),
        config: inputs.config_file(),
        has_baseline: false,
        store: None,
        objects: None,
        commit: None,
        recorded: None,
    };
    let here = stored::load(inputs, settings, place, folder, here)?;
    let Some(base) = base else {
        if settings.is_paired() {
            return Err(Failure::new("no base commit to measure")
                .hint("set the input `pull-request`, or a stored `baseline`")
                .into());
        }
        return Ok(here);
    };
    let mut repository = CheckoutRepository::new(place, folder);
    repository.ensure(&base)?;
    let store = repository.store();
    let mut loader = BaseLoader {
        inputs,
        settings,
        place,
        folder,
        repository,
        base,
        head: None,
        loaded: here,
    };
    loader.find_head(head)?;
    match settings.store {
        BaselineStore::Pairs => loader.choose_measured_commit()?,
        BaselineStore::Commit => loader.load_baseline(store)?,
        // A missing file means that the earlier step failed to write it, not that the project is new.
        BaselineStore::Left => loader.loaded.has_baseline = true,
        BaselineStore::Branch | BaselineStore::Cache => {}
    }
    loader.load_config()?;
    Ok(loader.loaded)
}

struct BaseLoader<'a> {
    inputs: &'a ActionInputs,
    settings: &'a RunSettings,
    place: &'a SuiteFolder,
    folder: &'a Path,
    repository: CheckoutRepository<'a>,
    base: CommitId,
    head: Option<CommitId>,
    loaded: Base,
}

impl BaseLoader<'_> {
    /// Fetches the head if necessary, to note which files the pull request changes. Without it, there are no notes.
    fn find_head(&mut self, head: Option<CommitId>) -> anyhow::Result<()> {
        let Some(head) = head else { return Ok(()) };
        if self.repository.has(&head) || self.repository.fetch(&head)? {
            self.head = Some(head);
        }
        Ok(())
    }

    /// Chooses the commit at which the pull request left the base, so that later merges are not measured as its changes.
    fn choose_measured_commit(&mut self) -> anyhow::Result<()> {
        let commit = match self.head.clone() {
            Some(head) if head != self.base => self
                .fork_point()
                .ok_or_else(|| no_fork_point(&head, &self.base))?,
            _ => self.base.clone(),
        };
        self.loaded.baseline = BaselinePlace::File(self.folder.join(MEASURED_BASE));
        self.loaded.objects = self.repository.objects();
        self.loaded.commit = Some(commit);
        let recorded = self.folder.join("recorded.csv");
        if !self.inputs.part.is_whole()
            && let Some(object) = self
                .repository
                .object(&self.base, &self.settings.baseline)?
        {
            self.repository.write(&self.base, &object, &recorded)?;
            self.loaded.recorded = Some(recorded);
        }
        Ok(())
    }

    fn load_baseline(&mut self, store: PathBuf) -> anyhow::Result<()> {
        let name = &self.settings.baseline;
        let file = self.folder.join("base").join(name);
        let versions = self.load_file(name, &file)?;
        // A new baseline contains only a header.
        self.loaded.has_baseline = has_rows(&file);
        if versions.base.is_none() {
            self.refuse_stray_baseline(&versions)?;
        }
        // Also compare if the file does not exist: the comparison then reports a deleted or misspelt path.
        let path = self.place.in_repository(name).unwrap_or_default();
        self.loaded.baseline = BaselinePlace::Commit {
            commit: self.base.clone(),
            path,
            file,
        };
        self.loaded.store = Some(store);
        self.loaded.objects = self.repository.objects();
        Ok(())
    }

    /// Fails if the baseline exists in the workspace but in no commit. Without a baseline in the base commit nothing can
    /// fail, so the gate would pass for ever.
    fn refuse_stray_baseline(&self, versions: &FileVersions) -> Result<(), Failure> {
        let name = &self.settings.baseline;
        if !Path::new(&path(name)).exists() || versions.head.is_some() {
            return Ok(());
        }
        let here = self
            .repository
            .head()
            .map(|head| self.repository.object(&head, name))
            .transpose()?
            .flatten();
        if here.is_some() {
            return Ok(());
        }
        Err(Failure::new(format!("`{name}` is in the workspace, but in no commit")).hint(
            "commit it to the base branch, or set `baseline` to its absolute path to use the workspace's file",
        ))
    }

    /// Loads the base commit's config. Before the first baseline there are no limits to protect, so the head's config is used.
    fn load_config(&mut self) -> anyhow::Result<()> {
        let has_baseline = self.settings.is_paired() || self.loaded.baseline.file().is_file();
        if !has_baseline {
            return Ok(());
        }
        let file = base_config_file(self.folder)?;
        self.loaded.config = Some(file.clone());
        let named = self.inputs.config.as_deref();
        let mut is_found = named.is_none();
        for name in named.map_or(CONFIG_PATHS.to_vec(), |name| vec![name]) {
            let versions = self.load_file(name, &file)?;
            self.check_head_config(&versions)?;
            is_found |= versions.base.is_some() || versions.head.is_some();
            if versions.base.is_some() {
                break;
            }
        }
        if is_found {
            return Ok(());
        }
        let (base, name) = (self.base.short(), named.unwrap_or_default());
        Err(Failure::new(format!(
            "the base commit `{base}` has no config file `{name}`"
        ))
        .hint("set `config` to the path of a committed file")
        .into())
    }

    /// Fails if the head's config is invalid. Once merged, it would fail every pull request, including the one that repairs
    /// it.
    fn check_head_config(&mut self, versions: &FileVersions) -> anyhow::Result<()> {
        let (Some(head), Some(object), true) =
            (self.head.clone(), &versions.head, versions.is_changed)
        else {
            return Ok(());
        };
        let file = self.folder.join(HEAD_CONFIG);
        self.repository.write(&head, object, &file)?;
        let config = load::config(Some(&file))?;
        RunSettings::new(self.inputs, &config).map(drop)
    }

    /// Writes the base's version of a file to `destination`, if it exists, and notes if the pull request changes it.
    fn load_file(&mut self, name: &str, destination: &Path) -> anyhow::Result<FileVersions> {
        self.repository.refuse_links(&self.base, name)?;
        let base = self.repository.object(&self.base, name)?;
        let head = match &self.head {
            Some(head) => self.repository.object(head, name)?,
            None => None,
        };
        let is_changed = self.head.is_some()
            && base != head
            && self.note_change(name, base.as_ref(), head.as_ref())?;
        if let Some(object) = &base {
            self.repository.write(&self.base, object, destination)?;
        }
        Ok(FileVersions {
            base,
            head,
            is_changed,
        })
    }

    /// Adds a note that the pull request's change of a file has no effect. Returns false if only the base has changed it.
    fn note_change(
        &mut self,
        name: &str,
        base: Option<&String>,
        head: Option<&String>,
    ) -> Result<bool, Failure> {
        let before = self
            .fork_point()
            .map(|commit| self.repository.object(&commit, name))
            .transpose()?;
        // The pull request has not touched the file.
        if before
            .as_ref()
            .is_some_and(|before| before.as_ref() == head)
        {
            return Ok(false);
        }
        let (file, commit) = (code(name), code(self.base.short()));
        self.loaded.notes.push(match (base, head) {
            (None, _) => format!(
                "**This pull request adds {file}.** It takes effect after the merge, because the base commit {commit} does not contain it."
            ),
            (_, None) => {
                format!("**This pull request does not contain {file}.** The base commit's version is used ({commit}).")
            }
            _ if before.is_some() => {
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
    fn fork_point(&mut self) -> Option<CommitId> {
        let head = self.head.clone()?;
        let head = &head;
        // GitHub's trial merge contains the base as its first parent.
        let first = self
            .repository
            .parents(head)
            .into_iter()
            .next()
            .filter(|first| *first == self.base);
        let known = first.or_else(|| self.repository.merge_base(&self.base, head));
        known.or_else(|| {
            pull::fork_point(&self.base, head)
                .filter(|commit| self.repository.ensure(commit).is_ok())
        })
    }
}

fn no_fork_point(head: &CommitId, base: &CommitId) -> Failure {
    let message = format!(
        "cannot find the commit at which `{}` left `{}`",
        head.short(),
        base.short()
    );
    Failure::new(message).hint("set `fetch-depth: 0` for `actions/checkout`, or remove its `ref`")
}

/// Formats a name as inline code in Markdown.
fn code(text: &str) -> String {
    format!("`{}`", text.replace(['`', '\r', '\n'], ""))
}
