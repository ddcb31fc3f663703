//! Decides what to do with numbers, by what the branch holds now. Nothing here does I/O.
//!
//! The *tip* is the commit at the head of the branch. A *refresh* is a commit that published numbers; its
//! [`Age`] is that of the code it measured, compared with the code that we measured.

use perf_github::CommitId;

use crate::origin::MeasurementOrigin;
use crate::relevance::Relevance;
use crate::repo_path::RepoPath;

/// The position of the tip, compared with the measured commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tip {
    /// The measured commit is the tip.
    Measured,
    /// The tip has commits on top of the measured one.
    Ahead {
        /// The paths that these commits changed, old names of renamed files included.
        changed: Vec<String>,
        /// True if these are all paths: GitHub lists a limited number.
        all: bool,
    },
    /// The branch was set back to a commit before the measured one.
    Behind,
    /// Neither commit is an ancestor of the other.
    Apart,
}

/// The age of the code that a refresh measured, compared with the code that we measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Age {
    /// Our code contains it, or the two are unrelated.
    Older,
    /// The same code.
    Same,
    /// Newer code: it contains ours, and more.
    Newer,
}

/// Numbers that the branch, or a pull request, has already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublishedRefresh {
    /// The commit that published them.
    pub(crate) commit: CommitId,
    pub(crate) origin: MeasurementOrigin,
    pub(crate) age: Age,
}

impl PublishedRefresh {
    /// The refresh that outranks all others.
    pub(crate) fn highest(refreshes: impl IntoIterator<Item = Self>) -> Option<Self> {
        refreshes.into_iter().max_by_key(|refresh| (refresh.age, refresh.origin.run))
    }

    /// True if these numbers outrank those of `origin`: they are of newer code, or of a later run of the same code.
    pub(crate) fn outranks(&self, origin: &MeasurementOrigin) -> bool {
        match self.age {
            Age::Newer => true,
            Age::Same => self.origin.run.zip(origin.run).is_some_and(|(theirs, ours)| theirs > ours),
            Age::Older => false,
        }
    }
}

/// The state of the branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Situation {
    pub(crate) tip: Tip,
    /// The last refresh of the published files since the measured commit.
    pub(crate) latest: Option<PublishedRefresh>,
}

/// The numbers to publish: their origin, and the changes that would make them out of date.
#[derive(Clone, Debug)]
pub(crate) struct WantedRefresh {
    pub(crate) origin: MeasurementOrigin,
    pub(crate) relevance: Relevance,
}

/// The decision on what to do with the numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Publish the files as they were rendered.
    AsRendered,
    /// Publish them as they are rendered on top of what the tip has of them: this one has changed since.
    RenderAgain(RepoPath),
    /// Publish nothing.
    Leave(Reason),
}

/// The reason for publishing nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A commit of ours is there: the one whose answer never came.
    Done(PublishedRefresh),
    /// The branch has numbers that stand above ours.
    Outranked(PublishedRefresh),
    /// The measured code is not in the branch any more.
    Stale { behind: bool },
    /// The measured code has changed since, and the push that did so brings its own numbers.
    Superseded {
        /// A file that changed; `None` when more changed than GitHub tells.
        by: Option<String>,
    },
}

/// Decides.
pub(crate) fn decide(wanted: &WantedRefresh, situation: &Situation) -> Decision {
    let latest = situation.latest.as_ref();
    if let Some(ours) = latest.filter(|latest| is_ours(wanted, latest)) {
        return Decision::Leave(Reason::Done(ours.clone()));
    }
    match &situation.tip {
        Tip::Behind => Decision::Leave(Reason::Stale { behind: true }),
        Tip::Apart => Decision::Leave(Reason::Stale { behind: false }),
        Tip::Measured => Decision::AsRendered,
        Tip::Ahead { changed, all } => match latest.filter(|latest| latest.outranks(&wanted.origin)) {
            Some(higher) => Decision::Leave(Reason::Outranked(higher.clone())),
            None => on_top(wanted, changed, *all),
        },
    }
}

/// Decides for a branch that has the numbers and no code: `tip` is that of the branch whose code was measured, and
/// `latest` the last refresh of the published files.
pub(crate) fn decide_in_store(
    wanted: &WantedRefresh,
    tip: &Tip,
    latest: Option<&PublishedRefresh>,
) -> Decision {
    match (tip, latest) {
        (_, Some(latest)) if is_ours(wanted, latest) => Decision::Leave(Reason::Done(latest.clone())),
        (Tip::Behind, _) => Decision::Leave(Reason::Stale { behind: true }),
        (Tip::Apart, _) => Decision::Leave(Reason::Stale { behind: false }),
        (_, Some(latest)) if latest.outranks(&wanted.origin) => {
            Decision::Leave(Reason::Outranked(latest.clone()))
        }
        _ => Decision::AsRendered,
    }
}

/// True if this process made the refresh, by its mark alone: other jobs, and earlier steps of this one, publish for the
/// same commit and run.
fn is_ours(wanted: &WantedRefresh, latest: &PublishedRefresh) -> bool {
    wanted.origin.mark.is_some() && latest.origin.mark == wanted.origin.mark
}

fn on_top(wanted: &WantedRefresh, changed: &[String], all: bool) -> Decision {
    if let Some(related) = wanted.relevance.first_related(changed) {
        return Decision::Leave(Reason::Superseded { by: Some(related.to_owned()) });
    }
    if !all {
        return Decision::Leave(Reason::Superseded { by: None });
    }
    match wanted.relevance.first_published(changed) {
        None => Decision::AsRendered,
        Some(path) => Decision::RenderAgain(path.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: char = 'b';

    fn sha(digit: char) -> CommitId {
        digit.to_string().repeat(40).parse().unwrap()
    }

    fn origin(measured: char, run: &str) -> MeasurementOrigin {
        MeasurementOrigin { measured: sha(measured), run: run.parse().ok(), mark: None }
    }

    fn again(path: &str) -> Decision {
        Decision::RenderAgain(path.parse().unwrap())
    }

    fn wanted() -> WantedRefresh {
        let published = ["perf.md", "perf.csv"].map(|path| path.parse().unwrap());
        let relevance = Relevance::new(&published, &[], &[]);
        WantedRefresh { origin: origin(OURS, "12.1"), relevance }
    }

    fn ahead(changed: &[&str]) -> Tip {
        Tip::Ahead { changed: changed.iter().map(ToString::to_string).collect(), all: true }
    }

    fn refresh(age: Age, run: &str) -> PublishedRefresh {
        let measured = match age {
            Age::Newer => 'c',
            Age::Same => OURS,
            Age::Older => 'a',
        };
        PublishedRefresh { commit: sha('e'), origin: origin(measured, run), age }
    }

    fn with(tip: Tip, latest: Option<PublishedRefresh>) -> Situation {
        Situation { tip, latest }
    }

    fn decided(tip: Tip, latest: Option<PublishedRefresh>) -> Decision {
        decide(&wanted(), &with(tip, latest))
    }

    #[test]
    fn the_measured_commit_takes_the_files_as_they_are() {
        assert_eq!(decided(Tip::Measured, None), Decision::AsRendered);
    }

    #[test]
    fn unrelated_changes_leave_the_numbers_true() {
        assert_eq!(decided(ahead(&[]), None), Decision::AsRendered);
        assert_eq!(decided(ahead(&["README.md"]), None), Decision::AsRendered);
        assert_eq!(decided(ahead(&["README.md", "perf.md"]), None), again("perf.md"));
    }

    #[test]
    fn a_published_file_that_changed_is_rendered_again() {
        assert_eq!(decided(ahead(&["docs/x", "perf.csv"]), None), again("perf.csv"));
    }

    #[test]
    fn related_changes_supersede() {
        let by = |path: &str| Decision::Leave(Reason::Superseded { by: Some(path.to_owned()) });
        assert_eq!(decided(ahead(&["README.md", "src/lib.rs", "perf.md"]), None), by("src/lib.rs"));
        assert_eq!(decided(ahead(&["perf.md", "a.c"]), None), by("a.c"));
    }

    #[test]
    fn what_cannot_be_reported_is_taken_for_related() {
        let some = Tip::Ahead { changed: vec!["README.md".to_owned()], all: false };
        assert_eq!(decided(some, None), Decision::Leave(Reason::Superseded { by: None }));
    }

    #[test]
    fn a_line_without_the_measured_commit_is_left_alone() {
        for latest in [None, Some(refresh(Age::Newer, "13.1")), Some(refresh(Age::Same, "1.1"))] {
            assert_eq!(decided(Tip::Behind, latest.clone()), Decision::Leave(Reason::Stale { behind: true }));
            assert_eq!(decided(Tip::Apart, latest), Decision::Leave(Reason::Stale { behind: false }));
        }
    }

    #[test]
    fn newer_numbers_stay_and_older_ones_give_way() {
        let decided = |age, run| decided(ahead(&["perf.md"]), Some(refresh(age, run)));
        for run in ["1.1", "13.1", ""] {
            assert_eq!(
                decided(Age::Newer, run),
                Decision::Leave(Reason::Outranked(refresh(Age::Newer, run)))
            );
            assert_eq!(decided(Age::Older, run), again("perf.md"));
        }
        for later in ["12.2", "13.1"] {
            assert_eq!(
                decided(Age::Same, later),
                Decision::Leave(Reason::Outranked(refresh(Age::Same, later)))
            );
        }
        for not_later in ["12.1", "11.9", ""] {
            assert_eq!(decided(Age::Same, not_later), again("perf.md"));
        }
    }

    #[test]
    fn newer_numbers_stay_whatever_else_changed() {
        let newer = refresh(Age::Newer, "13.1");
        let tip = || ahead(&["src/lib.rs", "perf.md"]);
        assert_eq!(decided(tip(), Some(newer.clone())), Decision::Leave(Reason::Outranked(newer)));
        let older = decided(tip(), Some(refresh(Age::Older, "11.1")));
        assert_eq!(older, Decision::Leave(Reason::Superseded { by: Some("src/lib.rs".to_owned()) }));
    }

    #[test]
    fn of_several_refreshes_the_newest_counts() {
        let refreshes = [(Age::Same, "12.2"), (Age::Older, "14.1"), (Age::Newer, "3.1"), (Age::Newer, "2.1")];
        let highest = PublishedRefresh::highest(refreshes.map(|(age, run)| refresh(age, run)));
        assert_eq!(highest, Some(refresh(Age::Newer, "3.1")));
        assert_eq!(PublishedRefresh::highest([]), None);
    }

    #[test]
    fn outside_of_a_workflow_the_same_code_may_be_published_again() {
        let wanted = WantedRefresh { origin: origin(OURS, ""), ..wanted() };
        let situation = with(ahead(&["perf.md"]), Some(refresh(Age::Same, "12.1")));
        assert_eq!(decide(&wanted, &situation), again("perf.md"));
    }

    #[test]
    fn a_commit_of_this_process_is_recognised_and_no_other_of_its_run() {
        let marked = |mark: Option<&str>| {
            let refresh = refresh(Age::Same, "12.1");
            let origin = MeasurementOrigin { mark: mark.map(str::to_owned), ..refresh.origin };
            PublishedRefresh { origin, ..refresh }
        };
        let wanted = WantedRefresh { origin: marked(Some("bench.1")).origin, ..wanted() };
        let decided = |mark| decide(&wanted, &with(ahead(&["perf.md"]), Some(marked(mark))));
        assert_eq!(decided(Some("bench.1")), Decision::Leave(Reason::Done(marked(Some("bench.1")))));
        // Another job of the same run, and what tells no job.
        assert_eq!([decided(Some("bench.2")), decided(None)], [again("perf.md"), again("perf.md")]);
    }
}
