//! The replay of each run agrees with a comparison on that day, given the same rows.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use calibrate::plan::GateWorkflow;
use calibrate::rate::GROWTHS;
use calibrate::replay::{Replay, replay};
use calibrate::runs::{RunHistory, ScenarioChoice};
use calibrate::{load, power};
use perf_config::Config;
use perf_model::row::{Name, Row, Value};
use perf_model::suite::{Filter, Suite};
use perf_verdict::{Comparison, Rule, Sides, Thresholds, Verdict, compare};
use tempfile::TempDir;

use crate::{folder, unlucky};

/// For each scenario, the row at this index among its rows in these runs.
fn nth<'h>(runs: impl Iterator<Item = &'h [Row]>, of: &[Row], place: usize) -> Vec<Row> {
    let all: Vec<&Row> = runs.flatten().collect();
    let found = of.iter().filter_map(|row| {
        let mut same = all
            .iter()
            .filter(|other| other.scenario == row.scenario && other.platform == row.platform);
        same.nth(place).map(|other| (*other).clone())
    });
    found.collect()
}

fn slower(rows: &[Row], scenario: &str, growth: f64) -> Vec<Row> {
    let mut rows = rows.to_vec();
    for row in rows.iter_mut().filter(|row| *row.scenario == *scenario) {
        let slower = |value: Value| Value::new(value.as_f64() * (1.0 + growth)).unwrap();
        row.metrics = row
            .metrics
            .iter()
            .map(|(name, value)| (Name::clone(name), slower(value)))
            .collect();
    }
    rows
}

/// The comparison of a run on that day, with or without its confirmation run.
fn on_the_day(
    history: &RunHistory,
    at: usize,
    confirmed: bool,
    growth: Option<(&str, f64)>,
) -> Comparison {
    let config = Config::default();
    let rows = |at: usize| &*history.runs[at].rows;
    let moved = |rows: &[Row]| {
        growth.map_or_else(|| rows.to_vec(), |(row, growth)| slower(rows, row, growth))
    };
    let current = moved(rows(at));
    let baseline = nth((0..at).rev().map(rows), rows(at), 0);
    let confirmation_runs = if confirmed {
        moved(&nth((at + 1..history.runs.len()).map(rows), rows(at), 0))
    } else {
        vec![]
    };
    let earlier: Vec<Suite<'_>> = (0..at)
        .map(|at| Suite::new(rows(at), &config, &Filter::default()))
        .collect();
    let [current, baseline, confirmation_runs] = [&current, &baseline, &confirmation_runs]
        .map(|rows| Suite::new(rows, &config, &Filter::default()));
    let confirmation_runs = if confirmed {
        vec![confirmation_runs]
    } else {
        vec![]
    };
    let sides = Sides {
        history: &earlier,
        confirmation_runs: &confirmation_runs,
        ..Sides::new(&current, &baseline)
    };
    compare(&sides, &config, Thresholds::of(&config))
}

fn regressed(comparison: &Comparison) -> BTreeSet<String> {
    let scenarios = comparison.scopes.iter().flat_map(|scope| &scope.scenarios);
    let is_regressed = |verdict| verdict == Verdict::Regressed;
    let failing = scenarios.filter(|one| {
        one.metrics
            .iter()
            .any(|metric| is_regressed(metric.judgement.verdict))
    });
    failing.map(|one| one.scenario.to_string()).collect()
}

/// A history of eight rows with a time and a count. One row starts late, and one is missing in every third run.
fn history(folder: &TempDir) -> RunHistory {
    let mut text = String::new();
    for (at, line) in unlucky().lines().enumerate() {
        let commit = at.saturating_sub(1) / 8;
        let is_left_out = (line.starts_with("row6") && commit < 30)
            || (line.starts_with("row7") && commit % 3 == 1);
        let count = if at == 0 {
            "allocations".to_owned()
        } else {
            (2 + commit / 25).to_string()
        };
        if !is_left_out {
            let _ = writeln!(text, "{line},{count}");
        }
    }
    let path = folder.path().join("day.csv");
    std::fs::write(&path, text).unwrap();
    load::history(&path, &Config::default(), &ScenarioChoice::default()).unwrap()
}

fn flagged(replay: &Replay, at: &str, workflow: GateWorkflow) -> BTreeSet<String> {
    let pull = replay
        .pull_requests
        .iter()
        .find(|pull| *pull.commit == *at)
        .unwrap();
    pull.flags(workflow)
        .map(|flag| flag.place.scenario.to_string())
        .collect()
}

#[test]
fn replay_agrees_with_comparisons_on_the_day() {
    let folder = folder();
    let history = history(&folder);
    let config = Config::default();
    let replay = replay(&history, &power::plan(&config, Some(100), 1));
    assert_eq!(replay.pull_requests.len(), 41);
    let mut found = [0; 2];
    let mut flags = 0;
    for pull in &replay.pull_requests {
        let at = history
            .runs
            .iter()
            .position(|run| run.name == pull.commit)
            .unwrap();
        for (workflow, confirmed) in [
            (GateWorkflow::Signals, false),
            (GateWorkflow::OtherRunner, true),
        ] {
            let expected = regressed(&on_the_day(&history, at, confirmed, None));
            flags += expected.len();
            assert_eq!(
                flagged(&replay, &pull.commit, workflow),
                expected,
                "{} {workflow:?}",
                pull.commit
            );
            for row in &history.runs[at].rows {
                let is_later = history.runs[at + 1..].iter().flat_map(|run| &run.rows);
                let is_early = nth(
                    (0..at).map(|at| &*history.runs[at].rows),
                    std::slice::from_ref(row),
                    0,
                )
                .is_empty();
                if is_early
                    || is_later
                        .filter(|other| other.scenario == row.scenario)
                        .count()
                        == 0
                {
                    continue;
                }
                let judged = on_the_day(&history, at, confirmed, Some((&row.scenario, 0.33)));
                let metrics = judged
                    .scopes
                    .iter()
                    .flat_map(|scope| &scope.scenarios)
                    .filter(|one| one.scenario == row.scenario)
                    .flat_map(|one| &one.metrics);
                let mut timed = metrics.filter(|one| matches!(one.judgement.rule, Rule::Limit(_)));
                found[usize::from(confirmed)] +=
                    u64::from(timed.any(|one| one.judgement.verdict == Verdict::Regressed));
            }
        }
    }
    assert!(flags > 8, "{flags}");
    let rates = [GateWorkflow::Signals, GateWorkflow::OtherRunner]
        .map(|workflow| replay.record(workflow).found_at(GROWTHS[4]).rate.hits);
    assert_eq!(rates, found);
    assert!(found[0] > 0 && found[1] > found[0]);
}
