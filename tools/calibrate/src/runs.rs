//! A history as runs, the oldest first: a run is a set of rows that were measured together.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;
use perf_config::Glob;
use perf_model::diagnostic::Diagnostic;
use perf_model::metric::Declarations;
use perf_model::row::{Name, Row};

/// A history.
#[derive(Clone, Debug, Default)]
pub struct RunHistory {
    /// The name for people: that of its file.
    pub name: String,
    /// Its runs, the oldest first.
    pub runs: Vec<HistoryRun>,
    /// The notes and warnings from reading it.
    pub found: Vec<Diagnostic>,
    /// The metrics that its file declares.
    pub declared: Declarations,
}

/// The rows of one run.
#[derive(Clone, Debug)]
pub struct HistoryRun {
    /// Its commit; where that was measured before, with the number of the time.
    pub name: Name,
    /// The measured rows, with [`Self::name`] as the commit.
    pub rows: Vec<Row>,
}

/// The scenarios that count: those that one of the patterns covers, or all, without those that another one covers.
#[derive(Clone, Debug, Default)]
pub struct ScenarioChoice {
    /// At least one of them covers what counts; without any everything does.
    pub rows: Vec<Glob>,
    /// None of them covers what counts.
    pub not: Vec<Glob>,
}

impl ScenarioChoice {
    /// True if a scenario counts.
    pub fn covers(&self, scenario: &str) -> bool {
        let named = |globs: &[Glob]| globs.iter().any(|glob| glob.matches(scenario));
        (self.rows.is_empty() || named(&self.rows)) && !named(&self.not)
    }

    /// True if any scenario among these rows counts.
    pub fn names_any(&self, rows: &[Row]) -> bool {
        rows.iter().any(|row| self.covers(&row.scenario))
    }
}

impl RunHistory {
    /// Rows, oldest first, as runs. A commit is a run, and so is each further time that it was measured, which
    /// shows by its repeating a scenario of the same platform and run index.
    pub fn of(
        name: impl Into<String>,
        rows: impl IntoIterator<Item = Row>,
        choice: &ScenarioChoice,
    ) -> Self {
        let mut runs: IndexMap<(Name, usize), Vec<Row>> = IndexMap::new();
        let mut times: HashMap<(Name, Name, Name, i64), usize> = HashMap::new();
        for row in rows.into_iter().filter(|row| choice.covers(&row.scenario)) {
            let names = [&row.commit, &row.scenario, &row.platform].map(Name::clone);
            let [commit, scenario, platform] = names;
            let time = times
                .entry((Name::clone(&commit), scenario, platform, row.run_index))
                .or_default();
            *time += 1;
            runs.entry((commit, *time)).or_default().push(row);
        }
        let runs = runs
            .into_iter()
            .map(|((commit, time), rows)| HistoryRun::new(&commit, time, rows));
        Self {
            name: name.into(),
            runs: runs.collect(),
            ..Self::default()
        }
    }

    /// The number of rows of all runs.
    pub fn rows(&self) -> usize {
        self.runs.iter().map(|run| run.rows.len()).sum()
    }
}

impl HistoryRun {
    fn new(commit: &str, time: usize, mut rows: Vec<Row>) -> Self {
        // A rule counts each commit of a history once; here each time that it was measured counts.
        let name: Name = if time == 1 && !commit.is_empty() {
            commit.into()
        } else {
            format!("{commit}#{time}").into()
        };
        for row in &mut rows {
            let key = Arc::make_mut(&mut row.key);
            Arc::make_mut(&mut key.conditions).commit = Name::clone(&name);
        }
        Self { name, rows }
    }
}
