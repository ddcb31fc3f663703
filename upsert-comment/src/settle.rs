//! Reads the comments, plans and applies the changes, until no change is left.

use std::time::Duration;

use perf_github::{Account, ApiError, ApiErrorKind, Client, Comment, Pull};

use crate::marker::{CommentKey, Stamp};
use crate::plan::{CommentChange, CommentPlan, CommentState, Newer, WantedComment, plan};
use crate::report::{CommentAction, CommentReport};
use crate::text::RunReport;

/// The maximum number of reads. More than two are only needed if another run writes at the same time.
const READS: u32 = 5;
/// Additional reads for each job that may write to the same comment.
const MORE_READS: u32 = 4;
/// The pause after a write with an unknown result, multiplied by the number of reads so far. The comment may not be
/// listed yet, and the server may be overloaded.
const PAUSE: Duration = Duration::from_secs(2);

/// The pause for another job to create the comment.
const FIRST_PAUSE: Duration = Duration::from_secs(2);

/// The pause after a write.
const LAST_PAUSE: Duration = Duration::from_secs(1);

/// The comments of a conversation, and our changes to them.
pub(crate) struct Thread<'c> {
    pub(crate) client: &'c Client,
    pub(crate) pull: u64,
    pub(crate) author: Account,
    pub(crate) key: CommentKey,
    /// Whether check runs contain the other jobs' reports.
    pub(crate) has_checks: bool,
    /// The changes that this process made, which GitHub may not list yet.
    pub(crate) action: Option<CommentAction>,
    pub(crate) created: Option<Comment>,
    pub(crate) gone: Vec<u64>,
    /// The stamps with runs that do not exist.
    pub(crate) forged: Vec<Stamp>,
}

impl Thread<'_> {
    /// True if this process has written a report.
    fn has_text(&self) -> bool {
        matches!(
            self.action,
            Some(CommentAction::Created | CommentAction::Updated)
        )
    }

    /// Ignores comments with forged stamps.
    fn forget_forged(&self, state: &mut CommentState) {
        let is_real = |report: &RunReport| !self.forged.contains(&report.stamp);
        state.own.retain(|own| is_real(&own.report));
        state.earlier.retain(is_real);
    }

    /// Reads the comments, then the pull request. In this order, the head is at least as new as every comment.
    pub(crate) fn read(&self) -> Result<(CommentState, Pull), ApiError> {
        let mut comments = self.client.comments(self.pull)?;
        if let Some(created) = &self.created
            && !comments.iter().any(|comment| comment.id == created.id)
        {
            comments.push(created.clone());
            comments.sort_by_key(|comment| comment.id);
        }
        comments.retain(|comment| !self.gone.contains(&comment.id));
        let pull = self.client.pull(self.pull)?;
        let mut state = CommentState::of(&comments, &self.author, &self.key, pull.head.sha.clone());
        state.is_closed = !pull.open;
        let login = self.author.login.trim_end_matches("[bot]");
        if self.has_checks {
            // Check runs contain all reports, even those that were overwritten.
            for text in self.client.check_texts(&state.head, login)? {
                state.checked.extend(RunReport::parse(&text, &self.key));
            }
        } else if self.has_text() {
            // Earlier texts show newer reports that we overwrote without having seen them.
            for own in state.own.iter().filter(|own| !own.comment.minimized) {
                let texts = self.client.texts_of_comment(&own.comment.node_id);
                // Not all servers return them.
                for (editor, text) in texts.unwrap_or_default() {
                    if editor.trim_end_matches("[bot]") == login {
                        state.earlier.extend(RunReport::parse(&text, &self.key));
                    }
                }
            }
        }
        self.forget_forged(&mut state);
        Ok((state, pull))
    }

    /// Applies plans until nothing is left to do. `state` is the state after the first read.
    ///
    /// Each write is followed by a pause and a read, because a run that read before our write may overwrite our report.
    pub(crate) fn settle(
        &mut self,
        wanted: &WantedComment,
        mut state: CommentState,
    ) -> Result<CommentReport, ApiError> {
        let jobs = wanted.report.job.as_ref().map_or(0, |job| job.of.min(50));
        let mut unknown = None;
        for read in 1..=READS + MORE_READS * jobs {
            let mut plan = plan(&state, wanted);
            while let Some(Newer::Report(stamp)) = &plan.outdated_by
                && self.is_forged(stamp, wanted)
            {
                self.forged.push(stamp.clone());
                self.forget_forged(&mut state);
                plan = self::plan(&state, wanted);
            }
            if plan.changes.is_empty() {
                return Ok(self.report(&state, &plan));
            }
            unknown = None;
            if read == 1 && state.is_created_by_other(wanted) {
                self.client.clock().sleep(FIRST_PAUSE);
            } else {
                match self.apply(&plan, &state) {
                    Ok(()) if self.has_text() => self.client.clock().sleep(LAST_PAUSE),
                    Ok(()) => {}
                    // The next read shows whether the write was executed.
                    Err(error) if error.maybe_done || error.is_due => {
                        if !error.is_due {
                            self.client.clock().sleep(PAUSE * read.min(READS));
                        }
                        unknown = Some(error);
                    }
                    Err(error) => return Err(error),
                }
            }
            (state, _) = self.read()?;
        }
        // Other runs keep changing the comment and will finish it, unless our own write failed.
        match unknown {
            Some(error) => Err(error),
            None => Ok(self.report(&state, &plan(&state, wanted))),
        }
    }

    /// Whether a stamp contains a run that does not exist. Any workflow that posts untrusted text can create such a
    /// marker with our account, but the marker must not prevent our report.
    fn is_forged(&self, stamp: &Stamp, wanted: &WantedComment) -> bool {
        let Some(run) = stamp.run else { return false };
        let ours = wanted.report.stamp.run.map(|run| run.id);
        ours != Some(run.id) && matches!(self.client.has_run(run), Ok(false))
    }

    /// Applies a plan. Stops if another run has changed a comment meanwhile: the next read shows the remaining changes.
    fn apply(&mut self, plan: &CommentPlan, state: &CommentState) -> Result<(), ApiError> {
        for change in &plan.changes {
            // The action is recorded first, because a failed write may have succeeded.
            let (id, changed) = match change {
                CommentChange::Create(body) => {
                    self.action = Some(CommentAction::Created);
                    self.created = Some(self.client.create_comment(self.pull, body)?);
                    continue;
                }
                CommentChange::Update(id, body) => {
                    // An update replaces whatever text is there, so another run's report would be lost.
                    if !self.is_unchanged(*id, state)? {
                        return Ok(());
                    }
                    if self.action != Some(CommentAction::Created) {
                        self.action = Some(CommentAction::Updated);
                    }
                    let updated = self.client.update_comment(*id, body);
                    (*id, updated.map(drop))
                }
                CommentChange::Delete(id) => {
                    self.action.get_or_insert(CommentAction::Deleted);
                    let deleted = self.client.delete_comment(*id);
                    if deleted.is_ok() {
                        self.gone.push(*id);
                    }
                    (*id, deleted)
                }
            };
            match changed {
                Err(error) if is_gone(&error) => {
                    self.gone.push(id);
                    return Ok(());
                }
                changed => changed?,
            }
        }
        Ok(())
    }

    /// Whether a comment still has the text that the plan is based on.
    fn is_unchanged(&self, id: u64, state: &CommentState) -> Result<bool, ApiError> {
        let known = state.own.iter().find(|own| own.comment.id == id);
        match self.client.comment(id) {
            Ok(comment) => {
                let now = RunReport::parse(&comment.body, &self.key);
                Ok(now.as_ref() == known.map(|own| &own.report))
            }
            Err(error) if is_gone(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn report(&self, state: &CommentState, plan: &CommentPlan) -> CommentReport {
        let comment = state.shown().next().map(|own| own.comment.clone());
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
        CommentReport {
            sentence: crate::report::sentence(&self.key, action, comment.as_ref(), plan),
            action,
            comment,
            faults: plan.faults.clone(),
            lost: plan.lost.clone(),
            is_notice: false,
        }
    }
}

fn is_gone(error: &ApiError) -> bool {
    matches!(error.kind, ApiErrorKind::NotFound | ApiErrorKind::Gone)
}

#[cfg(test)]
mod tests;
