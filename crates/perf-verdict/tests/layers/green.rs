//! A tenfold cost is never green: all combinations of data, suites and configs that were tried.
//!
//! Each ends as a regression, or inconclusive, or among the metrics that cannot fail, which reports name.

use perf_verdict::Verdict;

use crate::case::{Case, noise, run};

/// A name, the number of earlier values, and the cost in each.
type Data = (&'static str, usize, fn(usize) -> f64);

const DATA: [Data; 8] = [
    ("one value", 0, |_| 1.0),
    ("four values", 4, noise),
    ("four values, one as bad", 4, |at| if at == 1 { 11.0 } else { noise(at) }),
    ("a quiet history", 30, noise),
    ("a noisy history", 30, |at| [1.0, 2.0, 1.4, 0.7, 1.1][at % 5]),
    ("a history with one as bad", 30, |at| if at == 20 { 11.0 } else { noise(at) }),
    ("a history that became faster", 30, |at| if at < 20 { 20.0 * noise(at) } else { noise(at) }),
    ("a history of two levels", 30, |at| if at % 3 == 0 { 20.0 } else { noise(at) }),
];

const CONFIGS: [(&str, &str); 8] = [
    ("defaults", ""),
    ("suspects fail", "[history]\nsuspects = 'fail'\n"),
    ("a ratchet", "[history]\nratchet = 0.1\n"),
    ("a chosen limit", "[deltas]\nlimit = '200%'\n"),
    ("a limit above", "[deltas]\nlimit = '1500%'\n"),
    ("a minimum above", "[[gates]]\nmetric = '*'\nrule = 'limit'\nfloor = '1 s'\n"),
    ("a gate on another", "[[gates]]\nmetric = 'energyJ'\nrule = 'limit'\nonly = true\n"),
    ("only missing ones fail", "[deltas]\nfail-on = ['missing']\n"),
];

/// A run whose costs are these times, as another metric.
fn as_metric(metric: &str, commit: &str, costs: &[f64]) -> String {
    let is_rate = metric == "opsPerSecond";
    let values: Vec<f64> = costs.iter().map(|cost| if is_rate { 1e6 / cost } else { cost.round() }).collect();
    run(commit, &values).replace("timeNs", metric)
}

/// The verdict on the first row, which moved ten times, and whether a report names it among those that cannot fail.
fn outcome(case: &Case) -> (Verdict, bool) {
    let compared = case.compared();
    let first = &compared.scopes[0].scenarios[0];
    (first.metrics[0].judgement.verdict, compared.blind.iter().any(|blind| blind.scenario == first.scenario))
}

/// The combinations that do not end as a regression, in suites of these sizes, of which one row or all move.
fn other_ends(metric: &str, sizes: &[usize]) -> Vec<String> {
    let mut ends = Vec::new();
    for (config, text) in CONFIGS {
        for (data, values, level) in DATA {
            let ways = sizes
                .iter()
                .flat_map(|rows| [(*rows, false, false), (*rows, true, false), (*rows, false, true)]);
            for (rows, all, confirmed) in ways {
                let costs = |level: f64| vec![100_000.0 * level; rows];
                let mut now = costs(if all { 10.0 } else { 1.0 });
                now[0] = 1_000_000.0;
                let history: Vec<String> =
                    (0..values).map(|at| as_metric(metric, &format!("c{at}"), &costs(level(at)))).collect();
                let usual = as_metric(metric, "c0", &costs(1.0));
                let current = as_metric(metric, "now", &now);
                let baseline = history.last().unwrap_or(&usual).clone();
                let repeats = vec![current.clone(); if confirmed { 3 } else { 0 }];
                let case =
                    Case { config: text.to_owned(), current, baseline, history, repeats, ..Case::default() };
                let (verdict, is_named) = outcome(&case);
                let how = if confirmed { "confirmed" } else { "not confirmed" };
                match verdict {
                    _ if is_named => ends.push(format!("named: {config}, {data}")),
                    Verdict::Regressed => {}
                    _ => ends.push(format!("{verdict:?}: {config}, {data}, {how}")),
                }
            }
        }
    }
    ends.sort();
    ends.dedup();
    ends
}

#[test]
fn nothing_that_moves_ten_times_is_green() {
    let is_green = |end: &&String| !end.starts_with("Inconclusive") && !end.starts_with("named");
    for metric in ["opsPerSecond", "peakBytes", "allocs", "instructions"] {
        let ends = other_ends(metric, &[1]);
        assert_eq!(ends.iter().filter(is_green).collect::<Vec<_>>(), Vec::<&String>::new(), "{metric}");
    }
    let ends = other_ends("timeNs", &[1, 13]);
    assert_eq!(ends.iter().filter(is_green).collect::<Vec<_>>(), Vec::<&String>::new());
    let always =
        |config: &&str| DATA.iter().all(|(data, ..)| ends.contains(&format!("named: {config}, {data}")));
    let always: Vec<&str> =
        CONFIGS.map(|(config, _)| config).into_iter().filter(|config| always(config)).collect();
    let rest = ends.iter().filter(|end| !always.iter().any(|config| end.contains(config)));
    let rest = rest.map(String::as_str).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(format!("always named: {}\n{rest}", always.join(", ")), @"
    always named: a limit above, a minimum above, a gate on another, only missing ones fail
    Inconclusive: a chosen limit, a history with one as bad, not confirmed
    Inconclusive: a chosen limit, four values, one as bad, not confirmed
    Inconclusive: a ratchet, a history with one as bad, not confirmed
    Inconclusive: a ratchet, four values, one as bad, not confirmed
    Inconclusive: defaults, a history with one as bad, not confirmed
    Inconclusive: defaults, four values, one as bad, not confirmed
    named: a chosen limit, a history of two levels
    named: a ratchet, a history of two levels
    named: defaults, a history of two levels
    named: suspects fail, a history of two levels
    ");
}
