//! What a machine does to all benchmarks alike.

use crate::case::{Case, noise, run, with_history};

#[test]
fn an_environment_shift_is_inconclusive() {
    let usual: Vec<f64> = (0..12).map(|scenario| 100.0 + f64::from(scenario)).collect();
    let slower: Vec<f64> = usual.iter().map(|time| time * 1.1).collect();
    let mut case = with_history(12, &usual, &slower);
    case.repeats = vec![run("now", &slower)];
    let compared = case.compared();
    assert!(compared.scopes[0].shift.is_some());
    let tally = compared.tally();
    assert_eq!((tally.regressed, tally.inconclusive), (0, 12));
    // Counts do not depend on the machine.
    let with = |csv: &String, allocs: u32| {
        let counted = csv.lines().enumerate();
        let line =
            |(at, line)| if at == 0 { format!("{line},allocs\n") } else { format!("{line},{allocs}\n") };
        counted.map(line).collect::<String>()
    };
    case.current = with(&case.current, 4);
    case.baseline = with(&case.baseline, 3);
    assert_eq!(case.compared().tally().regressed, 12);
}

#[test]
fn a_shifted_run_confirms_nothing() {
    let usual: Vec<f64> = (0..20).map(|scenario| 100.0 + f64::from(scenario)).collect();
    let mut now = usual.clone();
    now[0] *= 1.2;
    let mut case = with_history(12, &usual, &now);
    case.repeats = vec![run("now", &usual.iter().map(|time| time * 1.3).collect::<Vec<_>>())];
    assert_eq!((case.compared().tally().regressed, case.compared().tally().inconclusive), (0, 1));
    case.repeats = vec![run("now", &now)];
    assert_eq!(case.compared().tally().regressed, 1);
}

#[test]
fn a_shift_covers_rows_without_history() {
    let usual: Vec<f64> = (0..12).map(|scenario| 100.0 + f64::from(scenario)).collect();
    let slower: Vec<f64> = usual.iter().map(|time| time * 1.7).collect();
    let mut case = with_history(12, &usual, &slower);
    case.current += "new,P,now,-1,170\n";
    case.baseline += "new,P,c11,-1,100\n";
    let tally = case.compared().tally();
    assert_eq!((tally.regressed, tally.inconclusive), (0, 13));
}

#[test]
fn quotients_ignore_the_machine() {
    let config = "[[gates]]\nmetric = 'timeNs'\nrule = 'threshold'\nthreshold = 0.1\nscenarios = ['s1']\nrelative-to = 's0'\n";
    let class = |csv: String, class: &str| {
        csv.replace("timeNs\n", "timeNs,machineClass\n").replace("0\n", &format!("0,{class}\n"))
    };
    let mut case = Case {
        config: config.to_owned(),
        baseline: class(run("c0", &[100.0, 200.0]), "a"),
        current: class(run("now", &[200.0, 410.0]), "b"),
        ..Case::default()
    };
    insta::assert_snapshot!(case.verdicts(), @"
    s0 timeNs: NotComparable by Obstacle
    s1 timeNs: Moved by Threshold
    ");
    case.current = class(run("now", &[200.0, 600.0]), "b");
    insta::assert_snapshot!(case.verdicts(), @"
    s0 timeNs: NotComparable by Obstacle
    s1 timeNs: Regressed by Threshold
    ");
}

#[test]
fn a_common_slowdown_of_more_than_twice_is_no_shift() {
    let usual: Vec<f64> = (0..12).map(|scenario| 100.0 + f64::from(scenario)).collect();
    let times = |by: f64| with_history(12, &usual, &usual.iter().map(|time| time * by).collect::<Vec<_>>());
    let tally = |by| times(by).compared().tally();
    assert_eq!((tally(1.9).regressed, tally(1.9).inconclusive), (0, 12));
    assert_eq!((tally(10.0).regressed, tally(10.0).inconclusive), (12, 0));
}

/// A suite on a machine whose speed varies by 15% from run to run, for all benchmarks alike.
fn on_a_varying_machine(now: f64, slower: f64) -> Case {
    let speed = |run: usize| [1.0, 1.05, 1.1, 1.15][run % 4];
    let usual: Vec<f64> = (0..9).map(|scenario| 100.0 + f64::from(scenario)).collect();
    let at = |commit: &str, by: f64, own: f64| {
        let times = usual.iter().enumerate();
        run(
            commit,
            &times.map(|(row, time)| time * by * if row == 0 { own } else { 1.0 }).collect::<Vec<_>>(),
        )
    };
    let history: Vec<String> =
        (0..20).map(|run| at(&format!("c{run}"), speed(run) * noise(run), 1.0)).collect();
    let (baseline, current) = (history[19].clone(), at("now", now, slower));
    Case { repeats: vec![at("now", now, slower)], current, baseline, history, ..Case::default() }
}

#[test]
fn what_all_benchmarks_have_in_common_is_taken_out() {
    let first = |case: &Case| case.verdicts().lines().next().map(str::to_owned);
    // +18% where the machine is fast is within the range of its speeds.
    insta::assert_snapshot!(first(&on_a_varying_machine(1.0, 1.18)).unwrap(), @"s0 timeNs: Regressed by Common");
    insta::assert_snapshot!(first(&on_a_varying_machine(1.0, 1.05)).unwrap(), @"s0 timeNs: Unchanged by History");
    insta::assert_snapshot!(first(&on_a_varying_machine(1.2, 1.0)).unwrap(), @"s0 timeNs: Unchanged by History");
    let mut case = on_a_varying_machine(1.0, 1.18);
    case.repeats.clear();
    insta::assert_snapshot!(first(&case).unwrap(), @"s0 timeNs: Inconclusive by Common");
    case.repeats = on_a_varying_machine(1.0, 1.0).repeats;
    insta::assert_snapshot!(first(&case).unwrap(), @"s0 timeNs: Unchanged by History");
}

#[test]
fn a_large_regression_fails_under_a_shift() {
    let usual: Vec<f64> = (0..12).map(|scenario| 100.0 + f64::from(scenario)).collect();
    let mut now: Vec<f64> = usual.iter().map(|time| time * 1.3).collect();
    now[3] *= 10.0;
    let tally = with_history(12, &usual, &now).compared().tally();
    assert_eq!((tally.regressed, tally.inconclusive), (1, 11));
}
