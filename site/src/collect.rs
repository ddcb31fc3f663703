//! Collects the rows of many commits as series.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use perf_cli::load::history::Snapshot;
use perf_config::Config;
use perf_model::methodology::without_toolchain;
use perf_model::metric::Metric;
use perf_model::row::{Name, Row, Value};
use perf_model::suite::{Definitions, Filter, Measurement, Suite};
use perf_verdict::evidence::rule_of;
use perf_verdict::{MetricComparison, Rule, Thresholds};

use crate::judge::{EarlierRuns, Judge, Newest};
use crate::runs::{CommitRun, CommitRuns};

/// Everything that the site shows.
pub(crate) struct Collected {
    /// The runs, oldest first.
    pub(crate) runs: Vec<CommitRun>,
    pub(crate) scopes: IndexSet<String>,
    /// The machine types, followed by the methodology if the history contains several. An unknown machine type is empty.
    pub(crate) machines: IndexSet<String>,
    /// The series, sorted by scope and benchmark as in the config.
    pub(crate) series: Vec<MetricSeries>,
}

/// A benchmark's metric in one scope on one machine type.
pub(crate) struct MetricSeries {
    /// The index of the series' scope in [`Collected::scopes`].
    pub(crate) scope: usize,
    /// The index of the series' machine type in [`Collected::machines`].
    pub(crate) machine: usize,
    /// The benchmark's key.
    pub(crate) scenario: Name,
    pub(crate) metric: Arc<Metric>,
    /// The gate's rule for the metric. `None` if the metric is gated relative to another benchmark.
    pub(crate) rule: Option<Rule>,
    /// The index of each value's run, oldest run first.
    pub(crate) runs: Vec<usize>,
    pub(crate) values: Vec<Value>,
    /// The gate's verdict on the newest run. `None` if the newest run has no earlier run to be compared with.
    pub(crate) judged: Option<MetricComparison>,
}

pub(crate) fn collect(snapshots: &[Snapshot], config: &Config, filter: &Filter) -> Collected {
    let parts: Vec<(&Snapshot, Cow<'_, [Row]>)> = snapshots
        .iter()
        .flat_map(|snapshot| {
            parts(&snapshot.rows)
                .into_iter()
                .map(move |rows| (snapshot, rows))
        })
        .collect();
    let mut collector = Collector {
        config,
        thresholds: Thresholds::of(config),
        filter,
        runs: CommitRuns::default(),
        scenarios: IndexMap::new(),
        earlier: EarlierRuns::default(),
    };
    for (snapshot, rows) in &parts {
        collector.add(snapshot, rows);
    }
    collector.finish()
}

/// Splits the rows by commit, machine type and methodology.
fn parts(rows: &[Row]) -> Vec<Cow<'_, [Row]>> {
    let of = |row: &Row| {
        (
            row.commit.clone(),
            row.machine_class.clone(),
            row.methodology.clone(),
        )
    };
    let Some(first) = rows.first().map(of) else {
        return Vec::new();
    };
    if rows.iter().all(|row| of(row) == first) {
        return vec![Cow::Borrowed(rows)];
    }
    let mut parts: IndexMap<_, Vec<Row>> = IndexMap::new();
    for row in rows {
        parts.entry(of(row)).or_default().push(row.clone());
    }
    parts.into_values().map(Cow::Owned).collect()
}

struct Collector<'c> {
    config: &'c Config,
    thresholds: Thresholds,
    filter: &'c Filter,
    runs: CommitRuns,
    scenarios: IndexMap<(String, Name), Vec<SeriesPlace<'c>>>,
    earlier: EarlierRuns<'c>,
}

/// A benchmark's measurements in a scope that are comparable, because they have the same machine type and methodology.
#[derive(Default)]
struct SeriesPlace<'c> {
    machine: Option<Name>,
    method: Option<String>,
    /// The runs added so far.
    runs: HashSet<usize>,
    newest: Newest<'c>,
    metrics: IndexMap<Name, Track>,
}

/// A metric's values in a [`SeriesPlace`].
struct Track {
    metric: Arc<Metric>,
    rule: Option<Rule>,
    points: Vec<(usize, Value)>,
}

impl<'c> Collector<'c> {
    /// Adds rows that have the same commit, machine type and methodology.
    fn add(&mut self, snapshot: &Snapshot, rows: &'c [Row]) {
        let mut new = None;
        let suite = Suite::new(rows, self.config, self.filter);
        for scope in &suite.scopes {
            for measured in &scope.measurements {
                let key = (scope.name.to_owned(), Name::clone(measured.scenario));
                let commit = if measured.commit().is_empty() {
                    &*snapshot.commit
                } else {
                    measured.commit()
                };
                let date = measured
                    .rows
                    .first()
                    .and_then(|row| row.measured_at)
                    .or(snapshot.date);
                let run = self.runs.place(commit, date);
                let method = measured
                    .methodology()
                    .map(without_toolchain)
                    .filter(|method| !method.is_empty());
                let place = place(
                    self.scenarios.entry(key).or_default(),
                    measured.machine_class(),
                    method,
                );
                if place.runs.insert(run)
                    && place.measure(run, measured, self.config, &self.thresholds)
                {
                    place.newest.add(run, date, &measured.rows);
                    new = Some(run);
                }
            }
        }
        if let Some(run) = new {
            self.earlier.add(run, suite);
        }
    }

    fn finish(self) -> Collected {
        let mut judge = Judge::new(self.config, self.filter, self.thresholds, &self.earlier);
        for ((scope, scenario), alike) in &self.scenarios {
            for (at, place) in alike.iter().enumerate() {
                let id = (scope.clone(), Name::clone(scenario), at);
                judge.add(
                    id,
                    &place.newest,
                    place.machine.as_deref(),
                    place.method.as_deref(),
                );
            }
        }
        let mut judged = judge.judged();
        let (runs, places) = self.runs.in_order();
        let mut collected = Collected {
            runs,
            scopes: IndexSet::new(),
            machines: IndexSet::new(),
            series: Vec::new(),
        };
        let methods: HashSet<_> = self
            .scenarios
            .values()
            .flatten()
            .map(|place| &place.method)
            .collect();
        let shows_method = methods.len() > 1;
        let mut scenarios: Vec<_> = self.scenarios.iter().collect();
        let scope = |name: &str| {
            self.config
                .scopes
                .iter()
                .position(|scope| &*scope.name == name)
        };
        let appeared: IndexSet<&str> = scenarios
            .iter()
            .map(|((scope, _), _)| scope.as_str())
            .collect();
        scenarios.sort_by_cached_key(|((name, scenario), _)| {
            let rank = self.config.rank(scenario);
            (scope(name), appeared.get_index_of(name.as_str()), rank)
        });
        for ((scope, scenario), alike) in scenarios {
            for (at, place) in alike.iter().enumerate() {
                let machine = place.conditions(shows_method);
                let id = (scope.clone(), Name::clone(scenario), at);
                let mut judged = judged.remove(&id).unwrap_or_default();
                for track in place.metrics.values() {
                    let mut points: Vec<(usize, Value)> = track
                        .points
                        .iter()
                        .map(|(run, value)| (places[*run], *value))
                        .collect();
                    points.sort_by_key(|(run, _)| *run);
                    let (runs, values) = points.into_iter().unzip();
                    collected.series.push(MetricSeries {
                        scope: collected.scopes.insert_full(scope.clone()).0,
                        machine: collected.machines.insert_full(machine.clone()).0,
                        scenario: Name::clone(scenario),
                        metric: Arc::clone(&track.metric),
                        rule: track.rule,
                        judged: judged.remove(&track.metric.name),
                        runs,
                        values,
                    });
                }
            }
        }
        collected
    }
}

/// Returns the group with the same machine type and methodology. If no such group exists, returns the only group that
/// does not contradict the known facts, and fills in the facts that were unknown there. If there is not exactly one,
/// adds a group.
fn place<'p, 'c>(
    places: &'p mut Vec<SeriesPlace<'c>>,
    machine: Option<&str>,
    method: Option<String>,
) -> &'p mut SeriesPlace<'c> {
    let agrees = |known: Option<&str>, stated: Option<&str>| {
        known.is_none() || stated.is_none() || known == stated
    };
    let mut same = None;
    let mut fits = Vec::new();
    for (at, place) in places.iter().enumerate() {
        let known = (place.machine.as_deref(), place.method.as_deref());
        if known == (machine, method.as_deref()) {
            same = Some(at);
        }
        if agrees(known.0, machine) && agrees(known.1, method.as_deref()) {
            fits.push(at);
        }
    }
    let at = match (same, &fits[..]) {
        (Some(at), _) => at,
        (None, [only]) => *only,
        _ => {
            places.push(SeriesPlace::default());
            places.len() - 1
        }
    };
    let place = &mut places[at];
    place.machine = place.machine.take().or_else(|| machine.map(Name::from));
    place.method = place.method.take().or(method);
    place
}

impl SeriesPlace<'_> {
    /// Adds a run's values, and returns whether it did. Values without a commit are not added if they equal the last ones,
    /// because they may be a copy of the last run.
    fn measure(
        &mut self,
        run: usize,
        measured: &Measurement<'_>,
        config: &Config,
        thresholds: &Thresholds,
    ) -> bool {
        let results: Vec<(Arc<Metric>, Value)> = measured
            .results(config)
            .into_iter()
            .filter(|metric| measured.source_of(metric, config).is_none())
            .filter_map(|metric| measured.value(&metric, config).map(|value| (metric, value)))
            .collect();
        let last = |name: &Name| self.metrics.get(name).and_then(|track| track.points.last());
        let is_copy = |(metric, value): &(Arc<Metric>, Value)| {
            last(&metric.name).is_some_and(|(_, last)| last == value)
        };
        if measured.commit().is_empty() && results.iter().all(is_copy) {
            return false;
        }
        for (metric, value) in results {
            let rule = rule_of(config, thresholds, &metric, measured);
            let track = self
                .metrics
                .entry(Name::clone(&metric.name))
                .or_insert_with(|| Track {
                    metric: Arc::clone(&metric),
                    rule,
                    points: Vec::new(),
                });
            track.rule = rule;
            track.points.push((run, value));
        }
        true
    }

    fn conditions(&self, shows_method: bool) -> String {
        let method = self.method.as_deref().filter(|_| shows_method);
        self.machine
            .as_deref()
            .into_iter()
            .chain(method)
            .collect::<Vec<_>>()
            .join(" · ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collected(config: &str, csv: &str) -> String {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), csv).unwrap();
        let config = Config::parse(config).unwrap();
        let snapshots = perf_cli::load::history::snapshots(file.path(), &config).unwrap();
        let collected = collect(&snapshots, &config, &Filter::default());
        let series = collected.series.iter().map(|series| {
            let commit = |(run, value): (&usize, &Value)| {
                format!(" {}={value}", collected.runs[*run].commit)
            };
            let points: String = series.runs.iter().zip(&series.values).map(commit).collect();
            let [scope, machine] = [
                &collected.scopes[series.scope],
                &collected.machines[series.machine],
            ];
            format!(
                "{scope}|{machine}|{}|{}:{points}",
                series.scenario, series.metric.name
            )
        });
        series.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn machine_classes_are_series_of_their_own() {
        let csv = "scenario,platform,commit,date,machineClass,wallNs\n\
                   A,linux,a1,2031-01-01,epyc,10\nA,linux,a1,2031-01-01,xeon,20\n\
                   A,linux,a2,2031-01-02,epyc,11\nA,linux,a2,2031-01-02,xeon,21\n";
        insta::assert_snapshot!(collected("", csv), @"
        linux|epyc|A|wallNs: a1=10 a2=11
        linux|xeon|A|wallNs: a1=20 a2=21
        ");
    }

    #[test]
    fn rows_without_a_machine_belong_to_the_only_one() {
        let csv = "scenario,platform,commit,date,machineClass,wallNs\n\
                   A,linux,a1,2031-01-01,,10\nA,linux,a2,2031-01-02,epyc,11\n";
        insta::assert_snapshot!(collected("", csv), @"linux|epyc|A|wallNs: a1=10 a2=11");
    }

    #[test]
    fn a_commit_counts_once_and_dates_decide_the_order() {
        let csv = "scenario,platform,commit,date,wallNs,allocs\n\
                   A,linux,a2,2031-01-02,12,-1\nA,linux,a1,2031-01-01,10,3\nA,linux,a1,2031-01-03,99,9\n";
        insta::assert_snapshot!(collected("", csv), @"
        linux||A|wallNs: a1=10 a2=12
        linux||A|allocs: a1=3
        ");
    }

    #[test]
    fn a_history_is_of_the_runs_of_its_benchmark() {
        let row = |name: &str, run: u32| {
            format!(
                "{name},linux,{run:07x},2031-{:02}-{:02},{}\n",
                1 + run / 28,
                1 + run % 28,
                100 + run % 3
            )
        };
        let nightly = |run: u32| {
            if run.is_multiple_of(7) {
                row("Nightly", run)
            } else {
                String::new()
            }
        };
        let rows: String = (0..200)
            .map(|run| row("Often", run) + &nightly(run))
            .collect();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(
            file.path(),
            format!("scenario,platform,commit,date,wallNs\n{rows}"),
        )
        .unwrap();
        let config = Config::parse("history = { last = 20 }").unwrap();
        let snapshots = perf_cli::load::history::snapshots(file.path(), &config).unwrap();
        let collected = collect(&snapshots, &config, &Filter::default());
        let used = |name: &str| {
            let series = collected
                .series
                .iter()
                .find(|series| *series.scenario == *name)
                .unwrap();
            series.judged.as_ref().unwrap().band.unwrap().values
        };
        assert_eq!((used("Nightly"), used("Often")), (20, 20));
    }

    #[test]
    fn series_are_in_the_order_of_the_config() {
        let config = "[[scopes]]\nname = \"Fast\"\nplatform = \"fast\"\n[[scopes]]\nname = \"Slow\"\nplatform = \"slow\"\n\
                      [[scenarios]]\nkey = \"B\"\n[[scenarios]]\nkey = \"A\"\n";
        let csv = "scenario,platform,commit,wallNs\nA,slow,a1,1\nA,fast,a1,2\nB,slow,a1,3\n";
        insta::assert_snapshot!(collected(config, csv), @"
        Fast||A|wallNs: a1=2
        Slow||B|wallNs: a1=3
        Slow||A|wallNs: a1=1
        ");
    }
}
