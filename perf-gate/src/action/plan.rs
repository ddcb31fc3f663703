//! What the run is: which mode, which pull request, and which commit it is compared with.

use std::env;
use std::path::{Path, PathBuf};

use perf_cli::{Exit, Failure, failure, file, term};
use serde::{Deserialize, Serialize};

use super::base::{self, Base};
use super::event::Event;
use super::git::{Commit, Repository};
use super::inputs::{Inputs, Mode, variable};
use super::log;
use super::named;
use super::place::Place;
use super::refresh;

/// Why nothing can be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Trouble {
    pub(super) message: String,
    pub(super) hints: Vec<String>,
}

/// What was decided; the later steps read it in their folder.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    pub(super) inputs: Inputs,
    /// Never `auto`.
    pub(super) mode: Mode,
    pub(super) pull_request: Option<u64>,
    /// The commit that was measured.
    pub(super) commit: Option<Commit>,
    /// The commit that a push brought.
    pub(super) pushed: Option<Commit>,
    /// Whether the push brought nothing but refreshed numbers, which are not measured again.
    pub(super) is_refreshed: bool,
    /// The folder of this run's files.
    pub(super) folder: PathBuf,
    /// The folder of the suite, where paths begin.
    suite: PathBuf,
    /// What to compare with. That it cannot be had is reported as what a tool says is.
    pub(super) base: Result<Base, Trouble>,
}

/// The step.
pub(super) fn run() -> anyhow::Result<Exit> {
    let plan = Plan::make()?;
    let text = serde_json::to_string(&plan)?;
    file::write_if_changed(&plan.folder.join(FILE), text.as_bytes())?;
    log::output("folder", &plan.folder.to_string_lossy())?;
    if plan.is_refreshed {
        log::notice(
            "nothing is measured: the push has nothing but refreshed numbers",
            &["with `paths-ignore` for these files, the workflow does not start"],
        );
        log::output("refresh", "refreshed")?;
    }
    let mode = match plan.mode {
        _ if plan.is_refreshed => "none",
        Mode::Refresh => "refresh",
        _ => "other",
    };
    log::output("mode", mode)?;
    Ok(Exit::Ok)
}

/// Where a plan is in its folder.
const FILE: &str = "plan.json";

impl From<anyhow::Error> for Trouble {
    fn from(error: anyhow::Error) -> Self {
        let hints = failure::hints(&error).into_iter().map(str::to_owned).collect();
        Self { message: failure::message(&error), hints }
    }
}

impl Plan {
    fn make() -> anyhow::Result<Self> {
        let mut inputs = Inputs::from_env()?;
        let event = Event::from_env()?;
        let pull_request = inputs.pull_request.or(event.pull_request());
        let mode = mode(inputs.mode, &event, pull_request)?;
        let place = Place::find(&inputs.directory)?;
        let folder = folder()?;
        let repository = Repository::new(&place, &folder);
        refuse_head(&event, &repository)?;
        refuse_measuring(&inputs, &event)?;
        let (base, head) = commits(&inputs, &event, &repository);
        if mode == Mode::PullRequest && base.is_none() {
            let message = format!("the event `{}` has no base commit", event.name);
            return Err(Failure::new(message).hint("name the commit by the input `base`").into());
        }
        Place::enter(&place.folder)?;
        // A refresh obeys the config of the branch itself.
        let config = base.as_ref().filter(|_| mode != Mode::Refresh);
        let named = named::fill(&mut inputs, &place, &folder, config);
        let base = named.and_then(|()| base::take(&inputs, &place, &folder, base, head));
        let base = base.map_err(Trouble::from);
        let pushed = event.sha.clone().filter(|_| event.name == "push");
        let before = event.before().filter(|_| mode == Mode::Refresh && pushed.is_some());
        let is_refreshed = before.is_some_and(|before| refresh::is_refreshed(&inputs, &before));
        let commit = event.head().or(event.sha);
        Ok(Self {
            inputs,
            mode,
            pull_request,
            commit,
            pushed,
            is_refreshed,
            folder,
            suite: place.folder,
            base,
        })
    }

    /// Reads it and goes to the folder of the suite.
    ///
    /// # Errors
    /// When the step `plan` did not run.
    pub(super) fn enter() -> anyhow::Result<Self> {
        let folder = variable("PERF_FOLDER").ok_or_else(|| {
            Failure::new("PERF_FOLDER is not set")
                .hint("it is the output `folder` of `perf-gate action plan`")
        })?;
        let path = Path::new(&folder).join(FILE);
        let no_plan = |error| Failure::new(format!("`{}` is no plan", term::shown(&path))).because(error);
        let plan: Self = serde_json::from_str(&file::read_text(&path)?)
            .map_err(|error: serde_json::Error| no_plan(error))?;
        Place::enter(&plan.suite)?;
        Ok(plan)
    }
}

fn mode(named: Mode, event: &Event, pull_request: Option<u64>) -> Result<Mode, Failure> {
    let mode = match named {
        Mode::Auto if event.is_pull_request() => Mode::PullRequest,
        Mode::Auto if event.is_push_to_default_branch() => Mode::Refresh,
        Mode::Auto => Mode::Report,
        named => named,
    };
    // After `workflow_run`, the tip of the branch is no longer what was measured.
    let is_refreshing = !event.is_pull_request() && event.name != "workflow_run";
    if mode == Mode::Refresh && !is_refreshing {
        return Err(Failure::new(format!("the mode `refresh` is not for the event `{}`", event.name))
            .hint("refresh on a push to the default branch"));
    }
    if mode == Mode::PullRequest && pull_request.is_none() {
        return Err(Failure::new(format!("the event `{}` has no pull request", event.name))
            .hint("give its number by the input `pull-request`"));
    }
    Ok(mode)
}

/// `pull_request_target` and `workflow_run` have the rights of the base, which nothing of the head must get hold of.
fn refuse_head(event: &Event, repository: &Repository<'_>) -> Result<(), Failure> {
    let measured = event.head().filter(|_| event.has_rights_of_base());
    let Some((measured, here)) = measured.zip(repository.head()) else { return Ok(()) };
    if here != measured && !repository.parents(&here).contains(&measured) {
        return Ok(());
    }
    let message = format!(
        "the head of the pull request is checked out in `{}`, where it has the rights of the token",
        event.name
    );
    Err(Failure::new(message)
        .hint("measure in `pull_request`, and comment in `workflow_run`: see docs/forks.md of perf-gate"))
}

/// What is measured runs, and must not have the rights of the base.
fn refuse_measuring(inputs: &Inputs, event: &Event) -> Result<(), Failure> {
    if !inputs.is_measuring() || !matches!(event.name.as_str(), "pull_request_target" | "workflow_run") {
        return Ok(());
    }
    Err(Failure::new(format!("`measure` is not for the event `{}`", event.name))
        .hint("measure in `pull_request`, and comment in `workflow_run`: see docs/forks.md of perf-gate"))
}

/// The commit to compare with, and the one that has what the pull request proposes. For the trial merge that GitHub
/// makes of a pull request, those are its first parent and itself; for a checkout of the head, what the event says.
fn commits(inputs: &Inputs, event: &Event, repository: &Repository<'_>) -> (Option<Commit>, Option<Commit>) {
    let (base, head) = (inputs.base.clone().or(event.base()), event.head());
    let merge = event.sha.as_ref().filter(|sha| repository.has(sha));
    if let (Some(merge), "pull_request", None) = (merge, event.name.as_str(), &inputs.base) {
        let parents = repository.parents(merge);
        if parents.len() > 1 && parents.last() == head.as_ref() {
            return (parents.into_iter().next(), Some(merge.clone()));
        }
    }
    match event.name.as_str() {
        "merge_group" => (base, event.sha.clone()),
        "push" if inputs.is_measuring() => (base.or(event.before()).or_else(|| parent(repository)), None),
        _ => (base, head),
    }
}

fn parent(repository: &Repository<'_>) -> Option<Commit> {
    repository.parents(&repository.head()?).into_iter().next()
}

/// A folder that nobody else can write to, which the later steps find.
fn folder() -> Result<PathBuf, Failure> {
    let parent = variable("RUNNER_TEMP").map_or_else(env::temp_dir, PathBuf::from);
    let made = tempfile::Builder::new().prefix("perf-gate.").tempdir_in(&parent);
    let made = made.map(tempfile::TempDir::keep);
    made.map_err(|error| Failure::new(format!("cannot write to `{}`", term::shown(&parent))).because(error))
}
