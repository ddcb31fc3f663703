//! Plans the changes from the existing comments and the wanted report, without I/O.
//!
//! An empty plan means that the comments are up to date. The program reads, plans and applies until the plan is empty. Changes by
//! other runs, leftovers from earlier runs, and writes with an unknown result are all found by the next read.

use perf_github::{Account, Comment, CommitId};

use crate::jobs::{self, Overview};
use crate::marker::{CommentKey, EndMarker, Stamp};
use crate::text::{self, Own, RunReport};

/// The change to a comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum UpsertMode {
    /// Replace the text of one comment
    #[default]
    Update,
    /// Delete the comment
    Delete,
}

/// The existing comments, and the head of the pull request.
#[derive(Clone, Debug)]
pub(crate) struct CommentState {
    /// The pull request's newest commit.
    pub(crate) head: CommitId,
    /// Whether the pull request is closed or merged. Then no comment is created.
    pub(crate) is_closed: bool,
    /// Our own comments with the key, oldest first.
    pub(crate) own: Vec<Own>,
    /// Earlier texts of these comments, newest first. They show reports that another run overwrote without having seen them.
    pub(crate) earlier: Vec<Own>,
    /// The jobs' reports in check runs.
    pub(crate) checked: Vec<RunReport>,
}

impl CommentState {
    /// Selects the comments (oldest first) that `author` wrote and that have the key.
    pub(crate) fn of(
        comments: &[Comment],
        author: &Account,
        key: &CommentKey,
        head: CommitId,
    ) -> Self {
        let by_us = comments.iter().filter(|comment| comment.is_by(author));
        let own = by_us.filter_map(|comment| Own::of(comment, key)).collect();
        Self {
            head,
            is_closed: false,
            own,
            earlier: Vec::new(),
            checked: Vec::new(),
        }
    }

    /// Whether another job in the run, which reports at the same time, creates the comment. The first job by name does.
    pub(crate) fn is_created_by_other(&self, wanted: &WantedComment) -> bool {
        let Some(ours) = &wanted.report.job else {
            return false;
        };
        let mut others = self.checked.iter().filter_map(|part| {
            let is_of_run = part.stamp == wanted.report.stamp;
            part.job.as_ref().filter(|_| is_of_run)
        });
        self.own.is_empty() && others.any(|other| other.name < ours.name)
    }

    /// Whether there is nothing to post, because the pull request is closed and has no comment to update.
    pub(crate) fn is_over(&self, mode: UpsertMode) -> bool {
        self.is_closed && mode != UpsertMode::Delete && self.shown().next().is_none()
    }

    /// The visible comment, or earlier text of one, whose report supersedes the others.
    pub(crate) fn newest(&self) -> Option<&Own> {
        let earlier = self
            .earlier
            .iter()
            .rev()
            .filter(|_| self.shown().next().is_some());
        earlier.chain(self.shown()).reduce(|best, next| {
            if next.stamp.supersedes(&best.stamp, &self.head) {
                next
            } else {
                best
            }
        })
    }

    /// The visible comments. Hidden ones are not changed, because users hid them after reading.
    fn shown(&self) -> impl DoubleEndedIterator<Item = &Own> {
        self.own.iter().filter(|own| !own.hidden)
    }
}

/// The report to show, and the mode.
#[derive(Clone, Debug)]
pub(crate) struct WantedComment {
    pub(crate) key: CommentKey,
    pub(crate) mode: UpsertMode,
    pub(crate) report: RunReport,
    /// A matrix whose jobs have all ended, with or without a report.
    pub(crate) ended: Option<EndMarker>,
}

/// One write to GitHub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CommentChange {
    Create(String),
    Update(u64, String),
    Delete(u64),
}

/// The changes to make, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommentPlan {
    pub(crate) changes: Vec<CommentChange>,
    /// The reason if our report is outdated.
    pub(crate) outdated_by: Option<Newer>,
}

/// The newer report or commit because of which a report is outdated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Newer {
    /// A newer report, by its stamp.
    Report(Stamp),
    /// A newer commit, which gets its own report.
    Commit(CommitId),
}

/// Plans the changes.
pub(crate) fn plan(state: &CommentState, wanted: &WantedComment) -> CommentPlan {
    let Some(wanted) = &with_others(state, wanted) else {
        return CommentPlan {
            changes: Vec::new(),
            outdated_by: None,
        };
    };
    if state.is_over(wanted.mode) {
        return CommentPlan {
            changes: Vec::new(),
            outdated_by: None,
        };
    }
    let stamp = &wanted.report.stamp;
    // Don't create a comment for an older commit: a user may have deleted the later run's comment. Manually posted reports are
    // always posted.
    let is_old =
        stamp.run.is_some() && stamp.head != state.head && wanted.mode != UpsertMode::Delete;
    if is_old && state.shown().next().is_none() {
        return CommentPlan {
            changes: Vec::new(),
            outdated_by: Some(Newer::Commit(state.head.clone())),
        };
    }
    let newer = state
        .newest()
        .filter(|newest| !wanted.report.stamp.supersedes(&newest.stamp, &state.head));
    let outdated_by = newer.map(|newest| Newer::Report(newest.stamp.clone()));
    let changes = match (wanted.mode, newer) {
        (UpsertMode::Update, None) => update_oldest(
            state,
            &text::comment(&wanted.key, &wanted.report),
            &wanted.report.stamp,
        ),
        (UpsertMode::Update, Some(newer)) => update_oldest(state, &newer.text, &newer.stamp),
        (UpsertMode::Delete, None) => state
            .own
            .iter()
            .map(|own| CommentChange::Delete(own.id))
            .collect(),
        (UpsertMode::Delete, Some(_)) => Vec::new(),
    };
    CommentPlan {
        changes,
        outdated_by,
    }
}

/// The parts of all jobs that reported on the commit, from comments, their earlier texts and check runs, and the markers for
/// ended matrices.
fn known_runs(state: &CommentState, wanted: &WantedComment) -> (Vec<RunReport>, Vec<EndMarker>) {
    let head = &wanted.report.stamp.head;
    let known = || {
        state
            .own
            .iter()
            .filter(|own| !own.hidden)
            .chain(&state.earlier)
    };
    let parts = known()
        .flat_map(jobs::split_parts)
        .chain(state.checked.iter().cloned());
    let ends = known()
        .filter(|own| own.stamp.head == *head)
        .flat_map(jobs::end_markers);
    (
        parts.filter(|part| part.stamp.head == *head).collect(),
        ends.chain(wanted.ended.clone()).collect(),
    )
}

/// The wanted comment about jobs that ended without a report. `None` if all have reported.
fn with_ended(state: &CommentState, wanted: &WantedComment) -> Option<WantedComment> {
    let (parts, ends) = known_runs(state, wanted);
    let parts = jobs::newest_parts(parts);
    let is_other = parts.is_empty()
        && state.shown().any(|own| {
            own.stamp.head == wanted.report.stamp.head && jobs::end_markers(own).is_empty()
        });
    if is_other || Overview::of(parts.clone(), &ends).lost.is_empty() {
        return None;
    }
    Some(WantedComment {
        report: jobs::join_parts(parts, &ends, &wanted.report.stamp),
        ..wanted.clone()
    })
}

/// Adds the parts of other jobs to the wanted report.
fn with_others(state: &CommentState, wanted: &WantedComment) -> Option<WantedComment> {
    let Some(ours) = wanted.report.job.clone() else {
        return if wanted.ended.is_some() {
            with_ended(state, wanted)
        } else {
            Some(wanted.clone())
        };
    };
    let (mut parts, ends) = known_runs(state, wanted);
    let is_ours = |part: &RunReport| part.job.as_ref().is_some_and(|job| job.name == ours.name);
    let others = parts.iter().filter(|part| !is_ours(part)).count();
    let is_late = |part: &RunReport| is_ours(part) && part.stamp.run > wanted.report.stamp.run;
    let is_alone = others == 0 && (ours.of < 2 || wanted.mode == UpsertMode::Delete);
    if is_alone || parts.iter().any(is_late) {
        return Some(wanted.clone());
    }
    parts.retain(|part| !is_ours(part));
    parts.push(wanted.report.clone());
    let report = jobs::join_parts(jobs::newest_parts(parts), &ends, &wanted.report.stamp);
    Some(WantedComment {
        mode: UpsertMode::Update,
        report,
        ..wanted.clone()
    })
}

/// Writes the text to the oldest comment, and deletes the others.
fn update_oldest(state: &CommentState, text: &str, stamp: &Stamp) -> Vec<CommentChange> {
    let Some(oldest) = state.shown().next() else {
        return vec![CommentChange::Create(text.to_owned())];
    };
    let mut changes = Vec::new();
    if !oldest.says(stamp, text) {
        changes.push(CommentChange::Update(oldest.id, text.to_owned()));
    }
    for duplicate in state.shown().skip(1) {
        changes.push(CommentChange::Delete(duplicate.id));
    }
    changes
}

#[cfg(test)]
mod tests;
