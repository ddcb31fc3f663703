//! Ranges of commits along first parents, and the search for the commit that made the largest change, or for all such
//! commits. The search continues inside merged branches.

use anyhow::anyhow;
use measure::pairs::KnownChange;
use perf_cli::{ResultExt, term};
use perf_model::diagnostic::counted;
use perf_verdict::statistics::bisection::{Search, Step, evidence};
use perf_verdict::statistics::signed_rank::Typical;

use super::comparisons::{Compared, Comparisons, NoResult, Subject, percent};
use crate::series::{Commit, git, short};

/// The commits to search, oldest first, and the good commit before them.
#[derive(Clone, Debug)]
pub struct Range {
    pub good: String,
    pub commits: Vec<String>,
}

impl Range {
    /// Parses a range such as `v1.2..main`. The end defaults to `HEAD`.
    ///
    /// # Errors
    /// Fails if the range is invalid or has no commits, if a commit is unknown, or if the first commit is not an ancestor of
    /// the second.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let shown = term::printable(text);
        let Some((good, bad)) = text
            .split_once("..")
            .filter(|(good, bad)| !good.is_empty() && !bad.starts_with('.'))
        else {
            let hint = "write `GOOD..BAD`, such as `v1.2..main`: the first commit lacks the change, the last one contains it";
            return Err(anyhow!("invalid range `{shown}`")).hint(hint);
        };
        let [good, bad] = [good, if bad.is_empty() { "HEAD" } else { bad }].map(Commit::resolve);
        let (good, bad) = (good?.id, bad?.id);
        let commits = first_parents(&good, &bad)?;
        if commits.is_empty() {
            let hint = match first_parents(&bad, &good)?.len() {
                0 => "both ends are the same commit".to_owned(),
                count => {
                    format!(
                        "the reversed range has {count}: put the commit without the change first"
                    )
                }
            };
            return Err(anyhow!("`{shown}` has no commits")).hint(hint);
        }
        if git(&["merge-base", "--is-ancestor", &good, &bad]).is_err() {
            let common = git(&["merge-base", &good, &bad]).unwrap_or_default();
            return Err(anyhow!(
                "the first commit of `{shown}` is not an ancestor of the second"
            ))
            .hint(format!("their common ancestor is `{}`", common.trim()));
        }
        Ok(Self { good, commits })
    }

    /// The bad end: the last commit of the range.
    pub fn bad(&self) -> &str {
        self.commits.last().map_or(&self.good, |commit| commit)
    }

    /// Creates a range. Returns `None` if there are no commits.
    fn of(good: &str, commits: &[String]) -> Option<Self> {
        if commits.is_empty() {
            return None;
        }
        Some(Self {
            good: good.to_owned(),
            commits: commits.to_vec(),
        })
    }
}

/// Lists the commits after `good` up to `bad` along first parents, oldest first.
fn first_parents(good: &str, bad: &str) -> anyhow::Result<Vec<String>> {
    let listed = git(&[
        "rev-list",
        "--first-parent",
        "--reverse",
        bad,
        &format!("^{good}"),
        "--",
    ])?;
    Ok(listed.lines().map(str::to_owned).collect())
}

/// A change and the commit that made it, or several commits if they could not be distinguished.
#[derive(Debug)]
pub struct Found {
    pub commits: Vec<String>,
    /// The positions of the first and the last of `commits` in the searched range.
    positions: [usize; 2],
    pub change: Option<Typical>,
    pub probability: f64,
    /// True if the time was up before the result was certain.
    pub is_open: bool,
}

/// The state of one `bisect` command.
pub struct Hunt<'h, 'c> {
    pub comparisons: &'h mut Comparisons<'c>,
    pub subject: Subject,
    pub error: f64,
    /// True if the time is up. Running the same command again continues the search.
    pub is_out_of_time: bool,
}

impl Hunt<'_, '_> {
    /// Finds the largest change in a range. If `all` is true, also finds changes before and after it.
    ///
    /// # Errors
    /// Fails after Ctrl-C, if git fails, or if the results cannot be stored.
    pub fn changes(&mut self, range: &Range, all: bool) -> anyhow::Result<Vec<Found>> {
        let ends = [range.good.as_str(), range.bad()];
        let size = self.comparisons.size(&self.subject, ends);
        let Some(size) = self.in_time(size)?.flatten() else {
            return Ok(Vec::new());
        };
        let found = self.search(range, size)?;
        if found.is_open {
            return Ok(vec![found]);
        }
        let [first, last] = found.positions;
        if !all {
            return Ok(vec![self.within_merge(found)?]);
        }
        let commits = &range.commits;
        let mut changes = Vec::new();
        if let Some(before) = Range::of(&range.good, &commits[..first]) {
            changes.extend(self.changes(&before, true)?);
        }
        changes.push(self.within_merge(found)?);
        if let Some(after) = Range::of(&commits[last], &commits[last + 1..]) {
            changes.extend(self.changes(&after, true)?);
        }
        Ok(changes)
    }

    /// Finds the commit that made the change between a range's ends.
    fn search(&mut self, range: &Range, size: f64) -> anyhow::Result<Found> {
        let mut search = Search::new(range.commits.len(), self.error);
        loop {
            let mut step = search.step();
            let mut is_open = false;
            if let Step::Compare(at) = step {
                let learned = self.learn(&mut search, range, at, size);
                if self.in_time(learned)?.is_some() {
                    continue;
                }
                step = search.so_far();
                is_open = true;
            }
            if let Step::Found {
                first,
                last,
                probability,
            } = step
            {
                return Ok(Found {
                    commits: range.commits[first..=last].to_vec(),
                    positions: [first, last],
                    change: self.change(range, first, last),
                    probability,
                    is_open,
                });
            }
        }
    }

    /// Updates the search with the results for the commit at position `at`. Uses stored results that the search has not used
    /// yet, or compares the commit once more.
    fn learn(
        &mut self,
        search: &mut Search,
        range: &Range,
        at: usize,
        size: f64,
    ) -> anyhow::Result<()> {
        let (commit, enough) = (&range.commits[at], search.strongest());
        let (ends, tries) = ([range.good.as_str(), commit], search.tries(at) + 1);
        let is_new = self.comparisons.results(ends[0], commit, tries).is_none();
        let change = KnownChange {
            size,
            evidence: enough,
        };
        let compared = self
            .comparisons
            .compared(&self.subject, ends, tries, change)?;
        let found = evidence(&compared.differences, size, enough);
        if compared.failure.is_some() {
            search.skip(at);
        } else {
            search.learn(at, found, compared.tries);
        }
        if is_new {
            self.print_note(search, commit, &compared, found / enough);
        }
        Ok(())
    }

    /// Prints one line about a comparison.
    fn print_note(&self, search: &Search, commit: &str, compared: &Compared, evidence: f64) {
        let subject = Commit::resolve(commit)
            .map(|commit| commit.line())
            .unwrap_or_default();
        let what = match (&compared.failure, compared.typical()) {
            (Some(why), _) => format!("skipped: {why}"),
            (None, None) => "no pairs".to_owned(),
            (None, Some(typical)) => {
                let side = match evidence {
                    sure if sure >= 1.0 => "has the change",
                    sure if sure <= -1.0 => "does not have the change",
                    _ => "uncertain",
                };
                format!("{}, {side}", percent(typical))
            }
        };
        let Step::Found { first, last, .. } = search.so_far() else {
            return;
        };
        let left = counted((last - first + 1) as u64, "commit");
        let number = self.comparisons.count();
        term::note(&format!("{number}: {subject}: {what}; {left} left"));
    }

    /// Returns the size of the change in `first..=last`: the difference between the last of these commits and the nearest
    /// earlier commit with a result. Both results are relative to the good end.
    fn change(&self, range: &Range, first: usize, last: usize) -> Option<Typical> {
        let from_base = |at: usize| {
            self.comparisons
                .results(&range.good, &range.commits[at], 1)?
                .typical()
        };
        let after = from_base(last)?;
        let Some(before) = (0..first).rev().find_map(from_base) else {
            return Some(after);
        };
        let bound = |own: Option<f64>, other: Option<f64>, sign: f64| {
            let (own, other) = (own? - after.estimate, other? - before.estimate);
            Some(after.estimate - before.estimate + sign * own.hypot(other))
        };
        Some(Typical {
            estimate: after.estimate - before.estimate,
            low: bound(after.low, before.high, -1.0),
            high: bound(after.high, before.low, 1.0),
        })
    }

    /// Returns `None` if the error means that the time is up, and passes other errors on.
    fn in_time<T>(&mut self, result: anyhow::Result<T>) -> anyhow::Result<Option<T>> {
        match result {
            Err(error) if error.downcast_ref() == Some(&NoResult::Time) => {
                self.is_out_of_time = true;
                Ok(None)
            }
            other => other.map(Some),
        }
    }

    /// If the found commit is a merge, finds the commit of the merged branch that made the change.
    fn within_merge(&mut self, found: Found) -> anyhow::Result<Found> {
        let [merge] = &found.commits[..] else {
            return Ok(found);
        };
        let Some(size) = found.change.map(|change| change.estimate) else {
            return Ok(found);
        };
        for parent in Commit::resolve(merge)?.parents.iter().skip(1) {
            let Ok(base) = git(&["merge-base", &format!("{merge}^1"), parent]) else {
                continue;
            };
            let base = base.trim();
            let Some(range) = Range::of(base, &first_parents(base, parent)?) else {
                continue;
            };
            term::note(&format!(
                "{} is a merge: searching its {} commits",
                short(merge),
                range.commits.len()
            ));
            let enough = Search::new(range.commits.len(), self.error).strongest();
            let change = KnownChange {
                size,
                evidence: enough,
            };
            let ends = [range.good.as_str(), range.bad()];
            let compared = self.comparisons.compared(&self.subject, ends, 1, change);
            let Some(compared) = self.in_time(compared)? else {
                return Ok(found);
            };
            if evidence(&compared.differences, size, enough) >= enough {
                let inner = self.search(&range, size)?;
                return if inner.is_open {
                    Ok(inner)
                } else {
                    self.within_merge(inner)
                };
            }
        }
        Ok(found)
    }
}
