//! Reads the comments, plans and makes the changes, until no change is left to make.

use std::time::Duration;

use perf_github::{
    Account, ApiError, ApiErrorKind, Client, Clock, Comment, CommitId, Conversation, Pull,
};

use crate::jobs::{self, Overview};
use crate::marker::{CommentKey, EndMarker, Stamp};
use crate::plan::{CommentChange, CommentPlan, CommentState, Newer, WantedComment, plan};
use crate::text::{Own, RunReport, normal};

/// Upper bound on looks at the pull request. One change takes two; more are needed only when another run is at work.
const LOOKS: u32 = 5;
/// As many more for each job that may be at work on the same comment.
const MORE_LOOKS: u32 = 4;
/// The pause after the first change that may have been made; the pause after each further one is longer by as much. The
/// comment may take a moment to be listed, and a server that fails is not to be pressed.
const PAUSE: Duration = Duration::from_secs(2);

/// The pause before the last look, after our report is posted: a run that looked before us may write after us, and
/// nothing of ours would be left for it to see.
const LAST: Duration = Duration::from_secs(1);

/// The effect of a request on the comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentAction {
    /// There is a new comment.
    Created,
    /// The comment's text has changed.
    Updated,
    /// The comment is up to date, or does not exist and is not wanted.
    Unchanged,
    /// The comment no longer exists.
    Deleted,
    /// A newer report is there, or is to come.
    Outdated,
    /// There can be no comment.
    Skipped,
    /// A dry run ended.
    Planned,
}

/// A comment that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostedComment {
    /// The number.
    pub id: u64,
    /// The address for people.
    pub url: String,
}

impl CommentAction {
    /// The word for it in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::Deleted => "deleted",
            Self::Outdated => "outdated",
            Self::Skipped => "skipped",
            Self::Planned => "planned",
        }
    }
}

/// The end of all looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settled {
    pub(crate) action: CommentAction,
    /// The comment that is there now.
    pub(crate) comment: Option<PostedComment>,
    /// The report or commit that makes ours outdated, if any.
    pub(crate) outdated_by: Option<Newer>,
    /// The fault of the shards that reported.
    pub(crate) faults: Vec<String>,
    /// The jobs that have ended without a report.
    pub(crate) lost: Vec<String>,
}

/// The comments of a conversation, and its newest commit.
pub(crate) struct Look {
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

/// The changes that this process made, which a list of comments may not show at once.
#[derive(Default)]
struct DoneChanges {
    action: Option<CommentAction>,
    created: Option<Comment>,
    gone: Vec<u64>,
    /// The stamps of runs that do not exist.
    forged: Vec<Stamp>,
}

impl Thread<'_> {
    /// The comments, and then the pull request: its head is at least as new as every comment.
    pub(crate) fn look(&self) -> Result<Look, ApiError> {
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
            .filter_map(|text| jobs::of_check(&self.key, text))
            .collect();
        Ok(Look {
            comments,
            head,
            pull,
            checked,
        })
    }

    /// The state after a read: our own comments with the key.
    pub(crate) fn state(&self, look: &Look) -> CommentState {
        let state = CommentState::of(&look.comments, &self.author, &self.key, look.head.clone());
        CommentState {
            is_closed: look.pull.as_ref().is_some_and(|pull| !pull.open),
            checked: look.checked.clone(),
            ..state
        }
    }

    /// The earlier texts of our comments, in which a newer report is found that we overwrote unseen. Empty if the
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

    /// A report's matrix, if GitHub says that all its other jobs have ended. Unknown if the token may not read that, or
    /// jobs have custom names.
    pub(crate) fn ended(&self, report: &RunReport) -> Option<EndMarker> {
        let (job, run) = (report.job.as_ref()?, report.stamp.run?);
        let all = self.client.jobs_of_run(run).unwrap_or_default();
        let matrix = job.name.group_of();
        // A called workflow is listed below the calling job's name.
        let named = all
            .iter()
            .map(|(name, is_done)| (name.rsplit(" / ").next().unwrap_or(name), *is_done));
        let is_of_matrix = |name: &str| {
            name.split('(')
                .next()
                .is_some_and(|start| start.trim_end() == matrix.shown())
        };
        let (ours, others): (Vec<_>, Vec<_>) = named
            .filter(|(name, _)| is_of_matrix(name))
            .partition(|(name, _)| *name == job.name.shown());
        let is_whole = ours.len() == 1 && others.len() + 1 == job.of as usize;
        (is_whole && others.iter().all(|(_, is_done)| *is_done))
            .then_some(EndMarker { run, job: matrix })
    }

    /// Applies plans until nothing is left to do, beginning with the first read.
    pub(crate) fn settle(
        &self,
        wanted: &WantedComment,
        first: CommentState,
    ) -> Result<Settled, ApiError> {
        let (mut done, mut state, mut unknown, mut is_sure) =
            (DoneChanges::default(), first, None, false);
        for look in
            1..=LOOKS + MORE_LOOKS * wanted.report.job.as_ref().map_or(0, |job| job.of.min(50))
        {
            let mut plan = plan(&state, wanted);
            if let Some(Newer::Report(stamp)) = &plan.outdated_by
                && self.is_forged(stamp, wanted)
            {
                done.forged.push(stamp.clone());
                done.forget_forged(&mut state);
                plan = self::plan(&state, wanted);
            }
            if plan.changes.is_empty() {
                if is_sure
                    || !matches!(
                        done.action,
                        Some(CommentAction::Created | CommentAction::Updated)
                    )
                {
                    return Ok(done.settled(&state, &plan));
                }
                self.clock.sleep(LAST);
                (is_sure, unknown) = (true, None);
            } else {
                is_sure = false;
                unknown = self.carry_out(&plan, &state, &mut done)?;
            }
            if unknown.as_ref().is_some_and(|error| !error.is_due()) {
                self.clock.sleep(PAUSE * look.min(LOOKS));
            }
            let mut seen = self.look()?;
            done.correct(&mut seen.comments);
            state = self.state(&seen);
            done.forget_forged(&mut state);
            if is_sure {
                state.earlier = self.earlier(&state);
            }
        }
        // Others keep changing it; unless ours never arrived, it is theirs to finish.
        unknown.map_or_else(|| Ok(done.settled(&state, &plan(&state, wanted))), Err)
    }

    /// Whether a marker names a run that does not exist: any workflow that repeats a stranger's words can post one as
    /// our account, and it must not keep our report away.
    fn is_forged(&self, stamp: &Stamp, wanted: &WantedComment) -> bool {
        let Some(run) = stamp.run else { return false };
        let ours = wanted.report.stamp.run.map(|run| run.id);
        if ours == Some(run.id) {
            return false;
        }
        let jobs = self.client.jobs_of_run(run);
        jobs.is_err_and(|error| is_gone(&error))
    }

    /// Makes the changes. A failed write that may have succeeded ends this, and so does a missing comment: the next
    /// read shows the remaining changes.
    fn carry_out(
        &self,
        plan: &CommentPlan,
        state: &CommentState,
        done: &mut DoneChanges,
    ) -> Result<Option<ApiError>, ApiError> {
        for change in &plan.changes {
            if let CommentChange::Update(id, _) = change
                && !self.is_as_seen(*id, state)?
            {
                return Ok(None);
            }
            match (self.make(change, done), change) {
                (Ok(()), _) => {}
                (Err(error), _) if error.maybe_done() || error.is_due() => {
                    return Ok(Some(error));
                }
                (Err(error), CommentChange::Update(id, _) | CommentChange::Delete(id))
                    if is_gone(&error) =>
                {
                    done.gone.push(*id);
                    return Ok(None);
                }
                (Err(error), _) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Whether a comment still has the text that the plan is based on. Otherwise another run's text would be lost,
    /// because GitHub replaces any text.
    fn is_as_seen(&self, id: u64, state: &CommentState) -> Result<bool, ApiError> {
        let seen = state.own.iter().find(|own| own.id == id);
        match self.client.comment(&self.place, id) {
            Ok(comment) => Ok(seen.is_some_and(|own| own.text == normal(&comment.body))),
            Err(error) if is_gone(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Makes a change, and notes it: also when nobody knows whether it was made.
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
    /// Leaves out the comments whose stamps are forged, so that they are neither obeyed nor changed.
    fn forget_forged(&self, state: &mut CommentState) {
        state.own.retain(|own| !self.forged.contains(&own.stamp));
        state
            .earlier
            .retain(|own| !self.forged.contains(&own.stamp));
    }

    /// Comments with our own writes applied, because the server does not show them to all reads at once.
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
            // Closed after the first look, before the comment was created.
            Some(CommentAction::Created) if comment.is_none() && state.is_closed => {
                CommentAction::Skipped
            }
            // The leftovers are gone.
            Some(CommentAction::Deleted) if comment.is_some() => CommentAction::Unchanged,
            action => action.unwrap_or(CommentAction::Unchanged),
        };
        let overview = state
            .newest()
            .map(|own| Overview::of(jobs::parts(own), &jobs::ends(own)));
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
