//! Properties of every suite.

use perf_verdict::Verdict;
use proptest::prelude::*;

use crate::layers::case::{Case, launches, noise, run, with_history};

/// A suite with a history and an erratic current run.
fn suite() -> impl Strategy<Value = (Vec<Vec<f64>>, Vec<f64>)> {
    (1usize..14, 0usize..16).prop_flat_map(|(scenarios, runs)| {
        let times = move |from, to| prop::collection::vec(from..to, scenarios);
        (
            prop::collection::vec(times(90.0, 110.0), runs),
            times(60.0, 300.0),
        )
    })
}

fn case_of(history: &[Vec<f64>], current: &[f64], by: f64) -> Case {
    let scaled = |times: &[f64]| times.iter().map(|time| time * by).collect::<Vec<f64>>();
    let history: Vec<String> = history
        .iter()
        .enumerate()
        .map(|(at, times)| run(&format!("c{at}"), &scaled(times)))
        .collect();
    let baseline = history
        .last()
        .cloned()
        .unwrap_or_else(|| run("c0", &vec![100.0 * by; current.len()]));
    let now = run("now", &scaled(current));
    Case {
        current: now.clone(),
        baseline,
        history,
        confirmation_runs: vec![now],
        ..Case::default()
    }
}

fn all(case: &Case) -> Vec<Verdict> {
    let compared = case.compared();
    let scenarios = compared.scopes.iter().flat_map(|scope| &scope.scenarios);
    scenarios
        .flat_map(|one| one.metrics.iter().map(|metric| metric.judgement.verdict))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn row_order_does_not_matter((history, current) in suite()) {
        let case = case_of(&history, &current, 1.0);
        let backwards = |csv: &String| {
            let (header, rows) = csv.split_once('\n').unwrap();
            let mut rows: Vec<&str> = rows.lines().collect();
            rows.reverse();
            format!("{header}\n{}\n", rows.join("\n"))
        };
        let turned = Case {
            current: backwards(&case.current),
            baseline: backwards(&case.baseline),
            history: case.history.iter().map(backwards).collect(),
            confirmation_runs: case.confirmation_runs.iter().map(backwards).collect(),
            ..case.clone()
        };
        let mut verdicts = all(&turned);
        verdicts.reverse();
        prop_assert_eq!(all(&case), verdicts);
    }

    #[test]
    fn scaling_does_not_matter((history, current) in suite(), power in -8i32..8) {
        let by = 2f64.powi(power);
        prop_assert_eq!(all(&case_of(&history, &current, 1.0)), all(&case_of(&history, &current, by)));
    }

    #[test]
    fn improvements_never_regress((history, current) in suite(), by in 0.1f64..1.0, which in any::<prop::sample::Index>()) {
        let row = which.index(current.len());
        let mut better = current.clone();
        better[row] *= by;
        let (before, after) = (all(&case_of(&history, &current, 1.0)), all(&case_of(&history, &better, 1.0)));
        prop_assert!(before[row] == Verdict::Regressed || after[row] != Verdict::Regressed, "{:?}", (before, after));
    }
}

#[test]
fn a_comparison_with_itself_changes_nothing() {
    let times: Vec<f64> = (0..25).map(|launch| 100.0 * noise(launch)).collect();
    let same = |csv: String| Case {
        current: csv.clone(),
        baseline: csv,
        ..Case::default()
    };
    let few = same(launches("c", &times[..5]));
    for (case, what) in [
        (same(launches("c", &times)), "launches"),
        (
            Case {
                paired: true,
                ..few.clone()
            },
            "too few pairs",
        ),
        (
            Case {
                config: "[[gates]]\nmetric = 'timeNs'\nmax = '5 ns'\n".to_owned(),
                ..few
            },
            "over a budget",
        ),
        (same(run("c", &[-5.0, 0.0, 1e300])), "odd numbers"),
    ] {
        let compared = case.compared();
        assert!(!compared.tally().changed, "{what}");
        assert_eq!(
            compared.tally().regressed,
            usize::from(what == "over a budget")
        );
    }
    // A value beyond the history is suspect even if the newest baseline has the same value.
    let suspect = Case {
        baseline: run("c12", &[200.0]),
        ..with_history(12, &[100.0], &[200.0])
    };
    assert!(!suspect.compared().tally().changed && suspect.compared().tally().inconclusive == 1);
}
