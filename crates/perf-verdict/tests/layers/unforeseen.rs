//! Slowdowns in data whose shape once passed silently.

use perf_model::finding::{FindingEffect, FindingKind};
use perf_verdict::{Comparison, Verdict};

use crate::layers::case::{Case, launches, noise, run, with_history};

/// The first benchmark's verdict.
fn verdict(case: &Case) -> Verdict {
    let comparison = case.compared();
    comparison.scopes[0].scenarios[0].verdict()
}

/// One benchmark with these columns, and these cells on the two sides.
fn pair(columns: &str, baseline: &str, current: &str) -> Case {
    let side = |commit: &str, cells: &str| {
        format!("scenario,platform,commit,runIndex,{columns}\ns0,P,{commit},-1,{cells}\n")
    };
    Case {
        baseline: side("before", baseline),
        current: side("now", current),
        ..Case::default()
    }
}

fn is_unguarded(comparison: &Comparison) -> bool {
    comparison
        .metrics()
        .any(|metric| metric.judgement.is_unguarded)
}

#[test]
fn lost_improvement_is_judged_against_the_newest_baseline() {
    let others = [100.0; 5];
    let with = |first: f64| [&[first][..], &others].concat();
    let case = Case {
        baseline: run("fast", &with(100.0)),
        ..with_history(30, &with(140.0), &with(141.0))
    };
    assert_eq!(verdict(&case), Verdict::Inconclusive);
    let confirmed = Case {
        confirmation_runs: vec![run("now", &with(142.0))],
        ..case.clone()
    };
    // A single baseline at the new level may have been lucky.
    assert_eq!(verdict(&confirmed), Verdict::Inconclusive);
    let mut kept_twice = confirmed.clone();
    kept_twice.history.push(run("c30", &with(101.0)));
    assert_eq!(verdict(&kept_twice), Verdict::Regressed);
    let refuted = Case {
        confirmation_runs: vec![run("now", &with(101.0))],
        ..case.clone()
    };
    assert_eq!(verdict(&refuted), Verdict::Moved);
    // If all benchmarks improved at once, the machine was probably faster.
    let all = Case {
        baseline: run("fast", &[70.0; 6]),
        confirmation_runs: vec![run("now", &[100.0; 6])],
        ..with_history(30, &[100.0; 6], &[100.0; 6])
    };
    assert_eq!(verdict(&all), Verdict::Inconclusive);
    let kept = Case {
        current: run("now", &with(101.0)),
        ..case
    };
    assert_eq!(verdict(&kept), Verdict::Improved);
}

#[test]
fn count_that_appears_grew_from_zero() {
    let errors = "requestsPerSecond,errors";
    assert_eq!(verdict(&pair(errors, "9,", "9,5")), Verdict::Regressed);
    assert_eq!(verdict(&pair(errors, "9,", "9,0")), Verdict::Unchanged);
    assert_eq!(verdict(&pair(errors, "9,5", "9,")), Verdict::Improved);
    // Somebody added `-benchmem`.
    let allocations = "timeNs,allocations";
    assert_eq!(verdict(&pair(allocations, "9,", "9,5")), Verdict::Unchanged);
    // If the count is new in one benchmark only, it may have been zero before.
    for (now, expected) in [("9,5", Verdict::Inconclusive), ("9,0", Verdict::Unchanged)] {
        let mut case = pair(allocations, "9,", now);
        case.baseline.push_str("s1,P,before,-1,9,3\n");
        case.current.push_str("s1,P,now,-1,9,3\n");
        assert_eq!(verdict(&case), expected, "{now}");
    }
}

#[test]
fn bytes_are_compared_on_another_processor() {
    for (columns, processors, expected) in [
        (
            "B/op",
            ["amd-epyc-x86_64-linux", "intel-xeon-x86_64-linux"],
            Verdict::Regressed,
        ),
        (
            "B/op",
            ["amd-epyc-x86_64-linux", "apple-m1-aarch64-macos"],
            Verdict::NotComparable,
        ),
        (
            "peakBytes",
            ["amd-epyc-x86_64-linux", "intel-xeon-x86_64-linux"],
            Verdict::NotComparable,
        ),
        (
            "timeNs",
            ["amd-epyc-x86_64-linux", "intel-xeon-x86_64-linux"],
            Verdict::NotComparable,
        ),
    ] {
        let [before, now] = processors;
        let case = pair(
            &format!("{columns},machineClass"),
            &format!("96,{before}"),
            &format!("96000,{now}"),
        );
        assert_eq!(verdict(&case), expected, "{columns} {now}");
    }
}

#[test]
fn counts_that_vary_are_judged_by_their_history() {
    let counts = |commit: &str, count: i64| {
        format!("scenario,platform,commit,runIndex,allocations\ns0,P,{commit},-1,{count}\n")
    };
    let case = |count: fn(i64) -> i64, current: i64| Case {
        history: (0..20)
            .map(|at| counts(&format!("c{at}"), count(at)))
            .collect(),
        baseline: counts("c19", count(19)),
        current: counts("now", current),
        ..Case::default()
    };
    let varying = |at: i64| 1_000 + [0, 2, -3, 1, -1, 3, -2][usize::try_from(at % 7).unwrap()];
    assert_eq!(verdict(&case(varying, 1_003)), Verdict::Unchanged);
    assert_eq!(verdict(&case(varying, 1_100)), Verdict::Regressed);
    assert_eq!(verdict(&case(|_| 1_000, 1_001)), Verdict::Regressed);
    let rising = |at: i64| 1_000 + at;
    assert_eq!(verdict(&case(rising, 1_020)), Verdict::Regressed);
}

#[test]
fn bytes_that_never_varied_need_no_confirmation() {
    let sides = |base: [f64; 3]| Case {
        baseline: launches("before", &base).replace("timeNs", "B/op"),
        current: launches("now", &[960.0; 3]).replace("timeNs", "B/op"),
        is_rerun: true,
        ..Case::default()
    };
    assert_eq!(verdict(&sides([96.0; 3])), Verdict::Regressed);
    assert_eq!(verdict(&sides([96.0, 100.0, 96.0])), Verdict::Inconclusive);
}

#[test]
fn fifth_of_the_process_runs_beyond_the_limit_is_inconclusive() {
    let case = |far: usize, all: usize| {
        let times: Vec<f64> = (0..all)
            .map(|at| if at < far { 100.0 } else { 10.0 })
            .collect();
        Case {
            baseline: run("before", &[10.0]),
            current: launches("now", &times),
            ..Case::default()
        }
    };
    for (far, all) in [(4, 10), (8, 20), (9, 20), (2, 10), (1, 5)] {
        assert_eq!(
            verdict(&case(far, all)),
            Verdict::Inconclusive,
            "{far} of {all}"
        );
        let counted = Case {
            baseline: run("before", &[10.0]).replace("timeNs", "allocations"),
            current: case(far, all).current.replace("timeNs", "allocations"),
            ..Case::default()
        };
        assert_eq!(verdict(&counted), Verdict::Inconclusive, "{far} of {all}");
    }
    assert_eq!(verdict(&case(1, 10)), Verdict::Unchanged);
    let same = Case {
        baseline: case(4, 10).current.replace("now", "before"),
        ..case(4, 10)
    };
    assert_eq!(verdict(&same), Verdict::Unchanged);
}

#[test]
fn far_percentile_of_enough_values_is_gated() {
    let columns = "latencyMs,latencyP99.9Ms,requests";
    let many = pair(columns, "1,5,1000000", "1,50,1000000");
    assert_eq!(verdict(&many), Verdict::Regressed);
    let few = pair(columns, "1,5,1000", "1,50,1000").compared();
    assert!(is_unguarded(&few));
}

#[test]
fn tenfold_noise_is_named() {
    for metric in ["userS", "systemS", "contextSwitches", "cycles"] {
        let columns = format!("timeS,{metric}");
        let worse = pair(&columns, "1,10", "1,100").compared();
        assert!(is_unguarded(&worse), "{metric}");
        let usual = pair(&columns, "1,10", "1,30").compared();
        assert!(!is_unguarded(&usual), "{metric}");
    }
}

#[test]
fn derived_metric_that_contradicts_its_source_is_a_finding() {
    for (columns, baseline, current, is_found) in [
        ("timeNs,opsPerSecond", "100,1000", "100,100", true),
        ("timeNs,opsPerSecond", "100,1000", "100,900", false),
        ("timeNs,opsPerSecond", "100,1000", "50,1000", false),
        ("timeNs,opsPerSecond", "100,1000", "1000,100", false),
        ("latencyMs,latencyP50Ms", "1,0.5", "1,5", true),
    ] {
        let comparison = pair(columns, baseline, current).compared();
        let found = comparison.findings.first().map(|found| found.finding.kind);
        let expected = is_found.then_some(FindingKind::Ambiguous);
        assert_eq!(found, expected, "{columns} {current}");
        if is_found {
            let verdict = comparison.scopes[0].scenarios[0].verdict();
            assert_eq!(verdict, Verdict::Inconclusive);
        }
    }
}

#[test]
fn benchmarks_that_collapse_at_once_are_a_finding() {
    let found = |current: &[f64]| {
        let case = Case {
            baseline: run("before", &[100.0; 3]),
            current: run("now", current),
            ..Case::default()
        };
        let findings = case.compared().findings;
        findings.first().map(|found| found.effect)
    };
    assert_eq!(found(&[3.0, 12.0, 100.0]), Some(FindingEffect::Listed));
    assert_eq!(found(&[3.0, 100.0, 100.0]), None);
    assert_eq!(found(&[50.0, 50.0, 50.0]), None);
}

#[test]
fn noise_hiding_a_doubling_in_half_of_the_benchmarks_is_reported() {
    const WILD: [f64; 5] = [0.6, 2.9, 1.1, 3.4, 0.9];
    let case = |wild: usize| {
        let times = |at: usize| -> Vec<f64> {
            let time = |row: usize| if row < wild { WILD[at % 5] } else { noise(at) };
            (0..6).map(|row| 100.0 * time(row)).collect()
        };
        Case {
            history: (0..20)
                .map(|at| run(&format!("c{at}"), &times(at)))
                .collect(),
            baseline: run("c19", &[100.0; 6]),
            current: run("now", &[100.0; 6]),
            ..Case::default()
        }
    };
    assert_eq!(case(6).compared().hidden_doublings(), Some((6, 6)));
    assert_eq!(case(3).compared().hidden_doublings(), Some((3, 6)));
    assert_eq!(case(2).compared().hidden_doublings(), None);
    let chosen = Case {
        config: "deltas.limit = '150%'".to_owned(),
        ..case(0)
    };
    assert_eq!(chosen.compared().hidden_doublings(), None);
}

#[test]
fn small_steps_add_up() {
    let level = |at: usize| 100.0 * 1.05f64.powi(i32::try_from(at / 5).unwrap()) * noise(at);
    let history: Vec<String> = (0..60)
        .map(|at| run(&format!("c{at}"), &[level(at)]))
        .collect();
    let case = Case {
        baseline: history[59].clone(),
        current: run("now", &[level(59)]),
        history,
        ..Case::default()
    };
    let comparison = case.compared();
    let creep = comparison.metrics().next().unwrap().creep().unwrap();
    assert!((0.2..0.4).contains(&creep), "{creep}");
    let steady = with_history(30, &[100.0], &[100.0]).compared();
    let creep = steady.metrics().next().unwrap().creep().unwrap();
    assert!(creep.abs() < 0.05, "{creep}");
}

#[test]
fn gate_for_one_benchmark_leaves_the_others_gated() {
    let case = Case {
        config: "[[gates]]\nmetric = 'timeNs'\nscenarios = ['s1']\nlimit = '5%'\n".to_owned(),
        baseline: run("before", &[100.0, 100.0]),
        current: run("now", &[250.0, 100.0]),
        ..Case::default()
    };
    assert_eq!(verdict(&case), Verdict::Regressed);
}
