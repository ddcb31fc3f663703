//! A history as a sequence of runs, the oldest first. A run is a set of rows that were measured together.

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
    /// The name for output, derived from the file name.
    pub name: String,
    /// Its runs, the oldest first.
    pub runs: Vec<HistoryRun>,
    /// Notes and warnings from reading it.
    pub found: Vec<Diagnostic>,
    /// The metrics that its file declares.
    pub declared: Declarations,
}

/// One run's rows.
#[derive(Clone, Debug)]
pub struct HistoryRun {
    /// Its commit, followed by a number if the commit was measured several times.
    pub name: Name,
    /// The rows, with [`Self::name`] as the commit.
    pub rows: Vec<Row>,
}

/// A selection of scenarios by patterns.
#[derive(Clone, Debug, Default)]
pub struct ScenarioChoice {
    /// Patterns of included scenarios; empty for all.
    pub rows: Vec<Glob>,
    /// Patterns of excluded scenarios.
    pub not: Vec<Glob>,
}

impl ScenarioChoice {
    /// Whether a scenario is selected.
    pub fn covers(&self, scenario: &str) -> bool {
        let named = |globs: &[Glob]| globs.iter().any(|glob| glob.matches(scenario));
        (self.rows.is_empty() || named(&self.rows)) && !named(&self.not)
    }

    /// Whether any scenario in these rows is selected.
    pub fn names_any(&self, rows: &[Row]) -> bool {
        rows.iter().any(|row| self.covers(&row.scenario))
    }
}

impl RunHistory {
    /// Groups rows into runs, the oldest first. Each commit is a run. If a scenario is repeated with the same platform and run index,
    /// the commit was measured again, which is another run.
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

    /// The number of rows in all runs.
    pub fn rows(&self) -> usize {
        self.runs.iter().map(|run| run.rows.len()).sum()
    }
}

impl HistoryRun {
    fn new(commit: &str, time: usize, mut rows: Vec<Row>) -> Self {
        // The history rule uses each commit once, so repeated measurements of a commit get different names.
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
