//! Metrics that cannot fail.

use perf_verdict::{CannotFail, NotGated, Verdict};

use crate::layers::case::{Case, run, with_history};

/// Why metrics cannot fail.
fn blind(case: &Case) -> Vec<CannotFail> {
    case.compared()
        .blind
        .into_iter()
        .map(|blind| blind.why)
        .collect()
}

#[test]
fn metrics_that_cannot_fail_are_listed() {
    let mut case = with_history(12, &[100.0], &[100.0]);
    assert_eq!(blind(&case), []);
    case.config = "gates = []\n".to_owned();
    assert_eq!(blind(&case), [CannotFail::NotGated(NotGated::NoGate)]);
    case.config = "[deltas]\nfail-on = ['missing']\n".to_owned();
    assert_eq!(blind(&case), [CannotFail::NotFailing(Verdict::Regressed)]);
    case.config =
        "[[waivers]]\nscenario = '*'\nreason = 'x'\nby = 'me'\nuntil = 2026-12-31\n".to_owned();
    assert_eq!(blind(&case), [CannotFail::Waived(0)]);
    case.config = case.config.replace("2026-12", "2026-01");
    assert_eq!(blind(&case), []);
    let gate =
        |floor: &str| format!("[[gates]]\nmetric = 'timeNs'\nrule = 'limit'\nfloor = '{floor}'\n");
    case.config = gate("1 s");
    assert_eq!(blind(&case), [CannotFail::Floor(1e9)]);
    case.config = gate("800 ns");
    assert_eq!(blind(&case), []);
}

#[test]
fn a_history_that_allows_ten_times_the_cost_is_named() {
    let mut case = with_history(12, &[100.0], &[100.0]);
    for (at, earlier) in case
        .history
        .iter_mut()
        .enumerate()
        .filter(|(at, _)| at % 3 == 0)
    {
        *earlier = run(&format!("c{at}"), &[15_000.0]);
    }
    let [CannotFail::Band(growth)] = blind(&case)[..] else {
        panic!("{:?}", blind(&case))
    };
    assert!(growth > 100.0, "{growth}");
    assert_eq!(case.compared().tally().blind, 1);
}

#[test]
fn a_gate_without_effect_fails_the_self_test() {
    let mut case = Case {
        baseline: run("c0", &[100.0]),
        current: run("now", &[100.0]),
        ..Case::default()
    };
    assert_eq!(case.compared().tested, 1);
    case.config = "[deltas]\nlimit = '1500%'\n".to_owned();
    assert_eq!(case.compared().blind.len(), 1);
}

#[test]
fn amounts_that_are_often_zero_can_fail() {
    // Go divides the bytes that its runtime allocates in the background by the iterations.
    let side = |shift: usize| {
        let bytes = |pair: usize| usize::from(!(pair + shift).is_multiple_of(4));
        let row = |pair| format!("s0,P,c,pairs in random order,{pair},{}\n", bytes(pair));
        let rows: String = (0..16).map(row).collect();
        format!("scenario,platform,commit,methodology,runIndex,B/op\n{rows}")
    };
    let case = Case {
        baseline: side(0),
        current: side(1),
        paired: true,
        ..Case::default()
    };
    assert_eq!(blind(&case), []);
    assert_eq!(case.compared().tested, 1);
}
