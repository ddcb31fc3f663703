//! The measured commits.

use std::collections::{BTreeMap, HashMap};

use perf_cli::git::Git;
use perf_report::svg::shown;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommitRun {
    /// The commit as the history gives it, usually a full or short hash. Empty if unknown.
    pub(crate) commit: String,
    /// When the commit was measured or, if that is unknown, the date of the history's version that contains the rows. In
    /// seconds since 1970.
    pub(crate) date: Option<i64>,
    /// The commit message's first line. Empty if git does not know the commit.
    pub(crate) subject: String,
}

/// The maximum number of commits per git call, because the length of a command line is limited.
const ASKED: usize = 400;

/// Adds the subject of each commit that the working directory's repository contains.
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
    /// The pull request's number, if the subject looks like one that GitHub writes for a merge: it ends with `(#12)`, or
    /// begins with `Merge pull request #12`.
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

    /// The run's day, such as `2031-03-04`, or the short commit if the date is unknown.
    pub(crate) fn day(&self) -> String {
        let day = self
            .date
            .map(|date| perf_model::date::text(date).chars().take(10).collect());
        day.unwrap_or_else(|| self.short().to_owned())
    }

    /// The first seven digits of a commit hash. A commit that is not a hash is not shortened.
    pub(crate) fn short(&self) -> &str {
        if self.is_hash() {
            self.commit.get(..7).unwrap_or(&self.commit)
        } else {
            &self.commit
        }
    }

    /// The commit's URL. `None` if the repository is unknown or the commit is not a hash.
    pub(crate) fn address(&self, repository: Option<&str>) -> Option<String> {
        let repository = repository.filter(|_| self.is_hash())?;
        Some(format!("{repository}/commit/{}", self.commit))
    }

    /// Whether the commit looks like a hash: 7 to 64 hexadecimal digits.
    pub(crate) fn is_hash(&self) -> bool {
        (7..=64).contains(&self.commit.len())
            && self.commit.bytes().all(|byte| byte.is_ascii_hexdigit())
    }
}

/// A history's runs. All rows with the same commit belong to one run.
#[derive(Default)]
pub(crate) struct CommitRuns {
    runs: Vec<CommitRun>,
    by_commit: HashMap<String, usize>,
}

impl CommitRuns {
    /// Returns the index of a commit's run, and adds the run if it is new. With an empty `commit`, every call adds a run.
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

    /// Returns the runs sorted by date, undated ones first. Also returns the new index of each run by its old index.
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
