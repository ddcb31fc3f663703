//! Plans the changes from the existing comments and the wanted report, without I/O.
//!
//! An empty plan means that the comments are up to date. The program reads, plans and applies until the plan is empty.
//! Changes by other runs, leftovers from earlier runs, and writes with an unknown result are all found by the next
//! read.

use perf_github::{Account, Comment, CommitId};

use crate::jobs::{Overview, Part, split_parts};
use crate::marker::{CommentKey, Stamp};
use crate::text::{Own, RunReport};

/// The change to a comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum UpsertMode {
    /// Create the comment, or replace its text
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
    /// Earlier texts of these comments, newest first. They show reports that another run overwrote without having seen
    /// them.
    pub(crate) earlier: Vec<RunReport>,
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
        Self {
            head,
            is_closed: false,
            own: by_us.filter_map(|comment| Own::of(comment, key)).collect(),
            earlier: Vec::new(),
            checked: Vec::new(),
        }
    }

    /// Whether another job in the run, which reports at the same time, creates the comment. The first job by name does.
    pub(crate) fn is_created_by_other(&self, wanted: &WantedComment) -> bool {
        let Some(ours) = &wanted.report.job else {
            return false;
        };
        let is_before_us = |other: &RunReport| {
            other.stamp == wanted.report.stamp
                && other.job.as_ref().is_some_and(|job| job.name < ours.name)
        };
        self.own.is_empty() && self.checked.iter().any(is_before_us)
    }

    /// Whether there is nothing to post, because the pull request is closed and has no comment to update.
    pub(crate) fn is_over(&self, mode: UpsertMode) -> bool {
        self.is_closed && mode != UpsertMode::Delete && self.shown().next().is_none()
    }

    /// The report in a visible comment, or in earlier text of one, that supersedes the others.
    pub(crate) fn newest(&self) -> Option<&RunReport> {
        let mut newest: Option<&RunReport> = None;
        for report in self.earlier.iter().rev().chain(self.reports()) {
            if newest.is_none_or(|best| report.stamp.supersedes(&best.stamp, &self.head)) {
                newest = Some(report);
            }
        }
        newest
    }

    /// The visible comments. Hidden ones are not changed, because users hid them after reading.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &Own> {
        self.own.iter().filter(|own| !own.comment.minimized)
    }

    fn reports(&self) -> impl Iterator<Item = &RunReport> {
        self.shown().map(|own| &own.report)
    }
}

/// The report to show, and the mode.
#[derive(Clone, Debug)]
pub(crate) struct WantedComment {
    pub(crate) mode: UpsertMode,
    pub(crate) report: RunReport,
}

/// One write to GitHub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CommentChange {
    Create(String),
    Update(u64, String),
    Delete(u64),
}

/// The changes to make, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CommentPlan {
    pub(crate) changes: Vec<CommentChange>,
    /// The reason if our report is outdated.
    pub(crate) outdated_by: Option<Newer>,
    /// Inconsistencies among shards, as sentences.
    pub(crate) faults: Vec<String>,
    /// Sentences about jobs that ended without a report.
    pub(crate) lost: Vec<String>,
}

/// The reason why a report is outdated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Newer {
    /// A newer report, by its stamp.
    Report(Stamp),
    /// A newer commit, which gets its own report.
    Commit(CommitId),
}

pub(crate) fn plan(state: &CommentState, wanted: &WantedComment) -> CommentPlan {
    let job = wanted.report.job.as_ref();
    if job.is_some_and(|job| job.ended) && wanted.report.stamp.head != state.head {
        // The newest commit gets its own report, so the jobs of this one may not have posted theirs.
        return CommentPlan {
            outdated_by: Some(Newer::Commit(state.head.clone())),
            ..CommentPlan::default()
        };
    }
    let (mode, report, overview) = with_other_jobs(state, wanted);
    let mut plan = CommentPlan {
        faults: overview.faults,
        lost: overview.lost,
        ..CommentPlan::default()
    };
    let Some(report) = report.filter(|_| !state.is_over(mode)) else {
        return plan;
    };
    let stamp = &report.stamp;
    // Don't create a comment for an older commit: a user may have deleted the later run's comment. This does not apply
    // to reports that are posted by hand.
    let is_old = stamp.run.is_some() && stamp.head != state.head && mode != UpsertMode::Delete;
    if is_old && state.shown().next().is_none() {
        plan.outdated_by = Some(Newer::Commit(state.head.clone()));
        return plan;
    }
    let newer = state
        .newest()
        .filter(|newest| !stamp.supersedes(&newest.stamp, &state.head));
    plan.outdated_by = newer.map(|newest| Newer::Report(newest.stamp.clone()));
    plan.changes = match (mode, newer) {
        (UpsertMode::Update, newer) => update_oldest(state, newer.unwrap_or(&report)),
        (UpsertMode::Delete, None) => {
            let ids = state.own.iter().map(|own| own.comment.id);
            ids.map(CommentChange::Delete).collect()
        }
        (UpsertMode::Delete, Some(_)) => Vec::new(),
    };
    plan
}

/// The mode and the report to show, with the other jobs' reports on the commit from comments, their earlier texts and check
/// runs. Without a report, the comments stay unchanged.
fn with_other_jobs(
    state: &CommentState,
    wanted: &WantedComment,
) -> (UpsertMode, Option<RunReport>, Overview) {
    let WantedComment { mode, report } = wanted;
    let Some(ours) = &report.job else {
        return (*mode, Some(report.clone()), Overview::default());
    };
    let mut parts = split_parts(report);
    for known in state.reports().chain(&state.earlier).chain(&state.checked) {
        if known.stamp.head == report.stamp.head {
            parts.extend(split_parts(known));
        }
    }
    if !ours.ended {
        let is_ours = |part: &Part| part.job.name == ours.name;
        let mut newer = parts
            .iter()
            .filter(|part| part.report.stamp.run > report.stamp.run);
        let is_late = newer.any(is_ours);
        let has_others = parts.iter().any(|part| !is_ours(part) && !part.job.ended);
        let is_alone = !has_others && (ours.of < 2 || *mode == UpsertMode::Delete);
        if is_late || is_alone {
            return (*mode, Some(report.clone()), Overview::default());
        }
    }
    let overview = Overview::of(parts);
    let is_of_this_commit = |known: &RunReport| known.stamp.head == report.stamp.head;
    let has_other_report = overview.parts.is_empty() && state.reports().any(is_of_this_commit);
    if ours.ended && (has_other_report || overview.lost.is_empty()) {
        return (*mode, None, overview);
    }
    (UpsertMode::Update, Some(overview.join(report)), overview)
}

/// Plans to update the oldest visible comment, or to create one, and to delete the others.
fn update_oldest(state: &CommentState, report: &RunReport) -> Vec<CommentChange> {
    let mut shown = state.shown();
    let Some(oldest) = shown.next() else {
        return vec![CommentChange::Create(report.to_string())];
    };
    let mut changes = Vec::new();
    if !oldest.report.shows(report) {
        changes.push(CommentChange::Update(oldest.comment.id, report.to_string()));
    }
    changes.extend(shown.map(|duplicate| CommentChange::Delete(duplicate.comment.id)));
    changes
}

#[cfg(test)]
mod tests;
