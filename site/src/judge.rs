//! The gate's verdicts on the newest values, as if each benchmark's newest run were a pull request. The run before it is the
//! baseline, and all earlier runs are the history. There are no confirmation runs.

use std::collections::HashMap;

use indexmap::IndexMap;
use perf_config::Config;
use perf_model::row::{Name, Row};
use perf_model::suite::{Filter, Suite};
use perf_verdict::{MetricComparison, Sides, Thresholds, compare};

/// A benchmark's rows in its newest two runs, the newest last.
#[derive(Default)]
pub(crate) struct Newest<'r>(Vec<RunRows<'r>>);

struct RunRows<'r> {
    run: usize,
    date: Option<i64>,
    rows: Vec<&'r Row>,
}

/// A scope, a benchmark, and the index of a group of the benchmark's runs. The runs in a group have the same methodology and
/// machine type.
pub(crate) type Id = (String, Name, usize);

impl<'r> Newest<'r> {
    /// Adds a run, and drops the oldest run if there are more than two. Runs may be added in any order.
    pub(crate) fn add(&mut self, run: usize, date: Option<i64>, rows: &[&'r Row]) {
        self.0.push(RunRows {
            run,
            date,
            rows: rows.to_vec(),
        });
        self.0.sort_by_key(|taken| taken.date);
        if self.0.len() > 2 {
            self.0.remove(0);
        }
    }
}

/// The indices of the runs and their suites, in the order of the history.
#[derive(Default)]
pub(crate) struct EarlierRuns<'r> {
    runs: Vec<usize>,
    suites: Vec<Suite<'r>>,
}

impl<'r> EarlierRuns<'r> {
    /// Adds a run. The caller adds the runs in the order of the history.
    pub(crate) fn add(&mut self, run: usize, suite: Suite<'r>) {
        self.runs.push(run);
        self.suites.push(suite);
    }

    /// The suites that come before a run in the history. Empty if the run is unknown.
    fn before(&self, run: usize) -> &[Suite<'r>] {
        let end = self.runs.iter().position(|known| *known == run);
        &self.suites[..end.unwrap_or(0)]
    }
}

/// The rows of benchmarks that are judged together, because they have the same newest run, machine type and methodology.
#[derive(Default)]
struct Group {
    current: Vec<Row>,
    baseline: Vec<Row>,
    ids: HashMap<(String, Name), Id>,
}

/// Collects groups of rows, and judges each group together.
pub(crate) struct Judge<'j, 'r> {
    config: &'j Config,
    filter: &'j Filter,
    thresholds: Thresholds,
    earlier: &'j EarlierRuns<'r>,
    groups: IndexMap<(usize, Option<String>, Option<String>), Group>,
}

impl<'j, 'r> Judge<'j, 'r> {
    pub(crate) fn new(
        config: &'j Config,
        filter: &'j Filter,
        thresholds: Thresholds,
        earlier: &'j EarlierRuns<'r>,
    ) -> Self {
        let thresholds = Thresholds {
            self_test: false,
            ..thresholds
        };
        Self {
            config,
            filter,
            thresholds,
            earlier,
            groups: IndexMap::new(),
        }
    }

    /// Adds a benchmark, with the machine type and methodology that all its rows agree on. Does nothing if the benchmark has
    /// only one run, because there is nothing to compare it with.
    pub(crate) fn add(
        &mut self,
        id: Id,
        newest: &Newest<'_>,
        machine: Option<&str>,
        method: Option<&str>,
    ) {
        let [before, now] = newest.0.as_slice() else {
            return;
        };
        let key = (
            now.run,
            machine.map(str::to_owned),
            method.map(str::to_owned),
        );
        let group = self.groups.entry(key).or_default();
        group.current.extend(now.rows.iter().copied().cloned());
        group.baseline.extend(before.rows.iter().copied().cloned());
        group.ids.insert((id.0.clone(), Name::clone(&id.1)), id);
    }

    /// Returns the verdicts by benchmark and metric.
    pub(crate) fn judged(self) -> HashMap<Id, HashMap<Name, MetricComparison>> {
        let mut all = HashMap::new();
        for ((run, ..), mut group) in self.groups {
            let current = Suite::new(&group.current, self.config, self.filter);
            let baseline = Suite::beside(&current, &group.baseline, self.config, self.filter);
            let history = self.earlier.before(run);
            let sides = Sides {
                history,
                ..Sides::new(&current, &baseline)
            };
            let comparison = compare(&sides, self.config, self.thresholds);
            for scope in comparison.scopes {
                for scenario in scope.scenarios {
                    let place = (scope.scope.clone(), Name::clone(&scenario.scenario));
                    let metrics = scenario.metrics.into_iter();
                    let metrics = metrics
                        .map(|metric| (Name::clone(&metric.metric.name), metric))
                        .collect();
                    all.extend(group.ids.remove(&place).map(|id| (id, metrics)));
                }
            }
        }
        all
    }
}
