//! Decides what to do with the numbers, based on the branch's current content, without I/O.
//!
//! The *tip* is the branch's head commit. A *refresh* is a commit that published numbers. Its [`Age`] compares its
//! measured code with ours.

use perf_github::HeadPosition;

use crate::content::RepoPath;
use crate::origin::{MeasurementOrigin, PublishedRefresh};
use crate::outcome::RefreshOutcome;
use crate::relevance::Relevance;

/// The state of the branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Situation {
    /// The position of the tip, compared with the measured commit.
    pub(crate) position: HeadPosition,
    /// The paths that changed since the measured commit, including old names of renamed files.
    pub(crate) changed: Vec<String>,
    /// True if these are all changed paths. GitHub lists a limited number.
    pub(crate) is_complete: bool,
    /// The published files' last refresh since the measured commit.
    pub(crate) latest: Option<PublishedRefresh>,
}

impl Situation {
    /// True if the file is known not to have changed since the measured commit.
    pub(crate) fn is_unchanged(&self, path: &RepoPath) -> bool {
        let mut changed = self.changed.iter();
        self.is_complete && changed.all(|changed| changed != path.as_str())
    }
}

/// The numbers to publish: their origin, and the rule for changes that outdate them.
#[derive(Clone, Debug)]
pub(crate) struct WantedRefresh {
    pub(crate) origin: MeasurementOrigin,
    pub(crate) relevance: Relevance,
}

/// The decision on what to do with the numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Publish the rendered files.
    AsRendered,
    /// Render the files again on top of the tip's versions, because this file has changed, and publish them.
    RenderAgain(RepoPath),
    /// Publish nothing, with this outcome.
    Leave(RefreshOutcome),
}

pub(crate) fn decide(wanted: &WantedRefresh, situation: &Situation) -> Decision {
    let ours = &wanted.origin;
    // Our own commit, whose response was lost. Only the mark identifies it, because other jobs in the run and earlier
    // steps in this job also publish.
    if let Some(latest) = &situation.latest
        && ours.mark.is_some()
        && latest.origin.mark == ours.mark
    {
        let commit = latest.commit.clone();
        return Decision::Leave(RefreshOutcome::Committed { commit });
    }
    if matches!(
        situation.position,
        HeadPosition::Behind | HeadPosition::Diverged
    ) {
        return Decision::Leave(RefreshOutcome::Stale);
    }
    if let Some(latest) = &situation.latest
        && latest.outranks(ours)
    {
        return Decision::Leave(RefreshOutcome::Outranked {
            refresh: latest.clone(),
            pull: None,
        });
    }
    let related = wanted.relevance.first_related(&situation.changed);
    if related.is_some() || !situation.is_complete {
        let by = related.map(str::to_owned);
        return Decision::Leave(RefreshOutcome::Superseded { by });
    }
    for path in wanted.relevance.published() {
        if !situation.is_unchanged(path) {
            return Decision::RenderAgain(path.clone());
        }
    }
    Decision::AsRendered
}

#[cfg(test)]
mod tests {
    use perf_github::CommitId;

    use super::*;
    use crate::origin::Age;

    const OURS: char = 'b';

    fn sha(digit: char) -> CommitId {
        digit.to_string().repeat(40).parse().unwrap()
    }

    fn origin(measured: char, run: &str) -> MeasurementOrigin {
        MeasurementOrigin {
            measured: sha(measured),
            run: run.parse().ok(),
            mark: None,
        }
    }

    fn again(path: &str) -> Decision {
        Decision::RenderAgain(path.parse().unwrap())
    }

    fn wanted() -> WantedRefresh {
        let published = ["perf.md", "perf.csv"].map(|path| path.parse().unwrap());
        let relevance = Relevance::new(&published, &[]);
        WantedRefresh {
            origin: origin(OURS, "12.1"),
            relevance,
        }
    }

    fn at(position: HeadPosition, changed: &[&str]) -> Situation {
        Situation {
            position,
            changed: changed.iter().map(ToString::to_string).collect(),
            is_complete: true,
            latest: None,
        }
    }

    fn ahead(changed: &[&str]) -> Situation {
        at(HeadPosition::Ahead, changed)
    }

    fn refresh(age: Age, run: &str) -> PublishedRefresh {
        let measured = match age {
            Age::Newer => 'c',
            Age::Same => OURS,
            Age::Older => 'a',
        };
        PublishedRefresh {
            commit: sha('e'),
            origin: origin(measured, run),
            age,
        }
    }

    fn superseded(by: Option<&str>) -> Decision {
        Decision::Leave(RefreshOutcome::Superseded {
            by: by.map(str::to_owned),
        })
    }

    fn outranked(refresh: PublishedRefresh) -> Decision {
        Decision::Leave(RefreshOutcome::Outranked {
            refresh,
            pull: None,
        })
    }

    fn decided(situation: Situation, latest: Option<PublishedRefresh>) -> Decision {
        let situation = Situation {
            latest,
            ..situation
        };
        decide(&wanted(), &situation)
    }

    #[test]
    fn rendered_files_are_published_on_measured_commit() {
        assert_eq!(
            decided(at(HeadPosition::Identical, &[]), None),
            Decision::AsRendered
        );
    }

    #[test]
    fn unrelated_changes_do_not_outdate_numbers() {
        assert_eq!(decided(ahead(&[]), None), Decision::AsRendered);
        assert_eq!(decided(ahead(&["README.md"]), None), Decision::AsRendered);
        assert_eq!(
            decided(ahead(&["README.md", "perf.md"]), None),
            again("perf.md")
        );
    }

    #[test]
    fn changed_published_file_is_rendered_again() {
        assert_eq!(
            decided(ahead(&["docs/x", "perf.csv"]), None),
            again("perf.csv")
        );
    }

    #[test]
    fn related_changes_supersede() {
        let by = |path: &str| superseded(Some(path));
        assert_eq!(
            decided(ahead(&["README.md", "src/lib.rs", "perf.md"]), None),
            by("src/lib.rs")
        );
        assert_eq!(decided(ahead(&["perf.md", "a.c"]), None), by("a.c"));
    }

    #[test]
    fn unlisted_changes_supersede() {
        let some = Situation {
            is_complete: false,
            ..ahead(&["README.md"])
        };
        assert_eq!(decided(some, None), superseded(None));
    }

    #[test]
    fn branch_without_measured_commit_is_stale() {
        for latest in [
            None,
            Some(refresh(Age::Newer, "13.1")),
            Some(refresh(Age::Same, "1.1")),
        ] {
            for position in [HeadPosition::Behind, HeadPosition::Diverged] {
                assert_eq!(
                    decided(at(position, &[]), latest.clone()),
                    Decision::Leave(RefreshOutcome::Stale)
                );
            }
        }
    }

    #[test]
    fn newer_numbers_stay_and_older_ones_are_replaced() {
        let decided = |age, run| decided(ahead(&["perf.md"]), Some(refresh(age, run)));
        for run in ["1.1", "13.1", ""] {
            assert_eq!(
                decided(Age::Newer, run),
                outranked(refresh(Age::Newer, run))
            );
            assert_eq!(decided(Age::Older, run), again("perf.md"));
        }
        for later in ["12.2", "13.1"] {
            assert_eq!(
                decided(Age::Same, later),
                outranked(refresh(Age::Same, later))
            );
        }
        for not_later in ["12.1", "11.9", ""] {
            assert_eq!(decided(Age::Same, not_later), again("perf.md"));
        }
    }

    #[test]
    fn newer_numbers_stay_despite_related_changes() {
        let newer = refresh(Age::Newer, "13.1");
        let tip = || ahead(&["src/lib.rs", "perf.md"]);
        assert_eq!(decided(tip(), Some(newer.clone())), outranked(newer));
        let older = decided(tip(), Some(refresh(Age::Older, "11.1")));
        assert_eq!(older, superseded(Some("src/lib.rs")));
    }

    #[test]
    fn same_code_can_be_published_again_outside_of_a_workflow() {
        let wanted = WantedRefresh {
            origin: origin(OURS, ""),
            ..wanted()
        };
        let situation = Situation {
            latest: Some(refresh(Age::Same, "12.1")),
            ..ahead(&["perf.md"])
        };
        assert_eq!(decide(&wanted, &situation), again("perf.md"));
    }

    #[test]
    fn own_commit_is_recognised_by_its_mark_only() {
        let marked = |mark: Option<&str>| {
            let refresh = refresh(Age::Same, "12.1");
            let origin = MeasurementOrigin {
                mark: mark.map(str::to_owned),
                ..refresh.origin
            };
            PublishedRefresh { origin, ..refresh }
        };
        let wanted = WantedRefresh {
            origin: marked(Some("bench.1")).origin,
            ..wanted()
        };
        let decided = |mark| {
            let latest = Some(marked(mark));
            let tip = ahead(&["perf.md"]);
            decide(&wanted, &Situation { latest, ..tip })
        };
        assert_eq!(
            decided(Some("bench.1")),
            Decision::Leave(RefreshOutcome::Committed { commit: sha('e') })
        );
        // Another job in the same run, and a message without a job.
        assert_eq!(
            [decided(Some("bench.2")), decided(None)],
            [again("perf.md"), again("perf.md")]
        );
    }
}
