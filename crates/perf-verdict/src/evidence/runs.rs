//! One scope's measurements in all runs of a comparison.

use std::collections::{HashMap, HashSet};

use perf_model::row::{Name, metric_names};
use perf_model::suite::{Measurement, Suite};

use crate::sides::Sides;

/// The measurements of one scope, by run: the history (oldest first), the baseline, the current run, and the
/// confirmation runs.
pub struct ScopeRuns<'s, 'r> {
    runs: Vec<HashMap<&'s Name, &'s Measurement<'r>>>,
    /// The index of the baseline's run. The next index is the current run's.
    pub baseline: usize,
    /// All metric names in the baseline.
    pub measured_before: HashSet<&'s Name>,
}

/// An earlier measurement, with the index of its run.
pub type Earlier<'s, 'r> = (usize, &'s Measurement<'r>);

impl<'s, 'r> ScopeRuns<'s, 'r> {
    /// Collects the measurements of one scope from all runs.
    pub fn new(scope: &str, sides: &Sides<'s, 'r>) -> Self {
        let mut suites: Vec<&'s Suite<'r>> = sides.history.iter().collect();
        suites.extend([sides.baseline, sides.current]);
        suites.extend(sides.all_confirmation_runs());
        let mut runs: Vec<HashMap<&'s Name, &'s Measurement<'r>>> = Vec::new();
        for suite in suites {
            let measurements = suite.scope(scope).into_iter();
            let measurements = measurements.flat_map(|scope| &scope.measurements);
            runs.push(measurements.map(|one| (one.scenario, one)).collect());
        }
        let baseline = sides.history.len();
        let before = runs[baseline].values().flat_map(|one| &one.rows);
        Self {
            measured_before: metric_names(before.copied()).into_iter().collect(),
            runs,
            baseline,
        }
    }

    /// Returns the index of the current run.
    pub fn current(&self) -> usize {
        self.baseline + 1
    }

    /// Returns the indices of the confirmation runs.
    pub fn confirmation_runs(&self) -> std::ops::Range<usize> {
        self.baseline + 2..self.runs.len()
    }

    /// Returns a scenario's measurement in the run with this index.
    pub fn in_run(&self, run: usize, scenario: &Name) -> Option<&'s Measurement<'r>> {
        self.runs.get(run)?.get(scenario).copied()
    }

    /// Returns a scenario's measurements in the history, oldest first.
    fn earlier(&self, scenario: &Name) -> Vec<Earlier<'s, 'r>> {
        let mut earlier = Vec::with_capacity(self.baseline + 1);
        for run in 0..self.baseline {
            earlier.extend(self.in_run(run, scenario).map(|one| (run, one)));
        }
        earlier
    }

    /// Returns the newest earlier measurement of a scenario at another commit. Measurements under the current
    /// conditions are preferred.
    pub fn newest(&self, current: &Measurement<'r>) -> Option<Earlier<'s, 'r>> {
        let mut newest = None;
        for (run, earlier) in self.earlier(current.scenario).into_iter().rev() {
            let commit = earlier.commit();
            if earlier.is_blank() || (!commit.is_empty() && commit == current.commit()) {
                continue;
            }
            if earlier.unlike(current).is_none() {
                return Some((run, earlier));
            }
            newest = newest.or(Some((run, earlier)));
        }
        newest
    }

    /// Returns the earlier measurements of a scenario that were taken under the current conditions, each commit once.
    /// The baseline comes last. Without a history, returns nothing.
    pub fn series(
        &self,
        current: &Measurement<'r>,
        baseline: Earlier<'s, 'r>,
    ) -> Vec<Earlier<'s, 'r>> {
        let mut earlier = self.earlier(current.scenario);
        if earlier.is_empty() {
            return earlier;
        }
        earlier.push(baseline);
        let mut series: Vec<Earlier<'s, 'r>> = Vec::with_capacity(earlier.len());
        let mut commits: HashSet<&str> = HashSet::with_capacity(earlier.len());
        for (run, measurement) in earlier {
            let commit = measurement.commit();
            // If no commit is stated, equal rows are from the same measurement.
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
