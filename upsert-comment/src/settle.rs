//! Reads the comments, plans and applies the changes, until no change is left.

use std::time::Duration;

use perf_github::{
    Account, ApiError, ApiErrorKind, Client, Clock, Comment, CommitId, Conversation, Pull,
};

use crate::jobs::{self, Overview};
use crate::marker::{CommentKey, Stamp};
use crate::plan::{CommentChange, CommentPlan, CommentState, Newer, WantedComment, plan};
use crate::text::{Own, RunReport, normalize};

/// The maximum number of reads. More than two are only needed if another run writes at the same time.
const READS: u32 = 5;
/// Additional reads for each job that may write to the same comment.
const MORE_READS: u32 = 4;
/// The pause after a write with an unknown result, multiplied by the number of reads so far. The comment may not be listed at
/// once, and the server may be overloaded.
const PAUSE: Duration = Duration::from_secs(2);

/// The pause for another job to create the comment.
const FIRST_PAUSE: Duration = Duration::from_secs(2);

/// The pause after a write.
const LAST_PAUSE: Duration = Duration::from_secs(1);

/// The effect of a request on the comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentAction {
    /// A comment was created.
    Created,
    /// The comment's text was changed.
    Updated,
    /// The comment was up to date, or did not exist and is not wanted.
    Unchanged,
    /// The comment was deleted.
    Deleted,
    /// A newer report exists or is expected.
    Outdated,
    /// No comment is possible.
    Skipped,
}

/// An existing comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostedComment {
    /// The ID.
    pub id: u64,
    /// The URL of its page.
    pub url: String,
}

impl CommentAction {
    /// The word in result lines.
    pub fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::Deleted => "deleted",
            Self::Outdated => "outdated",
            Self::Skipped => "skipped",
        }
    }
}

/// The result of applying all changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settled {
    pub(crate) action: CommentAction,
    /// The current comment, if it exists.
    pub(crate) comment: Option<PostedComment>,
    /// The reason if our report is outdated.
    pub(crate) outdated_by: Option<Newer>,
    /// Inconsistencies among shards.
    pub(crate) faults: Vec<String>,
    /// Sentences about jobs that ended without a report.
    pub(crate) lost: Vec<String>,
}

/// One read of a conversation: its comments and newest commit.
pub(crate) struct Snapshot {
    comments: Vec<Comment>,
    pub(crate) head: CommitId,
    pub(crate) pull: Option<Pull>,
    checked: Vec<RunReport>,
}

pub(crate) struct Thread<'c> {
    pub(crate) client: &'c Client,
    pub(crate) place: Conversation,
    pub(crate) author: Account,
    pub(crate) key: CommentKey,
    pub(crate) clock: &'c dyn Clock,
    /// Whether check runs contain the other jobs' reports.
    pub(crate) has_checks: bool,
}

/// The effect of applying a plan.
enum Applied {
    All,
    /// Another run has changed a comment since it was read.
    Stopped,
    /// A write may have succeeded despite this error.
    Unknown(ApiError),
}

/// The changes that this process made, which GitHub may not list at once.
#[derive(Default)]
struct DoneChanges {
    action: Option<CommentAction>,
    created: Option<Comment>,
    gone: Vec<u64>,
    /// The stamps with runs that do not exist.
    forged: Vec<Stamp>,
}

impl Thread<'_> {
    /// Reads the comments, then the pull request. In this order, the head is at least as new as every comment.
    pub(crate) fn read(&self) -> Result<Snapshot, ApiError> {
        let comments = self.client.comments(&self.place)?;
        let (head, pull) = match &self.place {
            Conversation::Commit(commit) => (commit.clone(), None),
            Conversation::Pull(number) => {
                let pull = self.client.pull(*number)?;
                (pull.head.sha.clone(), Some(pull))
            }
        };
        let app = self.author.login.trim_end_matches("[bot]");
        let texts = if self.has_checks {
            self.client.check_texts(&head, app)?
        } else {
            Vec::new()
        };
        let checked = texts
            .iter()
            .filter_map(|text| jobs::parse_check(&self.key, text))
            .collect();
        Ok(Snapshot {
            comments,
            head,
            pull,
            checked,
        })
    }

    /// Selects our own comments with the key.
    pub(crate) fn state(&self, snapshot: &Snapshot) -> CommentState {
        let state = CommentState::of(
            &snapshot.comments,
            &self.author,
            &self.key,
            snapshot.head.clone(),
        );
        CommentState {
            is_closed: snapshot.pull.as_ref().is_some_and(|pull| !pull.open),
            checked: snapshot.checked.clone(),
            ..state
        }
    }

    /// Reads earlier texts of our comments, which show newer reports that we overwrote without having seen them. Empty if the
    /// server does not return them.
    fn earlier(&self, state: &CommentState) -> Vec<Own> {
        let login = self.author.login.trim_end_matches("[bot]");
        let texts = |own: &Own| {
            let texts = self
                .client
                .texts_of_comment(&own.node_id)
                .unwrap_or_default();
            let by_us = texts
                .into_iter()
                .filter(|(editor, _)| editor.trim_end_matches("[bot]") == login);
            by_us
                .filter_map(|(_, text)| own.with_text(&text, &self.key))
                .collect::<Vec<_>>()
        };
        state
            .own
            .iter()
            .filter(|own| !own.hidden)
            .flat_map(texts)
            .collect()
    }

    /// Applies plans until nothing is left to do. `first` is the state after the first read.
    ///
    /// Each write is followed by a pause and a read, because a run that has read before us may overwrite our report after it.
    pub(crate) fn settle(
        &self,
        wanted: &WantedComment,
        first: CommentState,
    ) -> Result<Settled, ApiError> {
        let jobs = wanted.report.job.as_ref().map_or(0, |job| job.of.min(50));
        let (mut done, mut state, mut unknown) = (DoneChanges::default(), first, None);
        for read in 1..=READS + MORE_READS * jobs {
            let mut plan = plan(&state, wanted);
            if let Some(Newer::Report(stamp)) = &plan.outdated_by
                && self.is_forged(stamp, wanted)
            {
                done.forged.push(stamp.clone());
                done.forget_forged(&mut state);
                plan = self::plan(&state, wanted);
            }
            if plan.changes.is_empty() {
                return Ok(done.settled(&state, &plan));
            }
            unknown = None;
            let applied = if read == 1 && state.is_created_by_other(wanted) {
                self.clock.sleep(FIRST_PAUSE);
                Applied::Stopped
            } else {
                self.apply(&plan, &state, &mut done)?
            };
            match applied {
                Applied::All if done.has_text() => self.clock.sleep(LAST_PAUSE),
                Applied::All | Applied::Stopped => {}
                Applied::Unknown(error) => {
                    if !error.is_due() {
                        self.clock.sleep(PAUSE * read.min(READS));
                    }
                    unknown = Some(error);
                }
            }
            let mut seen = self.read()?;
            done.correct(&mut seen.comments);
            state = self.state(&seen);
            // Check runs contain all reports, even those that were overwritten.
            if done.has_text() && !self.has_checks {
                state.earlier = self.earlier(&state);
            }
            done.forget_forged(&mut state);
        }
        // Other runs keep changing the comment and will finish it, unless our own write failed.
        unknown.map_or_else(|| Ok(done.settled(&state, &plan(&state, wanted))), Err)
    }

    /// Whether a stamp contains a run that does not exist. Any workflow that posts untrusted text can create such a marker with
    /// our account, and it must not prevent our report.
    fn is_forged(&self, stamp: &Stamp, wanted: &WantedComment) -> bool {
        let Some(run) = stamp.run else { return false };
        let ours = wanted.report.stamp.run.map(|run| run.id);
        if ours == Some(run.id) {
            return false;
        }
        matches!(self.client.has_run(run), Ok(false))
    }

    /// Applies a plan. Stops after a write that may have succeeded despite an error, or if a comment is missing: the next read
    /// shows the remaining changes.
    fn apply(
        &self,
        plan: &CommentPlan,
        state: &CommentState,
        done: &mut DoneChanges,
    ) -> Result<Applied, ApiError> {
        for change in &plan.changes {
            if let CommentChange::Update(id, _) = change
                && !self.is_unchanged(*id, state)?
            {
                return Ok(Applied::Stopped);
            }
            match (self.make(change, done), change) {
                (Ok(()), _) => {}
                (Err(error), _) if error.maybe_done() || error.is_due() => {
                    return Ok(Applied::Unknown(error));
                }
                (Err(error), CommentChange::Update(id, _) | CommentChange::Delete(id))
                    if is_gone(&error) =>
                {
                    done.gone.push(*id);
                    return Ok(Applied::Stopped);
                }
                (Err(error), _) => return Err(error),
            }
        }
        Ok(Applied::All)
    }

    /// Whether a comment still has the text that the plan is based on. GitHub replaces any text, so another run's would be lost.
    fn is_unchanged(&self, id: u64, state: &CommentState) -> Result<bool, ApiError> {
        let seen = state.own.iter().find(|own| own.id == id);
        match self.client.comment(&self.place, id) {
            Ok(comment) => Ok(seen.is_some_and(|own| own.text == normalize(&comment.body))),
            Err(error) if is_gone(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Makes a change. Its action is recorded first, because a failed write may have succeeded.
    fn make(&self, change: &CommentChange, done: &mut DoneChanges) -> Result<(), ApiError> {
        match change {
            CommentChange::Create(body) => {
                done.action = Some(CommentAction::Created);
                done.created = Some(self.client.create_comment(&self.place, body)?);
            }
            CommentChange::Update(id, body) => {
                done.action = done
                    .action
                    .filter(|action| *action == CommentAction::Created)
                    .or(Some(CommentAction::Updated));
                self.client.update_comment(&self.place, *id, body)?;
            }
            CommentChange::Delete(id) => {
                done.action.get_or_insert(CommentAction::Deleted);
                self.client.delete_comment(&self.place, *id)?;
                done.gone.push(*id);
            }
        }
        Ok(())
    }
}

impl DoneChanges {
    /// True if this process has written a report.
    fn has_text(&self) -> bool {
        matches!(
            self.action,
            Some(CommentAction::Created | CommentAction::Updated)
        )
    }

    /// Ignores comments with forged stamps.
    fn forget_forged(&self, state: &mut CommentState) {
        state.own.retain(|own| !self.forged.contains(&own.stamp));
        state
            .earlier
            .retain(|own| !self.forged.contains(&own.stamp));
    }

    /// Applies our own writes to a list of comments, because GitHub may not show them at once.
    fn correct(&self, comments: &mut Vec<Comment>) {
        let listed = |comment: &&Comment| !comments.iter().any(|other| other.id == comment.id);
        comments.extend(
            self.created
                .iter()
                .filter(listed)
                .cloned()
                .collect::<Vec<_>>(),
        );
        comments.retain(|comment| !self.gone.contains(&comment.id));
        comments.sort_by_key(|comment| comment.id);
    }

    fn settled(&self, state: &CommentState, plan: &CommentPlan) -> Settled {
        let comment = state.newest().map(|own| PostedComment {
            id: own.id,
            url: own.url.clone(),
        });
        let action = match self.action {
            _ if plan.outdated_by.is_some() => CommentAction::Outdated,
            // The pull request was closed after the first read, before the comment was created.
            Some(CommentAction::Created) if comment.is_none() && state.is_closed => {
                CommentAction::Skipped
            }
            // Only leftovers were deleted.
            Some(CommentAction::Deleted) if comment.is_some() => CommentAction::Unchanged,
            action => action.unwrap_or(CommentAction::Unchanged),
        };
        let overview = state
            .newest()
            .map(|own| Overview::of(jobs::split_parts(own), &jobs::end_markers(own)));
        let Overview { faults, lost, .. } = overview.unwrap_or_default();
        Settled {
            lost,
            action,
            comment,
            outdated_by: plan.outdated_by.clone(),
            faults,
        }
    }
}

fn is_gone(error: &ApiError) -> bool {
    matches!(error.kind, ApiErrorKind::NotFound | ApiErrorKind::Gone)
}

#[cfg(test)]
mod tests;
