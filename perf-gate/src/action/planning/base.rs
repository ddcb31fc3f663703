//! Takes the baseline and the configuration from the base commit, as a pull request must not choose them.

use std::path::{Path, PathBuf};

use perf_cli::{Failure, load};
use perf_model::commit::CommitId;

use super::baseline::{Base, BaselinePlace, MEASURED_BASE, has_rows};
use super::git::CheckoutRepository;
use super::inputs::ActionInputs;
use super::place::{SuiteFolder, path};
use super::settings::{BaselineStore, CONFIGS, OF_HEAD, RunSettings, of_base};
use super::{pull, stored};

/// The contents that two commits have at a path.
struct BaseContents {
    base: Option<String>,
    head: Option<String>,
    /// True if the pull request changes the file, and its branch is not just behind the base.
    is_changed: bool,
}

/// Takes it from the base commit, if there is one; else it is that of the workspace.
pub fn take(
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
    let here = stored::take(inputs, settings, place, folder, here)?;
    let Some(base) = base else {
        if settings.is_paired() {
            return Err(Failure::new("there is no base commit to measure")
                .hint("name the pull request by the input `pull-request`, or a stored `baseline`")
                .into());
        }
        return Ok(here);
    };
    let mut repository = CheckoutRepository::new(place, folder);
    repository.need(&base)?;
    let store = repository.store();
    let mut taking = BaseTaking {
        inputs,
        settings,
        place,
        folder,
        repository,
        base,
        head: None,
        taken: here,
    };
    taking.find_head(head)?;
    match settings.store {
        BaselineStore::Pairs => taking.measured()?,
        BaselineStore::Commit => taking.baseline(store)?,
        // A step that was to leave the baseline and did not is no project without one.
        BaselineStore::Left => taking.taken.has_baseline = true,
        BaselineStore::Branch | BaselineStore::Cache => {}
    }
    taking.config()?;
    Ok(taking.taken)
}

struct BaseTaking<'a> {
    inputs: &'a ActionInputs,
    settings: &'a RunSettings,
    place: &'a SuiteFolder,
    folder: &'a Path,
    repository: CheckoutRepository<'a>,
    base: CommitId,
    head: Option<CommitId>,
    taken: Base,
}

impl BaseTaking<'_> {
    /// Finds the head, only to say what the pull request changes: after `workflow_run`, the checkout does not have it.
    fn find_head(&mut self, head: Option<CommitId>) -> anyhow::Result<()> {
        let Some(head) = head else { return Ok(()) };
        if self.repository.has(&head) || self.repository.fetch(&head)? {
            self.head = Some(head);
        }
        Ok(())
    }

    /// The rows of the base are measured later, from where the change left it: what was merged since is not its doing.
    fn measured(&mut self) -> anyhow::Result<()> {
        let commit = match self.head.clone() {
            Some(head) if head != self.base => {
                self.origin().ok_or_else(|| no_origin(&head, &self.base))?
            }
            _ => self.base.clone(),
        };
        self.taken.baseline = BaselinePlace::File(self.folder.join(MEASURED_BASE));
        self.taken.objects = self.repository.objects();
        self.taken.commit = Some(commit);
        let recorded = self.folder.join("recorded.csv");
        if !self.inputs.part.is_whole()
            && let Some(object) = self
                .repository
                .object(&self.base, &self.settings.baseline)?
        {
            self.repository.write(&self.base, &object, &recorded)?;
            self.taken.recorded = Some(recorded);
        }
        Ok(())
    }

    fn baseline(&mut self, store: PathBuf) -> anyhow::Result<()> {
        let name = &self.settings.baseline;
        let file = self.folder.join("base").join(name);
        let taken = self.file(name, &file)?;
        // One with a header alone waits for its first rows.
        self.taken.has_baseline = has_rows(&file);
        if taken.base.is_none() {
            self.refuse_stray_baseline(&taken)?;
        }
        // A base without one is asked, too: it tells a deleted or misspelt file from one that never was.
        let path = self.place.in_repository(name).unwrap_or_default();
        self.taken.baseline = BaselinePlace::Commit {
            commit: self.base.clone(),
            path,
            file,
        };
        self.taken.store = Some(store);
        self.taken.objects = self.repository.objects();
        Ok(())
    }

    /// A base without a baseline is one where nothing can fail, so it must not be for another reason.
    fn refuse_stray_baseline(&self, taken: &BaseContents) -> Result<(), Failure> {
        let name = &self.settings.baseline;
        if !Path::new(&path(name)).exists() || taken.head.is_some() {
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
            "commit it to the base branch, or give `baseline` its absolute path to use the file of the workspace",
        ))
    }

    /// Until there is a baseline there are no limits to protect, and the configuration of the head is read as it is.
    fn config(&mut self) -> anyhow::Result<()> {
        let has_baseline = self.settings.is_paired() || self.taken.baseline.file().is_file();
        if !has_baseline {
            return Ok(());
        }
        let file = of_base(self.folder)?;
        self.taken.config = Some(file.clone());
        let named = self.inputs.config.as_deref();
        let mut is_found = named.is_none();
        for name in named.map_or(CONFIGS.to_vec(), |name| vec![name]) {
            let taken = self.file(name, &file)?;
            self.check_config_of_head(&taken)?;
            is_found |= taken.base.is_some() || taken.head.is_some();
            if taken.base.is_some() {
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
        .hint("give the path of a committed one")
        .into())
    }

    /// Fails if the head's config cannot be read. It takes effect after the merge, and would fail every pull request then,
    /// including the one that repairs it.
    fn check_config_of_head(&mut self, taken: &BaseContents) -> anyhow::Result<()> {
        let (Some(head), Some(object), true) = (self.head.clone(), &taken.head, taken.is_changed)
        else {
            return Ok(());
        };
        let file = self.folder.join(OF_HEAD);
        self.repository.write(&head, object, &file)?;
        let config = load::config(Some(&file))?;
        RunSettings::of(self.inputs, &config).map(drop)
    }

    /// Writes a file of the base to `destination`, if there is one, and notes how the head differs.
    fn file(&mut self, name: &str, destination: &Path) -> anyhow::Result<BaseContents> {
        self.repository.refuse_links(&self.base, name)?;
        let base = self.repository.object(&self.base, name)?;
        let head = match &self.head {
            Some(head) => self.repository.object(head, name)?,
            None => None,
        };
        let is_changed =
            self.head.is_some() && base != head && self.note(name, base.as_ref(), head.as_ref())?;
        if let Some(object) = &base {
            self.repository.write(&self.base, object, destination)?;
        }
        Ok(BaseContents {
            base,
            head,
            is_changed,
        })
    }

    /// Notes that the pull request's change of a file has no effect. Returns false if the branch is just behind the base.
    fn note(
        &mut self,
        name: &str,
        base: Option<&String>,
        head: Option<&String>,
    ) -> Result<bool, Failure> {
        let before = self
            .origin()
            .map(|origin| self.repository.object(&origin, name))
            .transpose()?;
        // The branch is behind the base, and has not touched the file.
        if before
            .as_ref()
            .is_some_and(|before| before.as_ref() == head)
        {
            return Ok(false);
        }
        let (file, commit) = (code(name), code(self.base.short()));
        self.taken.notes.push(match (base, head) {
            (None, _) => format!(
                "**This pull request adds {file}.** It takes effect after the merge: the base commit {commit} does not have it."
            ),
            (_, None) => {
                format!("**This pull request does not have {file}.** The one of the base commit {commit} is used.")
            }
            _ if before.is_some() => {
                format!("**This pull request changes {file}.** The one of the base commit {commit} is used.")
            }
            _ => format!(
                "**{file} is not the one of the base commit {commit}**: it was edited, or the branch is behind. \
                 The one of the base commit is used."
            ),
        });
        Ok(true)
    }

    /// The commit at which the pull request left the base; `None` where unknown, as in a checkout without history and
    /// without GitHub.
    fn origin(&mut self) -> Option<CommitId> {
        let head = self.head.clone()?;
        let head = &head;
        // The trial merge of the pull request has the base in it.
        let first = self
            .repository
            .parents(head)
            .into_iter()
            .next()
            .filter(|first| *first == self.base);
        let known = first.or_else(|| self.repository.merge_base(&self.base, head));
        known.or_else(|| {
            pull::origin(&self.base, head).filter(|origin| self.repository.need(origin).is_ok())
        })
    }
}

fn no_origin(head: &CommitId, base: &CommitId) -> Failure {
    let message = format!(
        "cannot find where `{}` left `{}`",
        head.short(),
        base.short()
    );
    Failure::new(message).hint("give `actions/checkout` a `fetch-depth: 0`, or no `ref`")
}

/// A name as code.
fn code(text: &str) -> String {
    format!("`{}`", text.replace(['`', '\r', '\n'], ""))
}
