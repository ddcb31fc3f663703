//! The measured commits.

use std::collections::{BTreeMap, HashMap};

use perf_cli::git::Git;
use perf_report::svg::shown;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommitRun {
    /// The commit name; may be empty.
    pub(crate) commit: String,
    /// When it was measured or committed, in seconds since 1970.
    pub(crate) date: Option<i64>,
    /// The commit message's first line; empty if git does not know the commit.
    pub(crate) subject: String,
}

/// The number of commits per git call, so that they fit into a command line.
const ASKED: usize = 400;

/// Adds the subjects of the commits in the working directory's repository.
pub(crate) fn add_subjects(runs: &mut [CommitRun]) {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let hashes: Vec<&str> = runs
        .iter()
        .filter(|run| run.is_hash())
        .map(|run| &*run.commit)
        .collect();
    for asked in hashes.chunks(ASKED) {
        let log = [
            "log",
            "--no-walk=unsorted",
            "--ignore-missing",
            "-z",
            "--format=%H %s",
        ];
        let listed = Git::here()
            .without_fetching()
            .list(&[&log, asked, &["--"]].concat());
        let lines = listed.unwrap_or_default();
        let parts = lines.iter().filter_map(|line| line.split_once(' '));
        known.extend(parts.map(|(commit, subject)| (commit.to_owned(), shown(subject))));
    }
    for run in runs.iter_mut().filter(|run| run.is_hash()) {
        let full = known.range(run.commit.to_ascii_lowercase()..).next();
        let full = full.filter(|(commit, _)| commit.starts_with(&run.commit.to_ascii_lowercase()));
        run.subject = full.map(|(_, subject)| subject.clone()).unwrap_or_default();
    }
}

impl CommitRun {
    /// The pull request number in a GitHub merge subject: the last `(#12)`, or `Merge pull request #12`.
    pub(crate) fn pull_request(&self) -> Option<&str> {
        let merged = self.subject.strip_prefix("Merge pull request #");
        let rest = merged.or_else(|| {
            self.subject
                .strip_suffix(')')?
                .rsplit_once("(#")
                .map(|(_, rest)| rest)
        })?;
        let number = rest.split(' ').next()?;
        (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(number)
    }

    /// The date, or the short commit if the date is unknown.
    pub(crate) fn day(&self) -> String {
        let day = self
            .date
            .map(|date| perf_model::date::text(date).chars().take(10).collect());
        day.unwrap_or_else(|| self.short().to_owned())
    }

    /// The short commit name.
    pub(crate) fn short(&self) -> &str {
        if self.is_hash() {
            self.commit.get(..7).unwrap_or(&self.commit)
        } else {
            &self.commit
        }
    }

    /// The URL of the commit; `None` without a repository or a commit hash.
    pub(crate) fn address(&self, repository: Option<&str>) -> Option<String> {
        let repository = repository.filter(|_| self.is_hash())?;
        Some(format!("{repository}/commit/{}", self.commit))
    }

    /// Whether this can be a commit hash.
    pub(crate) fn is_hash(&self) -> bool {
        (7..=64).contains(&self.commit.len())
            && self.commit.bytes().all(|byte| byte.is_ascii_hexdigit())
    }
}

/// A history's runs, each commit once.
#[derive(Default)]
pub(crate) struct CommitRuns {
    runs: Vec<CommitRun>,
    by_commit: HashMap<String, usize>,
}

impl CommitRuns {
    /// A run's index. Rows without a commit are a separate run.
    pub(crate) fn place(&mut self, commit: &str, date: Option<i64>) -> usize {
        if let Some(known) = self.by_commit.get(commit) {
            return *known;
        }
        let place = self.runs.len();
        self.runs.push(CommitRun {
            commit: commit.to_owned(),
            date,
            subject: String::new(),
        });
        if !commit.is_empty() {
            self.by_commit.insert(commit.to_owned(), place);
        }
        place
    }

    /// The runs by date, undated ones first; and the new index of each.
    pub(crate) fn in_order(self) -> (Vec<CommitRun>, Vec<usize>) {
        let mut order: Vec<usize> = (0..self.runs.len()).collect();
        order.sort_by_key(|place| self.runs[*place].date);
        let mut places = vec![0; order.len()];
        for (now, before) in order.iter().enumerate() {
            places[*before] = now;
        }
        (
            order
                .into_iter()
                .map(|place| self.runs[place].clone())
                .collect(),
            places,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_ordered_by_date_and_each_commit_counts_once() {
        let mut runs = CommitRuns::default();
        let places = [
            ("b", Some(20)),
            ("a", Some(10)),
            ("b", Some(30)),
            ("", None),
            ("", None),
        ]
        .map(|(commit, date)| runs.place(commit, date));
        assert_eq!(places, [0, 1, 0, 2, 3]);
        let (runs, places) = runs.in_order();
        assert_eq!(
            runs.iter().map(|run| run.date).collect::<Vec<_>>(),
            [None, None, Some(10), Some(20)]
        );
        assert_eq!(places, [3, 2, 0, 1]);
    }

    #[test]
    fn only_hashes_are_linked() {
        let run = |commit: &str| CommitRun {
            commit: commit.to_owned(),
            date: None,
            subject: String::new(),
        };
        let address = |commit: &str| run(commit).address(Some("https://x.y/z"));
        assert_eq!(
            address("4be19c7").as_deref(),
            Some("https://x.y/z/commit/4be19c7")
        );
        assert_eq!(address("../../settings"), None);
        assert_eq!(address("v1.2"), None);
    }

    #[test]
    fn subjects_of_merges_name_their_pull_request() {
        let pull_request = |subject: &str| {
            let run = CommitRun {
                commit: String::new(),
                date: None,
                subject: subject.to_owned(),
            };
            run.pull_request().map(str::to_owned)
        };
        assert_eq!(
            pull_request("Read quoted fields (#12)").as_deref(),
            Some("12")
        );
        assert_eq!(
            pull_request("Merge pull request #7 from octo/fix").as_deref(),
            Some("7")
        );
        assert_eq!(pull_request("Revert (#x)"), None);
        assert_eq!(pull_request("Read quoted fields"), None);
    }
}
