//! Effects of the machine on all benchmarks.

use crate::layers::case::{Case, noise, run, with_history};

#[test]
fn an_environment_shift_is_inconclusive() {
    let usual: Vec<f64> = (0..12)
        .map(|scenario| 100.0 + f64::from(scenario))
        .collect();
    let slower: Vec<f64> = usual.iter().map(|time| time * 1.1).collect();
    let mut case = with_history(12, &usual, &slower);
    case.confirmation_runs = vec![run("now", &slower)];
    let compared = case.compared();
    assert!(compared.scopes[0].shift.is_some());
    let tally = compared.tally();
    assert_eq!((tally.regressed, tally.inconclusive), (0, 12));
    // Counts do not depend on the machine.
    let with = |csv: &String, allocs: u32| {
        let counted = csv.lines().enumerate();
        let line = |(at, line)| {
            if at == 0 {
                format!("{line},allocs\n")
            } else {
                format!("{line},{allocs}\n")
            }
        };
        counted.map(line).collect::<String>()
    };
    case.current = with(&case.current, 4);
    case.baseline = with(&case.baseline, 3);
    assert_eq!(case.compared().tally().regressed, 12);
}

#[test]
fn a_shifted_run_confirms_nothing() {
    let usual: Vec<f64> = (0..20)
        .map(|scenario| 100.0 + f64::from(scenario))
        .collect();
    let mut now = usual.clone();
    now[0] *= 1.2;
    let mut case = with_history(12, &usual, &now);
    case.confirmation_runs = vec![
        run(
            "now",
            &usual.iter().map(|time| time * 1.3).collect::<Vec<_>>()
        );
        2
    ];
    assert_eq!(
        (
            case.compared().tally().regressed,
            case.compared().tally().inconclusive
        ),
        (0, 1)
    );
    case.confirmation_runs = vec![run("now", &now); 2];
    assert_eq!(case.compared().tally().regressed, 1);
}

#[test]
fn a_shift_covers_rows_without_history() {
    let usual: Vec<f64> = (0..12)
        .map(|scenario| 100.0 + f64::from(scenario))
        .collect();
    let slower: Vec<f64> = usual.iter().map(|time| time * 1.55).collect();
    let mut case = with_history(12, &usual, &slower);
    case.current += "new,P,now,-1,170\n";
    case.baseline += "new,P,c11,-1,100\n";
    let tally = case.compared().tally();
    assert_eq!((tally.regressed, tally.inconclusive), (0, 13));
}

#[test]
fn quotients_ignore_the_machine() {
    let config = "[[gates]]\nmetric = 'timeNs'\nrule = 'limit'\nlimit = 0.1\nscenarios = ['s1']\nrelative-to = 's0'\n";
    let class = |csv: String, class: &str| {
        csv.replace("timeNs\n", "timeNs,machineClass\n")
            .replace("0\n", &format!("0,{class}\n"))
    };
    let mut case = Case {
        config: config.to_owned(),
        baseline: class(run("c0", &[100.0, 200.0]), "a"),
        current: class(run("now", &[200.0, 410.0]), "b"),
        ..Case::default()
    };
    insta::assert_snapshot!(case.verdicts(), @"
    s0 timeNs: NotComparable by Obstacle
    s1 timeNs: Moved by Limit
    ");
    case.current = class(run("now", &[200.0, 600.0]), "b");
    insta::assert_snapshot!(case.verdicts(), @"
    s0 timeNs: NotComparable by Obstacle
    s1 timeNs: Regressed by Limit
    ");
}

/// Twelve benchmarks, all slower by this factor than in twelve earlier runs.
fn all_slower(by: f64) -> Case {
    let usual: Vec<f64> = (0..12)
        .map(|scenario| 100.0 + f64::from(scenario))
        .collect();
    with_history(
        12,
        &usual,
        &usual.iter().map(|time| time * by).collect::<Vec<_>>(),
    )
}

/// How many benchmarks regressed, and how many are inconclusive.
fn counts(case: &Case) -> (usize, usize) {
    let tally = case.compared().tally();
    (tally.regressed, tally.inconclusive)
}

#[test]
fn a_common_slowdown_beyond_60_percent_fails() {
    assert_eq!(counts(&all_slower(1.55)), (0, 12));
    // The history alone would require a confirmation run.
    assert_eq!(counts(&all_slower(1.65)), (12, 0));
    assert_eq!(counts(&all_slower(10.0)), (12, 0));
    let confirmed = Case {
        confirmation_runs: vec![all_slower(1.9).current; 3],
        ..all_slower(1.9)
    };
    assert_eq!(counts(&confirmed), (12, 0));
    let refuted = Case {
        confirmation_runs: vec![all_slower(1.0).current; 2],
        ..all_slower(1.9)
    };
    assert_eq!(counts(&refuted), (0, 0));
}

#[test]
fn a_run_on_another_machine_settles_a_shift() {
    let mut case = all_slower(1.3);
    case.confirmation_runs = vec![all_slower(1.3).current; 3];
    assert_eq!(counts(&case), (0, 12));
    case.elsewhere = vec![all_slower(1.3).current];
    assert_eq!(counts(&case), (12, 0));
    case.elsewhere = vec![all_slower(1.0).current];
    assert_eq!(counts(&case), (0, 0));
    // A run does not confirm benchmarks that it did not measure.
    case.elsewhere = vec![run("now", &[130.0])];
    assert_eq!(counts(&case), (1, 11));
}

#[test]
fn a_run_without_the_shift_settles_it() {
    let again = |by| Case {
        confirmation_runs: vec![all_slower(by).current],
        ..all_slower(1.3)
    };
    assert_eq!(counts(&again(1.3)), (0, 12));
    assert_eq!(counts(&again(1.0)), (0, 0));
    // A common speed-up is also a shift, and no run proves that the code caused it.
    assert_eq!(
        counts(&Case {
            confirmation_runs: vec![all_slower(1.0).current],
            ..all_slower(0.7)
        }),
        (0, 12)
    );
}

#[test]
fn suspects_that_fail_do_so_under_a_shift() {
    let config = "[history]\nsuspects = 'fail'\n".to_owned();
    let mut case = Case {
        config,
        ..all_slower(1.3)
    };
    assert_eq!(counts(&case), (12, 0));
    case.config += "[deltas]\nlimit = 0.5\n";
    assert_eq!(counts(&case), (0, 12));
}

#[test]
fn residual_under_a_shift_is_inconclusive() {
    let third = |case: &Case| case.verdicts().lines().nth(3).map(str::to_owned).unwrap();
    // 20% slower than the others.
    let own_of = |all: f64, by: f64, config: &str| {
        let row = |at: u32| (100.0 + f64::from(at)) * if at == 3 { all * by } else { all };
        let current = run("now", &(0..12).map(row).collect::<Vec<_>>());
        Case {
            config: config.to_owned(),
            current,
            ..all_slower(all)
        }
    };
    let own = |by, config| own_of(1.3, by, config);
    insta::assert_snapshot!(third(&own(1.2, "")), @"s3 timeNs: Inconclusive by Environment");
    insta::assert_snapshot!(third(&own(3.0, "")), @"s3 timeNs: Regressed by Common");
    insta::assert_snapshot!(third(&own_of(0.7, 1.4, "")), @"s3 timeNs: Inconclusive by Environment");
    let fails = "[history]\nsuspects = 'fail'\n";
    insta::assert_snapshot!(third(&own(1.2, fails)), @"s3 timeNs: Regressed by Common");
}

/// A suite on a machine whose speed varies by 15% from run to run, equally for all benchmarks.
fn on_a_varying_machine(now: f64, slower: f64) -> Case {
    let speed = |run: usize| [1.0, 1.05, 1.1, 1.15][run % 4];
    let usual: Vec<f64> = (0..9).map(|scenario| 100.0 + f64::from(scenario)).collect();
    let at = |commit: &str, by: f64, own: f64| {
        let times = usual.iter().enumerate();
        run(
            commit,
            &times
                .map(|(row, time)| time * by * if row == 0 { own } else { 1.0 })
                .collect::<Vec<_>>(),
        )
    };
    let history: Vec<String> = (0..20)
        .map(|run| at(&format!("c{run}"), speed(run) * noise(run), 1.0))
        .collect();
    let (baseline, current) = (history[19].clone(), at("now", now, slower));
    Case {
        confirmation_runs: vec![at("now", now, slower)],
        current,
        baseline,
        history,
        ..Case::default()
    }
}

#[test]
fn common_change_is_removed() {
    let first = |case: &Case| case.verdicts().lines().next().map(str::to_owned);
    // On a fast machine, +18% is within the range of its speeds.
    insta::assert_snapshot!(first(&on_a_varying_machine(1.0, 1.18)).unwrap(), @"s0 timeNs: Regressed by Common");
    insta::assert_snapshot!(first(&on_a_varying_machine(1.0, 1.05)).unwrap(), @"s0 timeNs: Unchanged by History");
    insta::assert_snapshot!(first(&on_a_varying_machine(1.2, 1.0)).unwrap(), @"s0 timeNs: Unchanged by History");
    let mut case = on_a_varying_machine(1.0, 1.18);
    case.confirmation_runs.clear();
    insta::assert_snapshot!(first(&case).unwrap(), @"s0 timeNs: Inconclusive by Common");
    case.confirmation_runs = on_a_varying_machine(1.0, 1.0).confirmation_runs;
    insta::assert_snapshot!(first(&case).unwrap(), @"s0 timeNs: Unchanged by History");
}

#[test]
fn a_large_regression_fails_under_a_shift() {
    let usual: Vec<f64> = (0..12)
        .map(|scenario| 100.0 + f64::from(scenario))
        .collect();
    let mut now: Vec<f64> = usual.iter().map(|time| time * 1.3).collect();
    now[3] *= 10.0;
    let tally = with_history(12, &usual, &now).compared().tally();
    assert_eq!((tally.regressed, tally.inconclusive), (1, 11));
}
