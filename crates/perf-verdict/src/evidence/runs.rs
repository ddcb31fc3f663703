//! Finding the measurements of a scenario in the history and the confirmation runs.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use perf_model::row::{Name, metric_names};
use perf_model::suite::{Measurement, ScopeRows};

use crate::sides::Sides;

/// The measurements of one scope in every run, by scenario.
pub(crate) struct ScopeRuns<'s, 'r> {
    /// All metric names in the baseline, collected on first use.
    measured_before: OnceLock<HashSet<Name>>,
    scope_before: Option<&'s ScopeRows<'r>>,
    pub(super) current: ByScenario<'s, 'r>,
    pub(super) baseline: ByScenario<'s, 'r>,
    /// Oldest first.
    pub(super) history: HashMap<&'s Name, Vec<Earlier<'s, 'r>>>,
    pub(super) confirmation_runs: Vec<ByScenario<'s, 'r>>,
}

/// An earlier measurement, and the index of its run in the history.
pub(crate) type Earlier<'s, 'r> = (usize, &'s Measurement<'r>);

/// The index of the baseline, which is the last run.
pub(crate) const BASELINE: usize = usize::MAX;

/// Measurements of one scope by scenario.
pub(super) type ByScenario<'s, 'r> = HashMap<&'s Name, &'s Measurement<'r>>;

fn by_scenario<'s, 'r>(scope: Option<&'s ScopeRows<'r>>) -> ByScenario<'s, 'r> {
    let all = scope.into_iter().flat_map(|scope| &scope.measurements);
    all.map(|measurement| (measurement.scenario, measurement))
        .collect()
}

impl<'s, 'r> ScopeRuns<'s, 'r> {
    /// Indexes the runs of a scope that both sides contain.
    pub(crate) fn new(
        current: &'s ScopeRows<'r>,
        baseline: Option<&'s ScopeRows<'r>>,
        sides: &Sides<'s, 'r>,
    ) -> Self {
        let mut history: HashMap<&'s Name, Vec<Earlier<'s, 'r>>> = HashMap::new();
        for (run, suite) in sides.history.iter().enumerate() {
            let scope = suite.scope(current.name);
            for earlier in scope.into_iter().flat_map(|scope| &scope.measurements) {
                let series = history.entry(earlier.scenario).or_default();
                series.push((run, earlier));
            }
        }
        Self {
            measured_before: OnceLock::new(),
            scope_before: baseline,
            current: by_scenario(Some(current)),
            baseline: by_scenario(baseline),
            history,
            confirmation_runs: sides
                .all_confirmation_runs()
                .map(|suite| by_scenario(suite.scope(current.name)))
                .collect(),
        }
    }

    /// True if any benchmark in the baseline measured this metric.
    pub(super) fn is_measured_before(&self, metric: &Name) -> bool {
        let names = self.measured_before.get_or_init(|| {
            let measurements = self
                .scope_before
                .into_iter()
                .flat_map(|scope| &scope.measurements);
            let rows = measurements.flat_map(|measurement| measurement.rows.iter().copied());
            metric_names(rows).into_iter().cloned().collect()
        });
        names.contains(metric)
    }

    /// The newest earlier measurement of a scenario at another commit, preferably under the current conditions.
    pub(crate) fn newest(&self, current: &Measurement<'r>) -> Option<Earlier<'s, 'r>> {
        let earlier = self.history.get(current.scenario)?.iter().rev().copied();
        let is_other = |(_, earlier): &Earlier<'_, '_>| {
            !earlier.is_blank()
                && (earlier.commit().is_empty() || earlier.commit() != current.commit())
        };
        let mut others = earlier.filter(is_other).peekable();
        let newest = others.peek().copied();
        others
            .find(|(_, earlier)| earlier.unlike(current).is_none())
            .or(newest)
    }

    /// The measurement of a scenario in a run.
    pub(crate) fn in_run(&self, run: usize, scenario: &Name) -> Option<&'s Measurement<'r>> {
        match run {
            BASELINE => self.baseline.get(scenario).copied(),
            run => self
                .history
                .get(scenario)?
                .iter()
                .find(|(other, _)| *other == run)
                .map(|(_, other)| *other),
        }
    }

    /// Earlier measurements of a scenario under the conditions of the current one: each commit once, the baseline
    /// last.
    pub(crate) fn series(
        &self,
        current: &Measurement<'r>,
        baseline: Earlier<'s, 'r>,
    ) -> Vec<Earlier<'s, 'r>> {
        let Some(earlier) = self
            .history
            .get(current.scenario)
            .filter(|earlier| !earlier.is_empty())
        else {
            return Vec::new();
        };
        let mut series: Vec<Earlier<'s, 'r>> = Vec::with_capacity(earlier.len() + 1);
        let mut commits: HashSet<&str> = HashSet::with_capacity(earlier.len() + 1);
        for (run, measurement) in earlier.iter().copied().chain([baseline]) {
            let commit = measurement.commit();
            // Without commits, equal rows are the same measurement.
            let is_new = match (commit, series.last()) {
                ("", Some((_, last))) => last.rows != measurement.rows,
                ("", None) => true,
                _ => commit != current.commit() && commits.insert(commit),
            };
            if is_new && measurement.unlike(current).is_none() {
                series.push((run, measurement));
            }
        }
        series
    }
}
