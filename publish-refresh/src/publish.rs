//! Reads the branch, decides, and commits. Retries a limited number of times while others push.

use std::cell::OnceCell;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use anyhow::Context;
use perf_cli::{Failure, failure, term};
use perf_config::Fallback;
use perf_github::{ApiError, ApiErrorKind, Client, Clock, CommitId};

use crate::branch::{self, Anchor, ReadAt};
use crate::checkout::Checkout;
use crate::content::RepoPath;
use crate::content::{self, FileChange, PublishedFile, new_commit};
use crate::origin::Message;
use crate::outcome::{Planned, RefreshOutcome};
use crate::plan::{Decision, WantedRefresh, decide};
use crate::render::Renderer;

/// The maximum pause before the second attempt in milliseconds, added again for each later attempt.
const PAUSE: u64 = 400;

/// The inputs for publishing.
pub(crate) struct PublishJob<'a> {
    pub(crate) client: &'a Client,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) checkout: &'a Checkout,
    /// The branch whose code was measured.
    pub(crate) branch: String,
    /// The branch that gets the numbers, if it is a different one.
    pub(crate) store: Option<String>,
    pub(crate) wanted: WantedRefresh,
    pub(crate) command: Option<Renderer>,
    pub(crate) message: Message,
    pub(crate) fallback: Fallback,
    pub(crate) attempts: u32,
    pub(crate) dry_run: bool,
    /// Whether a read-only token is expected. Then a rejected write is not an error.
    pub(crate) read_only: bool,
    /// The store's first tip that this process has read.
    pub(crate) first: OnceCell<CommitId>,
    pub(crate) read: ReadAt,
}

/// The addition to an error if it is unknown whether the commit was made.
const UNCERTAIN: &str = "the commit may have been made: its response was lost";

/// The result of one attempt to commit.
pub(crate) enum Attempt {
    Over(RefreshOutcome),
    /// Another commit was pushed meanwhile.
    Moved,
    /// The response was lost.
    Lost,
}

impl PublishJob<'_> {
    /// Publishes the `rendered` files. If that fails, restores the files in the checkout.
    pub(crate) fn run(&self, rendered: &[PublishedFile]) -> anyhow::Result<RefreshOutcome> {
        let result = self.attempts(rendered);
        match &result {
            Ok(RefreshOutcome::Committed { .. } | RefreshOutcome::Unchanged)
                if self.dry_run || self.fallback == Fallback::None || self.store.is_some() => {}
            Ok(RefreshOutcome::Committed { .. } | RefreshOutcome::Unchanged) => {
                match self.close_superseded() {
                    // If the token can't see pull requests, it has not opened any.
                    Err(error)
                        if !matches!(
                            error.kind,
                            ApiErrorKind::Permission | ApiErrorKind::NotFound
                        ) =>
                    {
                        term::warn(&error.to_string());
                    }
                    _ => {}
                }
            }
            Ok(RefreshOutcome::Proposed(_)) => {}
            _ => {
                if let Err(error) = self.write_all(rendered) {
                    term::warn(&failure::message(&error));
                }
            }
        }
        result
    }

    fn attempts(&self, rendered: &[PublishedFile]) -> anyhow::Result<RefreshOutcome> {
        let mut lost = false;
        for attempt in 0..=self.attempts {
            if attempt > 0 {
                let pause = PAUSE / 4 + random_u64() % (PAUSE * u64::from(attempt));
                self.clock.sleep(Duration::from_millis(pause));
            }
            // The last iteration only checks whether the last attempt succeeded.
            let may_write = attempt < self.attempts;
            let result = self.attempt(rendered, may_write);
            match if lost {
                result.context(UNCERTAIN)?
            } else {
                result?
            } {
                Attempt::Over(outcome) => return Ok(outcome),
                Attempt::Moved => {}
                Attempt::Lost => lost = true,
            }
        }
        let (branch, count) = (term::printable(self.target()), self.attempts);
        let why = format!(
            "{count} attempts to commit to `{branch}` failed: other pushes came first, or responses were lost"
        );
        let hints = vec!["re-run the job, or allow more with `--attempts`".to_owned()];
        Ok(RefreshOutcome::Unpublished {
            why,
            hints,
            expected: false,
        })
    }

    fn attempt(&self, rendered: &[PublishedFile], may_write: bool) -> anyhow::Result<Attempt> {
        let code = self.tip()?;
        let (tip, situation) = if let Some(store) = &self.store {
            self.store_situation(store, &code)?
        } else {
            let situation = branch::situation(self.client, &self.wanted, self.anchor(&code), &code);
            let situation = situation.map_err(|error| self.unmeasured(error))?;
            (Some(code), situation)
        };
        let decision = decide(&self.wanted, &situation);
        if let Decision::Leave(outcome) = decision {
            return Ok(Attempt::Over(outcome));
        }
        let published = self.wanted.relevance.published();
        let on_branch = match &tip {
            Some(tip) => branch::versions(self.client, published, self.anchor(tip), tip)
                .map_err(Failure::from)?,
            None => published
                .iter()
                .map(|path| PublishedFile {
                    path: path.clone(),
                    content: None,
                })
                .collect(),
        };
        // A file that was rendered on top of an outdated version. A checkout does not contain a store's files, so any existing
        // one is outdated.
        let outdated = match decision {
            Decision::RenderAgain(path) => Some(path),
            _ if self.store.is_none() => None,
            _ => on_branch
                .iter()
                .find(|version| version.content.is_some())
                .map(|version| version.path.clone()),
        };
        let mut changes = content::changes(rendered, &on_branch);
        if let Some(path) = outdated.filter(|_| may_write && !changes.is_empty()) {
            changes = content::changes(&self.render_on(&on_branch, &path)?, &on_branch);
        }
        match changes.as_slice() {
            [] => Ok(Attempt::Over(RefreshOutcome::Unchanged)),
            _ if self.dry_run => {
                let message = self.message.clone();
                Ok(Attempt::Over(RefreshOutcome::Planned(Planned {
                    tip,
                    message,
                    changes,
                })))
            }
            _ if !may_write => Ok(Attempt::Moved),
            changes => match &tip {
                Some(tip) => self.commit(tip, changes),
                None => self.create_store(self.target(), changes),
            },
        }
    }

    /// The commit from which files are compared: the measured one, or the store's first tip.
    pub(crate) fn anchor(&self, tip: &CommitId) -> Anchor<'_> {
        let first = || self.first.get_or_init(|| tip.clone());
        (
            if self.store.is_some() {
                first()
            } else {
                &self.wanted.origin.measured
            },
            &self.read,
        )
    }

    /// The branch that gets the numbers.
    fn target(&self) -> &str {
        self.store.as_deref().unwrap_or(&self.branch)
    }

    pub(crate) fn tip(&self) -> Result<CommitId, Failure> {
        let missing = || {
            Failure::new(format!(
                "the repository has no branch `{}`",
                term::printable(&self.branch)
            ))
            .hint("set the branch with `--branch`; a token without access can't see branches")
        };
        self.client
            .branch_since(&self.wanted.origin.measured, &self.branch)?
            .ok_or_else(missing)
    }

    /// The error for a measured commit that cannot be compared.
    pub(crate) fn unmeasured(&self, error: ApiError) -> Failure {
        if error.kind != ApiErrorKind::NotFound {
            return error.into();
        }
        let measured = &self.wanted.origin.measured;
        Failure::new(format!(
            "GitHub does not know the measured commit {measured}"
        ))
        .hint("push it first, or set another one with `--measured`")
    }

    /// Renders the files on top of the branch's versions. `changed` is a changed file, for the error without a command.
    fn render_on(
        &self,
        on_branch: &[PublishedFile],
        changed: &RepoPath,
    ) -> anyhow::Result<Vec<PublishedFile>> {
        let command = self.command.as_ref().ok_or_else(|| {
            let message =
                format!("`{changed}` has changed on the branch since the code was measured");
            Failure::new(message).hint("pass the command that renders the files after `--`")
        })?;
        self.write_all(on_branch)?;
        command.run(self.checkout.here())?;
        self.wanted
            .relevance
            .published()
            .iter()
            .map(|path| Ok(self.checkout.read_rendered(path)?))
            .collect()
    }

    fn write_all(&self, versions: &[PublishedFile]) -> anyhow::Result<()> {
        versions
            .iter()
            .try_for_each(|version| self.checkout.write(version))
    }

    fn commit(&self, tip: &CommitId, changes: &[FileChange]) -> anyhow::Result<Attempt> {
        match self
            .client
            .create_commit(&new_commit(&self.message, self.target(), tip, changes))
        {
            Ok(commit) => Ok(Attempt::Over(RefreshOutcome::Committed { commit })),
            Err(error) if error.maybe_done() => Ok(Attempt::Lost),
            Err(error) if error.kind == ApiErrorKind::Conflict => Ok(Attempt::Moved),
            Err(error) => Ok(Attempt::Over(self.refused(tip, changes, error)?)),
        }
    }

    /// Handles a rejected commit: opens a pull request, if that is wanted.
    fn refused(
        &self,
        tip: &CommitId,
        changes: &[FileChange],
        refusal: ApiError,
    ) -> Result<RefreshOutcome, Failure> {
        match refusal.kind {
            _ if self.store.is_some() => return self.not_stored(refusal),
            ApiErrorKind::Protected if self.fallback == Fallback::PullRequest => {}
            // Without the fallback, a protected branch is expected.
            ApiErrorKind::Protected => return Ok(Self::unpublished(&[refusal], true)),
            ApiErrorKind::Permission => return Ok(Self::unpublished(&[refusal], self.read_only)),
            _ => return Err(refusal.into()),
        }
        match self.propose(tip, changes) {
            Ok(outcome) => Ok(outcome),
            // The repository does not allow the pull request, which is not an error.
            Err(second)
                if matches!(
                    second.kind,
                    ApiErrorKind::Permission
                        | ApiErrorKind::Setting
                        | ApiErrorKind::Protected
                        | ApiErrorKind::Validation
                ) =>
            {
                Ok(Self::unpublished(&[refusal, second], self.read_only))
            }
            Err(second) => Err(second.into()),
        }
    }

    pub(crate) fn unpublished(errors: &[ApiError], expected: bool) -> RefreshOutcome {
        let why = errors
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", and ");
        let hints = errors.iter().map(|error| error.hint().to_owned()).collect();
        RefreshOutcome::Unpublished {
            why,
            hints,
            expected,
        }
    }
}

/// A random number. The standard library's random seeds for hash tables are sufficient here.
pub(crate) fn random_u64() -> u64 {
    RandomState::new().hash_one(0)
}
