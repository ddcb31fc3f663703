//! The step `plan`: decides the run's mode, its pull request, and the base to compare with.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Context;
use perf_cli::actions::Level;
use perf_cli::{Exit, Failure, ResultExt, file, load, term};
use perf_config::{CommentSection, Config};
use perf_github::{Actions, Event, Pull};
use perf_model::commit::CommitId;
use serde::{Deserialize, Serialize};

use super::base::{Base, BaseLoader};
use super::environment::{required, variable};
use super::git::CheckoutRepository;
use super::handover::{self, SealedFiles};
use super::inputs::{ActionInputs, RunSettings, WorkflowJob};
use super::place::{self, SuiteFolder};
use super::{complete, log, stored};
use crate::run::describe_machine;

/// The decisions of the step `plan`, which later steps read from the run's folder.
#[derive(Debug, Serialize, Deserialize)]
pub struct ActionPlan {
    pub inputs: ActionInputs,
    pub settings: RunSettings,
    /// True if the baseline and the page are committed.
    pub is_refresh: bool,
    /// The pull request that gets a comment.
    pub pull_request: Option<u64>,
    pub job: WorkflowJob,
    /// The measured commit.
    pub commit: Option<CommitId>,
    /// True if another workflow measured. The rows aren't from this runner then, and only a status can show the verdict on
    /// the pull request.
    pub is_after_workflow: bool,
    /// The name of the status or check run.
    pub status: String,
    /// The run's folder, in which the steps share files.
    pub folder: PathBuf,
    /// The suite's folder, to which paths are relative.
    suite: PathBuf,
    /// The URL of this workflow run and attempt.
    pub run_url: Option<String>,
    /// The base to compare with. The report shows the text of an error as a failed comparison.
    pub base: Result<Base, String>,
    /// The base commit's config file, or the checkout's if there is no base commit.
    pub config_file: Option<PathBuf>,
    /// The description of this runner, unless the config turns it off or another workflow measured.
    pub machine_specs: Option<PathBuf>,
    /// The SHA-256 of the baseline, the config file and the machine description in the run's folder.
    pub sealed: SealedFiles,
    /// The comment settings; `readable_comment` returns them for an invalid config.
    #[serde(skip)]
    pub comment: CommentSection,
}

/// Runs the step.
pub fn run() -> anyhow::Result<Exit> {
    if let Some(needs) = variable("PERF_COMPLETE") {
        return complete::check_jobs(&needs);
    }
    let Some(plan) = ActionPlan::make()? else {
        log::output("mode", "none")?;
        return Ok(Exit::Ok);
    };
    let hash = handover::write(&plan.folder.join(FILE), &plan)?;
    log::output("folder", &plan.folder.to_string_lossy())?;
    log::output("plan", &hash)?;
    log::output("mode", "run")?;
    Ok(Exit::Ok)
}

/// The plan's file name in the run's folder.
const FILE: &str = "plan.json";

impl ActionPlan {
    /// Makes the plan. Shows a notice and returns `None` if there is nothing to do.
    fn make() -> anyhow::Result<Option<Self>> {
        let inputs = ActionInputs::from_env()?;
        let actions = Actions::from_env()?;
        let event = &actions.event;
        let workspace = PathBuf::from(required("GITHUB_WORKSPACE")?);
        let place = SuiteFolder::find(&workspace, &inputs.directory)?;
        let folder = create_folder()?;
        place::name_as_repository(&folder);
        let mut repository = CheckoutRepository::open(place, &folder);
        refuse_head(event, &mut repository)?;
        let named = match inputs.pull_request {
            Some(number) => Some(actions.client()?.pull(number)?),
            None => None,
        };
        if named.as_ref().is_some_and(|pull| is_outdated(event, pull)) {
            return Ok(None);
        }
        let (mut base, mut head) = base_and_head(event, named.as_ref(), &mut repository);
        let pinned = event.commented_pull().and(repository.head.clone());
        head = pinned.clone().or(head);
        let pull = named.as_ref().or(event.pull_request.as_deref());
        let is_reported = named.is_some() || event.is_pull_request();
        let pull_request = pull.filter(|_| is_reported).map(|pull| pull.number);
        SuiteFolder::enter(&repository.place.folder)?;

        let mut loader = BaseLoader {
            inputs: &inputs,
            actions: &actions,
            folder: &folder,
            repository: &mut repository,
            config: inputs.config.clone(),
        };
        let config = loader.load_config(base.as_ref());
        let settings = match &config {
            Ok(config) => RunSettings::new(&inputs, config)?,
            // Without a readable config, the inputs may suffice to report the error in a comment.
            Err(_) => match RunSettings::new(&inputs, &Config::default()) {
                Ok(settings) => settings,
                Err(_) => return config.map(|_| None),
            },
        };
        refuse_measuring(&settings, event)?;
        if base.is_none() && settings.is_paired() {
            (base, head) = default_base_and_head(&actions, loader.repository)?;
        }
        let mut machine_specs = None;
        if let Ok(config) = &config
            && !event.is_after_workflow()
            && config.files().machine_specs != Some(false)
        {
            let described = describe_machine(&folder)
                .context("cannot describe this runner")
                .hint("set `machine-specs = false` in `[files]` of the config to measure without a description")?;
            machine_specs = Some(described);
        }
        let base = config.and_then(|_| loader.load(&settings, base, head.as_ref()));
        let config_file = loader.config;

        // A baseline must contain the whole suite.
        let is_refresh = pull_request.is_none()
            && inputs.part.is_whole()
            && (!settings.is_paired() || settings.keeps_numbers)
            && settings.refreshing.contains(&event.name)
            && event.is_on_default_branch();
        if is_refresh
            && event.name == "push"
            && let Some(before) = &event.before
            && stored::is_refreshed(&inputs, &settings, &actions, before)
        {
            log::output("refresh", "refreshed")?;
            return Ok(None);
        }
        let base = base.map_err(|error| log::show_error(Level::Error, &error));

        // Files in the workspace are not sealed, because the benchmark may write them.
        let mut sealed = SealedFiles::default();
        let stored = base.as_ref().ok().map(|base| &base.baseline);
        for file in config_file.iter().chain(&machine_specs).chain(stored) {
            if file.starts_with(&folder) {
                sealed.seal(file);
            }
        }
        let job = WorkflowJob::from_env(&inputs);
        let status = status_name(&inputs, &job, pull, event);
        let commit = pinned
            .or(named.map(|pull| pull.head.sha))
            .or(event.head().cloned())
            .or(event.sha.clone());
        Ok(Some(Self {
            status,
            job,
            inputs,
            settings,
            is_refresh,
            pull_request,
            commit,
            is_after_workflow: event.is_after_workflow(),
            folder,
            suite: repository.place.folder,
            run_url: actions.run_url().filter(|url| url.starts_with("http")),
            base,
            config_file,
            machine_specs,
            sealed,
            comment: CommentSection::default(),
        }))
    }

    /// The config of this run. If it is invalid, the comparison will report the error.
    pub fn config(&self) -> anyhow::Result<Config> {
        load::config(self.config_file.as_deref())
    }

    /// True if the verdict is also set as a status of the measured commit, which branch protection may require.
    pub fn sets_status(&self) -> bool {
        self.comment.status.unwrap_or(self.is_after_workflow)
    }

    /// Reads the plan from the folder and the hash that the step `plan` has output, and changes to the suite's folder.
    ///
    /// # Errors
    /// If the plan or one of its files has changed.
    pub fn enter(folder: &str, hash: &str) -> anyhow::Result<Self> {
        let mut plan: Self = handover::read(&Path::new(folder).join(FILE), hash)?;
        plan.sealed.check()?;
        place::name_as_repository(&plan.folder);
        SuiteFolder::enter(&plan.suite)?;
        plan.comment = match plan.config() {
            Ok(config) => config.comment().clone(),
            Err(_) => readable_comment(plan.config_file.as_deref()),
        };
        Ok(plan)
    }

    /// Like [`ActionPlan::enter`], with the folder and the hash from the environment.
    pub fn enter_from_env() -> anyhow::Result<Self> {
        Self::enter(&required("PERF_FOLDER")?, &required("PERF_PLAN")?)
    }
}

/// The name of the status or check run.
fn status_name(
    inputs: &ActionInputs,
    job: &WorkflowJob,
    pull: Option<&Pull>,
    event: &Event,
) -> String {
    let mut status = inputs.name.to_string();
    // Other matrix jobs may report on the same suite.
    if job.sharing > 1 {
        status = format!("{status} ({})", job.name.values.join(", "));
    }
    // Otherwise, a second pull request with the same commit could turn a failed status green.
    if let Some(pull) = pull
        && event.default_branch() != Some(&pull.base.branch)
    {
        status = format!("{status} into {}", pull.base.branch);
    }
    status
}

/// The comment settings in an invalid config. If they are invalid too, the defaults with a status, which shows the failure.
fn readable_comment(file: Option<&Path>) -> CommentSection {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Readable {
        comment: CommentSection,
    }
    if let Some(file) = file
        && let Ok(text) = file::read_text(file)
        && let Ok(readable) = toml::from_str::<Readable>(&text)
    {
        return readable.comment;
    }
    CommentSection {
        status: Some(true),
        ..CommentSection::default()
    }
}

/// Shows a notice and returns true if another workflow measured a commit that is not the pull request's head. The pull
/// request's number may come from that workflow, which must not report its results on somebody else's pull request.
fn is_outdated(event: &Event, pull: &Pull) -> bool {
    let run = event.workflow_run.as_ref();
    if !event.is_after_workflow() || run.is_some_and(|run| run.is_of_head(pull)) {
        return false;
    }
    log::show(
        Level::Notice,
        "nothing is reported: the pull request was updated after the measurement",
        &["the newest commit's workflow reports"],
    );
    true
}

const TWO_WORKFLOWS: &str = "measure in `pull_request`, and comment in `workflow_run`: see docs/how-to/forks.md of perf-gate";

/// Fails if untrusted code is checked out in an event with the base repository's permissions, such as
/// `pull_request_target`. For that event, only the base may be checked out: a checkout of the pull request isn't always
/// recognizable, because a push may have moved the head since the event.
fn refuse_head(event: &Event, repository: &mut CheckoutRepository) -> Result<(), Failure> {
    if !event.has_rights_of_base() {
        return Ok(());
    }
    let Some(here) = repository.head.clone() else {
        return Ok(());
    };
    let parents = repository.parents(&here).unwrap_or_default();
    let is_head = event
        .head()
        .is_some_and(|head| here == *head || parents.contains(head));
    let is_base = event.sha.as_ref() == Some(&here) || event.base() == Some(&here);
    if !is_head && (is_base || event.name != "pull_request_target") {
        return Ok(());
    }
    let message = format!(
        "`{}` has the rights of the base, but another commit than the base is checked out",
        event.name
    );
    Err(Failure::new(message).hint(TWO_WORKFLOWS))
}

/// Fails if an event with the base repository's permissions would run a benchmark, which is untrusted code.
fn refuse_measuring(settings: &RunSettings, event: &Event) -> Result<(), Failure> {
    if settings.run.is_empty()
        || !matches!(event.name.as_str(), "pull_request_target" | "workflow_run")
    {
        return Ok(());
    }
    let message = format!("`run` is not allowed for the event `{}`", event.name);
    Err(Failure::new(message).hint(TWO_WORKFLOWS))
}

/// The base and the head of an event. If GitHub's trial merge of a pull request is checked out, the head is the merge
/// and the base its first parent.
fn base_and_head(
    event: &Event,
    named: Option<&Pull>,
    repository: &mut CheckoutRepository,
) -> (Option<CommitId>, Option<CommitId>) {
    if let Some(pull) = named {
        return (Some(pull.base.sha.clone()), Some(pull.head.sha.clone()));
    }
    let (base, head) = (event.base().cloned(), event.head().cloned());
    if event.name == "merge_group" {
        return (base, event.sha.clone());
    }
    if event.name == "pull_request"
        && let Some(merge) = &event.sha
    {
        let parents = repository.parents(merge).unwrap_or_default();
        if parents.len() > 1 && parents.last() == head.as_ref() {
            return (parents.into_iter().next(), Some(merge.clone()));
        }
    }
    (base, head)
}

/// The base and the head for an event without a base, such as a push or a schedule. For a push, the base is the commit
/// before it; for other events outside the default branch, that branch. Otherwise, it is the checked-out commit's
/// parent.
fn default_base_and_head(
    actions: &Actions,
    repository: &mut CheckoutRepository,
) -> anyhow::Result<(Option<CommitId>, Option<CommitId>)> {
    let event = &actions.event;
    let is_push = event.name == "push";
    if is_push && event.before.is_some() {
        return Ok((event.before.clone(), None));
    }
    if let Some(branch) = event.default_branch()
        && !is_push
        && !event.is_on_default_branch()
    {
        let base = actions.client()?.branch(branch)?;
        return Ok((base, repository.head.clone()));
    }
    let parents = match repository.head.clone() {
        Some(head) => repository.parents(&head).unwrap_or_default(),
        None => Vec::new(),
    };
    Ok((parents.into_iter().next(), None))
}

/// Creates the run's folder, which other users can't write to.
fn create_folder() -> anyhow::Result<PathBuf> {
    let parent = variable("RUNNER_TEMP").map_or_else(env::temp_dir, PathBuf::from);
    let made = tempfile::Builder::new()
        .prefix("perf-gate.")
        .tempdir_in(&parent);
    made.map(tempfile::TempDir::keep)
        .with_context(|| format!("cannot write to `{}`", term::shown(&parent)))
}
