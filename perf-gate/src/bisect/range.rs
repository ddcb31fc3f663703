//! Ranges of commits.

use perf_cli::{Failure, term};

use crate::series::{Commit, git};

/// Commits, oldest first, and the good commit before them.
#[derive(Clone, Debug)]
pub(super) struct Range {
    pub(super) good: String,
    pub(super) commits: Vec<String>,
}

impl Range {
    /// Parses a range such as `v1.2..main`. The end defaults to `HEAD`.
    ///
    /// # Errors
    /// If the range is invalid or has no commits, or a commit is unknown.
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let shown = term::printable(text);
        let Some((good, bad)) = text
            .split_once("..")
            .filter(|(good, bad)| !good.is_empty() && !bad.starts_with('.'))
        else {
            let hint = "write the commit without the change, two dots, and one with it, such as `v1.2..main`";
            return Err(Failure::new(format!("invalid range `{shown}`"))
                .hint(hint)
                .into());
        };
        let [good, bad] = [good, if bad.is_empty() { "HEAD" } else { bad }].map(Commit::resolve);
        let (good, bad) = (good?.id, bad?.id);
        let commits = first_parents(&good, &bad)?;
        if commits.is_empty() {
            let failure = Failure::new(format!("`{shown}` has no commits"));
            let count = first_parents(&bad, &good)?.len();
            return Err(match count {
                0 => failure.hint("both ends are the same commit"),
                _ => failure.hint(format!(
                    "reversed, it has {count}: the commit without the change comes first"
                )),
            }
            .into());
        }
        if git(&["merge-base", "--is-ancestor", &good, &bad]).is_err() {
            let common = git(&["merge-base", &good, &bad]).unwrap_or_default();
            let failure = Failure::new(format!(
                "the first commit of `{shown}` is not an ancestor of the second"
            ));
            return Err(failure
                .hint(format!("both come from `{}`", common.trim()))
                .into());
        }
        Ok(Self { good, commits })
    }

    /// The last commit.
    pub(super) fn bad(&self) -> &str {
        self.commits.last().map_or(&self.good, |commit| commit)
    }

    /// A range, or `None` without commits.
    pub(super) fn of(good: &str, commits: &[String]) -> Option<Self> {
        if commits.is_empty() {
            return None;
        }
        Some(Self {
            good: good.to_owned(),
            commits: commits.to_vec(),
        })
    }
}

/// The commits after `good` up to `bad` along first parents, oldest first.
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

/// The commits of a branch that `merge` merged, given by its head `parent`.
///
/// # Errors
/// If git fails.
pub(super) fn merged_range(merge: &str, parent: &str) -> anyhow::Result<Option<Range>> {
    let Ok(base) = git(&["merge-base", &format!("{merge}^1"), parent]) else {
        return Ok(None);
    };
    let good = base.trim();
    Ok(Range::of(good, &first_parents(good, parent)?))
}
