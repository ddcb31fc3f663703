//! A tenfold cost never passes silently, in any tried combination of data, suites, workflows and configs.
//!
//! Each combination must be regressed, inconclusive, not comparable because another machine measured it, or listed:
//! among the metrics that cannot fail, or in the headline as a large change without a gate.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use perf_verdict::Verdict;

use crate::layers::case::{Case, noise};

/// A name, the number of earlier values, and each value's cost.
type Data = (&'static str, usize, fn(usize) -> f64);

const DATA: [Data; 9] = [
    ("one value", 0, |_| 1.0),
    ("four values", 4, noise),
    ("four values, one as bad", 4, |at| {
        if at == 1 { 11.0 } else { noise(at) }
    }),
    ("nine values, one as bad", 9, |at| {
        if at == 4 { 11.0 } else { noise(at) }
    }),
    ("a quiet history", 30, noise),
    ("a noisy history", 30, |at| {
        [1.0, 2.0, 1.4, 0.7, 1.1][at % 5]
    }),
    ("a history with one as bad", 30, |at| {
        if at == 20 { 11.0 } else { noise(at) }
    }),
    ("a history that became faster", 30, |at| {
        if at < 20 { 20.0 * noise(at) } else { noise(at) }
    }),
    ("a history of two levels", 30, |at| {
        if at % 3 == 0 { 20.0 } else { noise(at) }
    }),
];

/// All keys that widen limits, require more evidence, or remove gates.
const CONFIGS: [(&str, &str); 17] = [
    ("defaults", ""),
    ("suspects fail", "[history]\nsuspects = 'fail'\n"),
    ("a long history", "[history]\nleast = 100\nlast = 200\n"),
    ("a short history", "[history]\nleast = 5\nlast = 5\n"),
    ("a wide tolerance", "[deltas]\ntolerance = 20.0\n"),
    ("a chosen limit", "[deltas]\nlimit = '200%'\n"),
    ("a limit above", "[deltas]\nlimit = '1500%'\n"),
    (
        "only missing ones fail",
        "[deltas]\nfail-on = ['missing']\n",
    ),
    (
        "a gate's limit",
        "[[gates]]\nmetric = '*'\nrule = 'limit'\nlimit = '500%'\n",
    ),
    (
        "a gate's limit above",
        "[[gates]]\nmetric = '*'\nrule = 'limit'\nlimit = '1500%'\n",
    ),
    (
        "a minimum below",
        "[[gates]]\nmetric = '*'\nrule = 'limit'\nfloor = '100 us'\n",
    ),
    (
        "a minimum above",
        "[[gates]]\nmetric = '*'\nrule = 'limit'\nfloor = '1 s'\n",
    ),
    (
        "a budget as well",
        "[[gates]]\nmetric = 'timeNs'\nmax = '1 s'\n",
    ),
    (
        "a gate on another",
        "[[gates]]\nmetric = 'energyJ'\nrule = 'limit'\nonly = true\n",
    ),
    ("no rule", "[[gates]]\nmetric = 'timeNs'\nrule = 'none'\n"),
    ("no gates", "gates = []\n"),
    (
        "a waiver",
        "[[waivers]]\nscenario = 's*'\nreason = 'x'\nby = 'me'\nuntil = 2026-12-31\n",
    ),
];

/// The data that a workflow adds to the history.
#[derive(Clone, Copy, PartialEq)]
enum Workflow {
    NoSecondRun,
    SameJob,
    OtherRunner,
    SecondLook,
    Launches,
    Pairs,
}

const WORKFLOWS: [(&str, Workflow); 6] = [
    ("no second run", Workflow::NoSecondRun),
    ("confirmed in the same job", Workflow::SameJob),
    ("confirmed on another runner", Workflow::OtherRunner),
    ("a second look", Workflow::SecondLook),
    ("launches", Workflow::Launches),
    ("pairs", Workflow::Pairs),
];

/// A run with these costs, converted to another metric, with several process runs each.
fn as_metric(metric: &str, commit: &str, costs: &[f64], launches: usize) -> String {
    let mut text = format!("scenario,platform,commit,runIndex,{metric}\n");
    for (at, cost) in costs.iter().enumerate() {
        for launch in 0..launches {
            let cost = cost * if launches > 1 { noise(launch) } else { 1.0 };
            let value = if metric == "opsPerSecond" {
                1e6 / cost
            } else {
                cost.round()
            };
            let run = if launches > 1 {
                launch.to_string()
            } else {
                "-1".to_owned()
            };
            let _ = writeln!(text, "s{at},P,{commit},{run},{value}");
        }
    }
    text
}

/// How the first row ends after a tenfold change; `None` for a regression.
fn end(case: &Case) -> Option<String> {
    let compared = case.compared();
    let first = &compared.scopes[0].scenarios[0];
    let metric = &first.metrics[0];
    let is_blind = compared
        .blind
        .iter()
        .any(|blind| blind.scenario == first.scenario);
    match metric.judgement.verdict {
        _ if is_blind => Some("named".to_owned()),
        Verdict::Moved if metric.judgement.is_unguarded => Some("in the headline".to_owned()),
        Verdict::Regressed => None,
        verdict => Some(format!("{verdict:?}")),
    }
}

/// The combinations that do not end as a regression, in a suite of this size, if one row or all rows change.
fn other_ends(
    metric: &str,
    rows: usize,
    all: bool,
    workflows: &[(&str, Workflow)],
) -> BTreeSet<String> {
    let mut ends = BTreeSet::new();
    for ((config, text), (data, values, level)) in CONFIGS
        .iter()
        .flat_map(|config| DATA.map(|data| (config, data)))
    {
        for (how, workflow) in workflows {
            let launches = match workflow {
                Workflow::Pairs => 20,
                Workflow::Launches => 8,
                _ => 1,
            };
            let costs = |level: f64| vec![100_000.0 * level; rows];
            let mut now = costs(if all { 10.0 } else { 1.0 });
            now[0] = 1_000_000.0;
            let earlier = |at: usize| as_metric(metric, &format!("c{at}"), &costs(level(at)), 1);
            let history: Vec<String> = (0..values).map(earlier).collect();
            let last = values.checked_sub(1).map_or(1.0, level);
            let current = as_metric(metric, "now", &now, launches);
            let confirmation_runs = vec![current.clone(); 3];
            let none = Vec::new;
            let is_repeated = matches!(workflow, Workflow::SameJob | Workflow::SecondLook);
            let case = Case {
                config: (*text).to_owned(),
                current,
                baseline: as_metric(
                    metric,
                    &format!("c{}", values.saturating_sub(1)),
                    &costs(last),
                    launches,
                ),
                history: if *workflow == Workflow::Pairs {
                    none()
                } else {
                    history
                },
                confirmation_runs: if is_repeated {
                    confirmation_runs.clone()
                } else {
                    none()
                },
                elsewhere: if *workflow == Workflow::OtherRunner {
                    confirmation_runs
                } else {
                    none()
                },
                paired: *workflow == Workflow::Pairs,
                is_rerun: *workflow == Workflow::SecondLook,
                ..Case::default()
            };
            ends.extend(end(&case).map(|end| format!("{end}: {config}, {data}, {how}")));
        }
    }
    ends
}

/// The endings that a reader of the report would take for a pass.
fn green(ends: &BTreeSet<String>) -> Vec<&String> {
    let is_known = |end: &&String| {
        ["Inconclusive", "named", "in the headline"]
            .iter()
            .any(|known| end.starts_with(known))
    };
    ends.iter().filter(|end| !is_known(end)).collect()
}

#[test]
#[ignore = "judges thousands of combinations: `.ci/run slow`"]
fn tenfold_metric_never_passes_silently() {
    for metric in ["opsPerSecond", "peakBytes", "allocs", "instructions"] {
        assert_eq!(
            green(&other_ends(metric, 1, false, &WORKFLOWS)),
            Vec::<&String>::new(),
            "{metric}"
        );
    }
}

#[test]
#[ignore = "judges thousands of combinations: `.ci/run slow`"]
fn tenfold_time_never_passes_silently() {
    let mut ends = other_ends("timeNs", 1, false, &WORKFLOWS);
    for all in [false, true] {
        ends.extend(other_ends("timeNs", 13, all, &WORKFLOWS[..2]));
    }
    assert_eq!(green(&ends), Vec::<&String>::new());
    let is_always = |config: &str, how: &str| {
        DATA.iter()
            .all(|(data, ..)| ends.contains(&format!("{how}: {config}, {data}, no second run")))
    };
    let always = |how: &str| -> Vec<&str> {
        CONFIGS
            .iter()
            .map(|(config, _)| *config)
            .filter(|config| is_always(config, how))
            .collect()
    };
    let (named, headline) = (always("named"), always("in the headline"));
    let mut rest: BTreeMap<String, [BTreeSet<&str>; 2]> = BTreeMap::new();
    for end in ends.iter().filter(|end| {
        !named
            .iter()
            .chain(&headline)
            .any(|known| end.contains(&format!(": {known},")))
    }) {
        let (how, place) = end.split_once(": ").unwrap();
        let (config, place) = place.split_once(", ").unwrap();
        let (data, workflow) = place.rsplit_once(", ").unwrap();
        let [configs, workflows] = rest.entry(format!("{how}, {data}")).or_default();
        configs.insert(config);
        workflows.insert(workflow);
    }
    let list = |words: &BTreeSet<&str>| words.iter().copied().collect::<Vec<_>>().join(", ");
    let rest = rest.iter().map(|(end, [configs, workflows])| {
        format!("{end}:\n  {}\n  {}", list(configs), list(workflows))
    });
    let rest = rest.collect::<Vec<_>>().join("\n");
    let always = format!(
        "always named: {}\nalways in the headline: {}",
        named.join(", "),
        headline.join(", ")
    );
    insta::assert_snapshot!(format!("{always}\n{rest}"), @r#"
    always named: a limit above, only missing ones fail, a gate's limit above, a minimum above, a gate on another, no rule, no gates, a waiver
    always in the headline: 
    Inconclusive, a history of two levels:
      a budget as well, a long history
      a second look, confirmed in the same job, confirmed on another runner, launches, no second run
    Inconclusive, a history that became faster:
      a long history
      launches, no second run
    Inconclusive, a history with one as bad:
      a budget as well, a chosen limit, a gate's limit, a long history, a minimum below, a wide tolerance, defaults
      launches, no second run
    Inconclusive, four values, one as bad:
      a budget as well, a chosen limit, a gate's limit, a long history, a minimum below, a short history, a wide tolerance, defaults
      launches, no second run
    Inconclusive, nine values, one as bad:
      a budget as well, a chosen limit, a gate's limit, a long history, a minimum below, a short history, a wide tolerance, defaults
      launches, no second run
    named, a history of two levels:
      a chosen limit, a gate's limit, a minimum below, a short history, a wide tolerance, defaults, suspects fail
      a second look, confirmed in the same job, confirmed on another runner, launches, no second run
    "#);
}

#[test]
fn tenfold_percentile_never_passes_silently() {
    let run = |commit: &str, latency: u32, requests: u32| {
        format!(
            "scenario,platform,commit,runIndex,timeNs,METRIC,requests\ns0,P,{commit},-1,100,{latency},{requests}\n"
        )
    };
    let mut ends = Vec::new();
    for metric in ["latencyP99Ms", "latencyP50Ms", "latencyMaxMs"] {
        for (requests, earlier) in [(8, 0), (8, 30), (8_000, 0), (8_000, 30)] {
            let named = |csv: String| csv.replace("METRIC", metric);
            let history: Vec<String> = (0..earlier)
                .map(|at| named(run(&format!("c{at}"), 50, requests)))
                .collect();
            let (current, baseline) = (
                named(run("now", 500, requests)),
                named(run("c29", 50, requests)),
            );
            let compared = Case {
                current,
                baseline,
                history,
                ..Case::default()
            }
            .compared();
            let moved = compared
                .metrics()
                .find(|found| *found.metric.name == *metric)
                .unwrap();
            let is_headline = if moved.judgement.is_unguarded {
                ", in the headline"
            } else {
                ""
            };
            ends.push(format!(
                "{metric} of {requests}, {earlier} earlier: {:?}{is_headline}",
                moved.judgement.verdict
            ));
        }
    }
    // A disturbance of a single value slows the maximum, so only a history shows that the maximum was never as slow.
    insta::assert_snapshot!(ends.join("\n"), @r#"
    latencyP99Ms of 8, 0 earlier: Moved, in the headline
    latencyP99Ms of 8, 30 earlier: Moved, in the headline
    latencyP99Ms of 8000, 0 earlier: Regressed
    latencyP99Ms of 8000, 30 earlier: Regressed
    latencyP50Ms of 8, 0 earlier: Moved, in the headline
    latencyP50Ms of 8, 30 earlier: Moved, in the headline
    latencyP50Ms of 8000, 0 earlier: Regressed
    latencyP50Ms of 8000, 30 earlier: Regressed
    latencyMaxMs of 8, 0 earlier: Moved
    latencyMaxMs of 8, 30 earlier: Moved, in the headline
    latencyMaxMs of 8000, 0 earlier: Moved
    latencyMaxMs of 8000, 30 earlier: Moved, in the headline
    "#);
}

#[test]
fn a_time_that_moves_ten_times_on_a_new_machine_is_not_comparable() {
    let on = |class: &str, csv: String| {
        csv.replace("timeNs\n", "timeNs,machineClass\n")
            .trim_end()
            .to_owned()
            + &format!(",{class}\n")
    };
    let run =
        |commit: &str, time: f64, class: &str| on(class, as_metric("timeNs", commit, &[time], 1));
    let verdict = |classes: fn(usize) -> &'static str, baseline: &str| {
        let history: Vec<String> = (0..30)
            .map(|at| run(&format!("c{at}"), 1e5, classes(at)))
            .collect();
        let (current, baseline) = (run("now", 1e6, "new"), run("c30", 1e5, baseline));
        let compared = Case {
            current,
            baseline,
            history,
            ..Case::default()
        }
        .compared();
        let tally = compared.tally();
        let judged = compared.metrics().next().unwrap().judgement.verdict;
        (judged, tally.compared, tally.other_machine)
    };
    assert_eq!(verdict(|_| "old", "old"), (Verdict::NotComparable, 0, 1));
    // A benchmark is compared with its own values, however old they are.
    assert_eq!(
        verdict(|at| if at < 3 { "new" } else { "old" }, "old"),
        (Verdict::Regressed, 1, 0)
    );
    assert_eq!(
        verdict(|at| if at < 20 { "new" } else { "old" }, "old"),
        (Verdict::Regressed, 1, 0)
    );
    assert_eq!(verdict(|_| "old", "new"), (Verdict::Regressed, 1, 0));
}
