//! Reads the branch, decides, and commits: again and again while others push, but not for ever.

use std::cell::OnceCell;
use std::time::Duration;

use anyhow::Context;
use perf_cli::{Failure, failure, term};
use perf_config::Fallback;
use perf_github::{Client, Clock, CommitId, Trouble, TroubleKind};

use crate::branch::{self, Anchor, ReadAt};
use crate::checkout::Checkout;
use crate::content::{self, FileChange, PublishedFile, new_commit};
use crate::origin::Message;
use crate::outcome::{OutrankingPlace, Planned, RefreshOutcome};
use crate::plan::{Decision, Reason, Situation, WantedRefresh, decide};
use crate::propose::ProposedNumbers;
use crate::render::Renderer;
use crate::repo_path::RepoPath;

/// The longest pause before the second attempt, in milliseconds; each later one may be so much longer.
const PAUSE: u64 = 400;

/// Everything that is needed to publish.
pub(crate) struct PublishJob<'a> {
    pub(crate) client: &'a Client,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) checkout: &'a Checkout,
    /// The branch whose code was measured.
    pub(crate) branch: String,
    /// The branch that gets the numbers, where it is another one.
    pub(crate) store: Option<String>,
    pub(crate) wanted: WantedRefresh,
    pub(crate) command: Option<Renderer>,
    pub(crate) message: Message,
    pub(crate) fallback: Fallback,
    pub(crate) attempts: u32,
    pub(crate) dry_run: bool,
    /// True if nobody expects the token to write, so that a refusal is no failure.
    pub(crate) read_only: bool,
    /// Numbers that nobody else is likely to draw.
    pub(crate) random_u64: fn() -> u64,
    /// The first tip of a store that this process saw.
    pub(crate) first: OnceCell<CommitId>,
    pub(crate) read: ReadAt,
}

/// The addition to an error while it is not known whether the commit was made.
const UNCERTAIN: &str = "the commit may have been made: its response was lost";

/// The result of one attempt to commit.
pub(crate) enum Attempt {
    Over(RefreshOutcome),
    /// Somebody else pushed meanwhile.
    Moved,
    /// The answer never came.
    Lost,
}

impl PublishJob<'_> {
    /// Publishes `rendered`, the files as they are. Unless that succeeds, the files are in the end what they
    /// were.
    pub(crate) fn run(&self, rendered: &[PublishedFile]) -> anyhow::Result<RefreshOutcome> {
        let result = self.attempts(rendered);
        match &result {
            Ok(RefreshOutcome::Committed { .. } | RefreshOutcome::Unchanged) => self.retire(),
            Ok(RefreshOutcome::Proposed(_)) => {}
            _ => {
                if let Err(error) = self.put(rendered) {
                    term::warn(&failure::message(&error));
                }
            }
        }
        result
    }

    /// Closes the pull requests that what is on the branch makes obsolete. Where they cannot be seen, none was opened.
    fn retire(&self) {
        if self.dry_run || self.fallback == Fallback::None || self.store.is_some() {
            return;
        }
        match self.numbers().retire() {
            Err(trouble) if !matches!(trouble.kind, TroubleKind::Permission | TroubleKind::NotFound) => {
                term::warn(&trouble.to_string());
            }
            _ => {}
        }
    }

    fn attempts(&self, rendered: &[PublishedFile]) -> anyhow::Result<RefreshOutcome> {
        let mut lost = false;
        for attempt in 0..=self.attempts {
            self.pause(attempt);
            // After the last attempt it is only looked whether it succeeded.
            let may_write = attempt < self.attempts;
            let result = self.attempt(rendered, may_write);
            match if lost { result.context(UNCERTAIN)? } else { result? } {
                Attempt::Over(outcome) => return Ok(outcome),
                Attempt::Moved => {}
                Attempt::Lost => lost = true,
            }
        }
        Ok(self.given_up())
    }

    fn attempt(&self, rendered: &[PublishedFile], may_write: bool) -> anyhow::Result<Attempt> {
        let (tip, decision) = match &self.store {
            Some(store) => self.in_store(store)?,
            None => self.on_branch()?,
        };
        if let Decision::Leave(reason) = decision {
            return Ok(Attempt::Over(left(reason)));
        }
        let on_branch = self.versions(tip.as_ref())?;
        let mut changes = content::changes(rendered, &on_branch);
        if may_write
            && !changes.is_empty()
            && let Some(path) = self.outdated(&decision, &on_branch)
        {
            changes = content::changes(&self.rendered_on(&on_branch, path)?, &on_branch);
        }
        match changes.as_slice() {
            [] => Ok(Attempt::Over(RefreshOutcome::Unchanged)),
            _ if self.dry_run => {
                let message = self.message.clone();
                Ok(Attempt::Over(RefreshOutcome::Planned(Planned { tip, message, changes })))
            }
            _ if !may_write => Ok(Attempt::Moved),
            changes => match (&tip, &self.store) {
                (Some(tip), _) => self.commit(tip, changes),
                (None, store) => self.begin(store.as_ref().unwrap_or(&self.branch), changes),
            },
        }
    }

    /// The tip of the branch, and what to do.
    fn on_branch(&self) -> Result<(Option<CommitId>, Decision), Failure> {
        let tip = self.tip()?;
        let decision = decide(&self.wanted, &self.situation(&tip)?);
        Ok((Some(tip), decision))
    }

    fn versions(&self, tip: Option<&CommitId>) -> Result<Vec<PublishedFile>, Failure> {
        let published = self.wanted.relevance.published();
        match tip {
            Some(tip) => Ok(branch::versions(self.client, published, self.anchor(tip), tip)?),
            None => {
                Ok(published.iter().map(|path| PublishedFile { path: path.clone(), content: None }).collect())
            }
        }
    }

    /// A file that was rendered on top of another version than the branch has. A checkout has none of a store's.
    fn outdated<'v>(&self, decision: &'v Decision, on_branch: &'v [PublishedFile]) -> Option<&'v RepoPath> {
        match decision {
            Decision::RenderAgain(path) => Some(path),
            _ if self.store.is_none() => None,
            _ => on_branch.iter().find(|version| version.content.is_some()).map(|version| &version.path),
        }
    }

    /// The commit since which files are compared: the measured one, or the first tip of a store.
    pub(crate) fn anchor(&self, tip: &CommitId) -> Anchor<'_> {
        let first = || self.first.get_or_init(|| tip.clone());
        (if self.store.is_some() { first() } else { &self.wanted.origin.measured }, &self.read)
    }

    /// The branch that gets the numbers.
    fn target(&self) -> &str {
        self.store.as_deref().unwrap_or(&self.branch)
    }

    pub(crate) fn tip(&self) -> Result<CommitId, Failure> {
        let missing = || {
            Failure::new(format!("the repository has no branch `{}`", term::printable(&self.branch)))
                .hint("name the branch with `--branch`; a token without access sees none")
        };
        self.client.branch_since(&self.wanted.origin.measured, &self.branch)?.ok_or_else(missing)
    }

    fn situation(&self, tip: &CommitId) -> Result<Situation, Failure> {
        branch::situation(self.client, &self.wanted, self.anchor(tip), tip)
            .map_err(|trouble| self.unmeasured(trouble))
    }

    /// The error for a measured commit that cannot be compared.
    pub(crate) fn unmeasured(&self, trouble: Trouble) -> Failure {
        if trouble.kind != TroubleKind::NotFound {
            return trouble.into();
        }
        let measured = &self.wanted.origin.measured;
        Failure::new(format!("GitHub does not have the measured commit {measured}"))
            .hint("push it first, or name another with `--measured`")
    }

    /// The files as they are rendered on top of what the branch has of them; `changed` is one of them.
    fn rendered_on(
        &self,
        on_branch: &[PublishedFile],
        changed: &RepoPath,
    ) -> anyhow::Result<Vec<PublishedFile>> {
        let command = self.command.as_ref().ok_or_else(|| {
            let message = format!("`{changed}` has changed on the branch since the code was measured");
            Failure::new(message).hint("pass the command that renders the files after `--`")
        })?;
        self.put(on_branch)?;
        command.run(self.checkout.here())?;
        self.wanted.relevance.published().iter().map(|path| Ok(self.checkout.read_rendered(path)?)).collect()
    }

    fn put(&self, versions: &[PublishedFile]) -> anyhow::Result<()> {
        versions.iter().try_for_each(|version| self.checkout.write(version))
    }

    fn commit(&self, tip: &CommitId, changes: &[FileChange]) -> anyhow::Result<Attempt> {
        match self.client.create_commit(&new_commit(&self.message, self.target(), tip, changes)) {
            Ok(commit) => Ok(Attempt::Over(RefreshOutcome::Committed { commit })),
            Err(trouble) if trouble.maybe_done() => Ok(Attempt::Lost),
            Err(trouble) if trouble.kind == TroubleKind::Conflict => Ok(Attempt::Moved),
            Err(trouble) => Ok(Attempt::Over(self.refused(tip, changes, trouble)?)),
        }
    }

    /// A commit that the branch does not take goes round by a pull request, where that is wanted.
    fn refused(
        &self,
        tip: &CommitId,
        changes: &[FileChange],
        refusal: Trouble,
    ) -> Result<RefreshOutcome, Failure> {
        match refusal.kind {
            _ if self.store.is_some() => return self.not_stored(refusal),
            TroubleKind::Protected if self.fallback == Fallback::PullRequest => {}
            // Who wants no pull request knows that the branch takes no commits.
            TroubleKind::Protected => return Ok(Self::unpublished(&[refusal], true)),
            TroubleKind::Permission => return Ok(Self::unpublished(&[refusal], self.read_only)),
            _ => return Err(refusal.into()),
        }
        match self.numbers().propose(tip, changes, (self.random_u64)()) {
            Ok(outcome) => Ok(outcome),
            Err(second) if is_refusal(&second) => Ok(Self::unpublished(&[refusal, second], self.read_only)),
            Err(second) => Err(second.into()),
        }
    }

    fn numbers(&self) -> ProposedNumbers<'_> {
        ProposedNumbers {
            client: self.client,
            branch: &self.branch,
            published: self.wanted.relevance.published(),
            origin: &self.wanted.origin,
            message: &self.message,
        }
    }

    pub(crate) fn unpublished(troubles: &[Trouble], expected: bool) -> RefreshOutcome {
        let why = troubles.iter().map(ToString::to_string).collect::<Vec<_>>().join(", and ");
        let hints = troubles.iter().map(|trouble| trouble.hint().to_owned()).collect();
        RefreshOutcome::Unpublished { why, hints, expected }
    }

    fn given_up(&self) -> RefreshOutcome {
        let branch = term::printable(self.target());
        let count = self.attempts;
        let why = format!(
            "{count} attempts to commit to `{branch}` failed: other pushes came first, or responses were lost"
        );
        let hints = vec!["run the job again, or allow more with `--attempts`".to_owned()];
        RefreshOutcome::Unpublished { why, hints, expected: false }
    }

    fn pause(&self, attempt: u32) {
        if attempt > 0 {
            self.clock
                .sleep(Duration::from_millis(PAUSE / 4 + (self.random_u64)() % (PAUSE * u64::from(attempt))));
        }
    }
}

/// True if the repository does not allow it, rather than something being broken.
fn is_refusal(trouble: &Trouble) -> bool {
    matches!(
        trouble.kind,
        TroubleKind::Permission | TroubleKind::Setting | TroubleKind::Protected | TroubleKind::Validation
    )
}

/// The outcome of a decision not to publish.
fn left(reason: Reason) -> RefreshOutcome {
    match reason {
        Reason::Done(refresh) => RefreshOutcome::Committed { commit: refresh.commit },
        Reason::Outranked(refresh) => RefreshOutcome::Outranked {
            origin: refresh.origin,
            age: refresh.age,
            place: OutrankingPlace::Branch,
        },
        Reason::Stale { behind } => RefreshOutcome::Stale { behind },
        Reason::Superseded { by } => RefreshOutcome::Superseded { by },
    }
}
