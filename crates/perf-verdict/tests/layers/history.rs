//! Verdicts against a history.

use perf_model::row::Value;
use perf_verdict::Verdict;
use perf_verdict::rules::Reason;

use crate::layers::case::{Case, launches, noise, run, with_history};

#[test]
fn a_suspect_needs_confirmation() {
    let mut case = with_history(12, &[100.0, 200.0], &[120.0, 201.0]);
    insta::assert_snapshot!(case.verdicts(), @"
    s0 timeNs: Inconclusive by History
    s1 timeNs: Unchanged by History
    ");
    case.confirmation_runs = vec![run("now", &[121.0, 200.0])];
    insta::assert_snapshot!(case.verdicts(), @"
    s0 timeNs: Regressed by History
    s1 timeNs: Unchanged by History
    ");
    case.confirmation_runs = vec![run("now", &[101.0, 200.0])];
    insta::assert_snapshot!(case.verdicts(), @"
    s0 timeNs: Moved by History
    s1 timeNs: Unchanged by History
    ");
    case.confirmation_runs.clear();
    case.config = "[history]\nsuspects = 'fail'\n".to_owned();
    insta::assert_snapshot!(case.verdicts(), @"
    s0 timeNs: Regressed by History
    s1 timeNs: Unchanged by History
    ");
}

#[test]
fn a_large_suite_needs_two_confirmation_runs() {
    let usual = vec![100.0; 13];
    let mut now = usual.clone();
    now[7] = 115.0;
    let mut case = with_history(12, &usual, &now);
    case.confirmation_runs = vec![run("now", &now)];
    assert_eq!(case.compared().confirmation_runs, (2, 1));
    assert_eq!(case.compared().tally().inconclusive, 1);
    case.confirmation_runs.push(run("now", &now));
    assert_eq!(case.compared().tally().regressed, 1);
}

/// The verdict on the first benchmark, and how many more runs would settle it, if these confirmation runs are slow
/// (`+`) or usual (`-`).
fn with_repeats(case: &Case, runs: &str) -> (Verdict, usize) {
    let usual = with_history(1, &vec![100.0; case.current.lines().count() - 1], &[]).baseline;
    let repeat = |run| {
        if run == '+' {
            case.current.clone()
        } else {
            usual.replace("c0", "now")
        }
    };
    let compared = Case {
        confirmation_runs: runs.chars().map(repeat).collect(),
        ..case.clone()
    }
    .compared();
    let verdict = compared.scopes[0].scenarios[0].metrics[0].judgement.verdict;
    (verdict, compared.missing_confirmations())
}

#[test]
fn most_confirmation_runs_decide() {
    use Verdict::{Inconclusive, Moved, Regressed};
    let suspect = with_history(12, &[100.0], &[120.0]);
    let certain = with_history(12, &[100.0], &[1000.0]);
    let without_history = with_history(1, &[100.0], &[1000.0]);
    let mut large = vec![100.0; 51];
    large[0] = 130.0;
    let large = with_history(12, &[100.0; 51], &large);
    for (runs, of_suspect, of_certain, of_large) in [
        ("", (Inconclusive, 1), (Regressed, 0), (Inconclusive, 2)),
        ("+", (Regressed, 0), (Regressed, 0), (Inconclusive, 1)),
        ("-", (Moved, 0), (Moved, 0), (Moved, 0)),
        (
            "+-",
            (Inconclusive, 1),
            (Inconclusive, 1),
            (Inconclusive, 1),
        ),
        ("++-", (Regressed, 0), (Regressed, 0), (Regressed, 0)),
        ("-+-", (Moved, 0), (Moved, 0), (Moved, 0)),
        ("-+++", (Regressed, 0), (Regressed, 0), (Regressed, 0)),
        (
            "--++",
            (Inconclusive, 1),
            (Inconclusive, 1),
            (Inconclusive, 1),
        ),
    ] {
        assert_eq!(
            with_repeats(&suspect, runs),
            of_suspect,
            "suspect, `{runs}`"
        );
        assert_eq!(
            with_repeats(&certain, runs),
            of_certain,
            "certain, `{runs}`"
        );
        assert_eq!(
            with_repeats(&without_history, runs),
            of_certain,
            "without history, `{runs}`"
        );
        assert_eq!(with_repeats(&large, runs), of_large, "of 51, `{runs}`");
    }
}

#[test]
fn a_short_history_leaves_the_fixed_limit() {
    let mut case = with_history(9, &[100.0], &[130.0]);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Moved by Limit");
    case.current = run("now", &[160.0]);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Regressed by Limit");
}

#[test]
fn a_chosen_limit_overrides_the_history() {
    let mut case = with_history(12, &[100.0], &[120.0]);
    case.confirmation_runs = vec![run("now", &[120.0])];
    case.config = "[deltas]\nlimit = 0.3\n".to_owned();
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Moved by History");
    case.config = "[deltas]\nlimit = 0.1\n".to_owned();
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Regressed by History");
}

#[test]
fn an_informational_metric_moves_beyond_its_normal_range() {
    let mut case = with_history(12, &[100.0], &[104.0]);
    case.config = "gates = []\n".to_owned();
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Unchanged by NotGated");
    case.current = run("now", &[110.0]);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Moved by NotGated");
}

#[test]
fn a_too_tight_limit_is_flagged() {
    let mut case = with_history(12, &[100.0], &[100.0]);
    case.config = "[deltas]\nlimit = 0.02\n".to_owned();
    let power = case.compared().scopes[0].scenarios[0].metrics[0]
        .judgement
        .power;
    assert!(
        power.is_too_tight && power.detectable.unwrap() > 0.05,
        "{power:?}"
    );
}

#[test]
fn the_history_has_one_machine_and_distinct_commits() {
    let mut case = with_history(12, &[100.0], &[130.0]);
    for earlier in &mut case.history {
        *earlier = earlier
            .replace("timeNs\n", "timeNs,machineClass\n")
            .trim_end()
            .to_owned()
            + ",other\n";
    }
    case.current = case
        .current
        .replace("timeNs\n", "timeNs,machineClass\n")
        .trim_end()
        .to_owned()
        + ",this\n";
    case.baseline = case
        .baseline
        .replace("timeNs\n", "timeNs,machineClass\n")
        .trim_end()
        .to_owned()
        + ",this\n";
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Moved by Limit");
    let mut same = with_history(12, &[100.0], &[130.0]);
    for commit in ["c1", ""] {
        same.history = vec![run(commit, &[100.0]); 40];
        insta::allow_duplicates! {
            insta::assert_snapshot!(same.verdicts(), @"s0 timeNs: Moved by Limit");
        }
    }
}

#[test]
fn a_large_regression_needs_no_confirmation() {
    let mut case = with_history(12, &[100.0], &[175.0]);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Regressed by History");
    // A confirmation run within the limit refutes it.
    case.confirmation_runs = vec![run("now", &[101.0])];
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Moved by History");
    case.confirmation_runs.clear();
    case.current = run("now", &[120.0]);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Inconclusive by History");
}

#[test]
fn excess_over_spikes_of_suite_needs_no_confirmation() {
    use Verdict::{Inconclusive, Regressed};
    // The first of two benchmarks, in a history with these spikes: run, benchmark, time.
    let verdict = |runs: usize, spikes: &[(usize, usize, f64)], now: f64| {
        let time = |at: usize, row: usize| {
            let spike = spikes.iter().find(|spike| (spike.0, spike.1) == (at, row));
            spike.map_or(100.0 * noise(at), |spike| spike.2)
        };
        let mut case = with_history(0, &[100.0, 100.0], &[now, 100.0]);
        case.history = (0..runs)
            .map(|at| run(&format!("c{at}"), &[time(at, 0), time(at, 1)]))
            .collect();
        case.baseline.clone_from(&case.history[runs - 1]);
        case.compared().scopes[0].scenarios[0].metrics[0]
            .judgement
            .verdict
    };
    assert_eq!(verdict(20, &[], 140.0), Regressed);
    assert_eq!(verdict(20, &[], 120.0), Inconclusive);
    // Fewer than 15 runs do not show how large the suite's spikes are.
    assert_eq!(verdict(14, &[], 140.0), Inconclusive);
    // One spike may be an accident, two are usual, whichever benchmark they are in.
    assert_eq!(verdict(20, &[(8, 1, 200.0)], 140.0), Regressed);
    let twice = [(8, 1, 140.0), (12, 0, 105.0), (12, 1, 190.0)];
    assert_eq!(verdict(20, &twice, 140.0), Inconclusive);
    assert_eq!(verdict(20, &twice, 170.0), Regressed);
    // Spikes in one run count as a single accident.
    let at_once = [(8, 0, 110.0), (8, 1, 200.0)];
    assert_eq!(verdict(20, &at_once, 140.0), Regressed);
    // A lasting step is not a spike.
    let stayed: Vec<_> = (8..20).map(|at| (at, 1, 200.0)).collect();
    assert_eq!(verdict(20, &stayed, 140.0), Regressed);
}

#[test]
fn printed_minimum_depends_on_confirmation_runs() {
    let detectable = |case: &Case| {
        let compared = case.compared();
        let power = &compared.scopes[0].scenarios[0].metrics[0].judgement.power;
        power.detectable.unwrap()
    };
    let mut case = with_history(20, &[100.0], &[100.0]);
    let alone = detectable(&case);
    case.confirmation_runs = vec![run("now", &[100.0])];
    let confirmed = detectable(&case);
    assert!(confirmed < 0.1 && alone > 0.25, "{confirmed} {alone}");
    let slower = |by: f64, confirmation_runs: bool| {
        let now = run("now", &[100.0 * (1.0 + by)]);
        let mut case = with_history(20, &[100.0], &[]);
        case.current.clone_from(&now);
        case.confirmation_runs = if confirmation_runs {
            vec![now]
        } else {
            Vec::new()
        };
        case.compared().tally().regressed
    };
    assert_eq!([slower(alone, false), slower(confirmed, true)], [1, 1]);
    assert_eq!(slower(confirmed, false), 0);
}

#[test]
fn a_size_that_repeats_to_the_byte_needs_no_confirmation() {
    let bytes = |run: &str| run.replace("timeNs", "bundleBytes");
    let case = |size: fn(usize) -> f64| Case {
        config: "[[gates]]\nmetric = 'bundleBytes'\nrule = 'limit'\n".to_owned(),
        current: bytes(&run("now", &[115_000.0])),
        baseline: bytes(&run("c11", &[size(11)])),
        history: (0..12)
            .map(|at| bytes(&run(&format!("c{at}"), &[size(at)])))
            .collect(),
        ..Case::default()
    };
    insta::assert_snapshot!(case(|at| if at < 6 { 99_000.0 } else { 100_000.0 }).verdicts(), @"s0 bundleBytes: Regressed by History");
    // A heap size that varies from run to run needs a confirmation run.
    insta::assert_snapshot!(case(|at| 100_000.0 * noise(at) + 1.0 / (1.0 + f64::from(u32::try_from(at).unwrap()))).verdicts(), @"s0 bundleBytes: Inconclusive by History");
}

#[test]
fn a_merged_regression_stays_open() {
    for (runs, now, verdict) in [
        (12, 200.0, "Inconclusive"),
        (20, 200.0, "Inconclusive"),
        (30, 200.0, "Inconclusive"),
        (20, 205.0, "Inconclusive"),
        (20, 250.0, "Regressed"),
    ] {
        let mut case = with_history(runs, &[100.0], &[now]);
        case.baseline = run("merged", &[200.0]);
        case.confirmation_runs = vec![case.current.clone()];
        assert_eq!(
            case.verdicts(),
            format!("s0 timeNs: {verdict} by History"),
            "{runs} {now}"
        );
    }
}

/// Values at one level, followed by some at another.
fn with_step(before: f64, after: f64, now: f64) -> Case {
    let level = |at: usize| if at < 24 { before } else { after };
    let mut case = with_history(0, &[100.0], &[now]);
    case.history = (0..30)
        .map(|at| run(&format!("c{at}"), &[level(at) * noise(at)]))
        .collect();
    case.baseline.clone_from(&case.history[29]);
    case.confirmation_runs = vec![case.current.clone()];
    case
}

#[test]
fn the_present_level_is_judged_against() {
    let verdict = |before, after, now| with_step(before, after, now).compared().tally();
    // A range over both levels would let +30% pass, and suspect present values.
    assert_eq!(verdict(200.0, 100.0, 130.0).regressed, 1);
    for (before, now) in [(200.0, 101.0), (100.0, 202.0)] {
        let tally = verdict(before, 300.0 - before, now);
        assert_eq!((tally.regressed, tally.inconclusive), (0, 0), "{before}");
    }
}

#[test]
fn value_hardly_worse_than_an_earlier_one_needs_another_run() {
    let verdicts = |values: [f64; 4], confirmation_runs: usize| {
        let mut case = with_history(0, &[100.0], &[150.0]);
        case.history = values
            .iter()
            .enumerate()
            .map(|(at, time)| run(&format!("c{at}"), &[*time]))
            .collect();
        case.confirmation_runs = vec![case.current.clone(); confirmation_runs];
        case.verdicts()
    };
    let [quiet, nearly, bad] = [101.0, 137.0, 160.0].map(|worst| [101.0, worst, 99.0, 100.0]);
    for (values, confirmation_runs, verdict) in [
        (quiet, 0, "Regressed"),
        (quiet, 1, "Regressed"),
        (nearly, 1, "Inconclusive"),
        (bad, 0, "Inconclusive"),
        (bad, 1, "Inconclusive"),
        (bad, 2, "Regressed"),
    ] {
        assert_eq!(
            verdicts(values, confirmation_runs),
            format!("s0 timeNs: {verdict} by Limit"),
            "{values:?} {confirmation_runs}"
        );
    }
}

/// Two benchmarks with a history. The newest baseline does not contain the first one.
fn without_newest(values: usize, now: f64) -> Case {
    let mut case = with_history(values, &[100.0, 200.0], &[now, 200.0]);
    case.baseline = run("new", &[0.0, 200.0]).replace("s0,P,new,-1,0\n", "");
    case
}

#[test]
fn a_benchmark_with_a_history_is_not_new() {
    let case = without_newest(12, 1000.0);
    let compared = case.compared();
    assert!(compared.scopes[0].new.is_empty());
    let judged = &compared.scopes[0].scenarios[0].metrics[0];
    assert_eq!(
        (judged.older.as_deref(), judged.baseline.map(Value::as_f64)),
        (Some("c11"), Some(99.5))
    );
    insta::assert_snapshot!(case.verdicts(), @"
    s0 timeNs: Regressed by History
    s1 timeNs: Unchanged by History
    ");
    // With a short history, the fixed limit on its newest value is used.
    insta::assert_snapshot!(without_newest(3, 1000.0).verdicts(), @"
    s0 timeNs: Regressed by Limit
    s1 timeNs: Unchanged by Limit
    ");
    insta::assert_snapshot!(without_newest(12, 101.0).verdicts(), @"
    s0 timeNs: Unchanged by History
    s1 timeNs: Unchanged by History
    ");
    // The newest baseline might not contain the scope.
    let elsewhere = without_newest(12, 1000.0).baseline.replace(",P,", ",Q,");
    insta::assert_snapshot!(Case { baseline: elsewhere, ..without_newest(12, 1000.0) }.verdicts(), @"
    s0 timeNs: Regressed by History
    s1 timeNs: Unchanged by History
    ");
    // No other commit contains it: a measurement is not its own history.
    let mut own = without_newest(1, 1000.0);
    own.history = vec![own.current.clone()];
    assert_eq!(own.compared().scopes[0].new.len(), 1);
}

#[test]
fn metric_missing_in_newest_baseline_is_judged_by_history() {
    let with = |csv: &String, allocs: &str| {
        csv.replace("timeNs\n", "timeNs,allocs\n")
            .replace("00\n", &format!("00,{allocs}\n"))
    };
    let mut case = with_history(1, &[100.0], &[100.0]);
    case.history = vec![with(&case.history[0], "3")];
    case.current = with(&case.current, "4");
    case.baseline = run("new", &[100.0]);
    insta::assert_snapshot!(case.verdicts(), @"
    s0 timeNs: Unchanged by Limit
    s0 allocs: Regressed by Exact
    ");
}

#[test]
fn a_baseline_of_another_machine_leaves_the_older_one() {
    let class = |csv: &String, class: &str| {
        csv.replace("timeNs\n", "timeNs,machineClass\n")
            .replace("0\n", &format!("0,{class}\n"))
    };
    let mut case = with_history(1, &[100.0], &[1000.0]);
    case.history = vec![
        class(&run("old", &[100.0]), "a"),
        class(&run("newer", &[300.0]), "b"),
    ];
    case.baseline = class(&run("new", &[300.0]), "b");
    case.current = class(&case.current, "a");
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Regressed by Limit");
    // A quotient's reference comes from the same run.
    let gate = "[[gates]]\nmetric = 'timeNs'\nrule = 'limit'\nlimit = 0.1\nscenarios = ['s1']\nrelative-to = 's0'\n";
    let two = |commit: &str, times: &[f64]| run(commit, times);
    let mut quotient = Case {
        config: gate.to_owned(),
        ..without_newest(1, 100.0)
    };
    quotient.history = vec![two("old", &[50.0, 100.0])];
    quotient.baseline = run("new", &[70.0, 0.0]).replace("s1,P,new,-1,0\n", "");
    quotient.current = two("now", &[100.0, 200.0]);
    insta::assert_snapshot!(quotient.verdicts(), @"
    s0 timeNs: Moved by NotGated
    s1 timeNs: Unchanged by Limit
    ");
}

#[test]
fn rerun_uses_baseline_runs_as_history() {
    let runs: Vec<f64> = (0..5).map(|at| 100.0 * noise(at)).collect();
    let mut case = Case {
        baseline: launches("c0", &runs),
        current: run("now", &[120.0]),
        ..Case::default()
    };
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Moved by Limit");
    case.is_rerun = true;
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Inconclusive by History");
    case.confirmation_runs = vec![run("now", &[100.0])];
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Moved by History");
    case.confirmation_runs = vec![run("now", &[120.0])];
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Regressed by History");
}

#[test]
fn rerun_includes_far_slower_benchmarks() {
    let mut case = Case {
        baseline: run("c0", &[100.0]),
        current: run("now", &[900.0]),
        ..Case::default()
    };
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Regressed by Limit");
    case.is_rerun = true;
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Inconclusive by Limit");
    case.confirmation_runs = vec![run("now", &[900.0])];
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Regressed by Limit");
}

#[test]
fn pairs_of_some_benchmarks_leave_the_others_their_rule() {
    let side = |slower: f64| {
        let pairs =
            (0..16).map(|at| format!("s0,P,c,pairs in random order,{at},{}\n", slower * noise(at)));
        format!(
            "scenario,platform,commit,methodology,runIndex,timeNs\n{}s1,P,c,,0,100\n",
            pairs.collect::<String>()
        )
    };
    let case = Case {
        baseline: side(100.0),
        current: side(120.0),
        paired: true,
        ..Case::default()
    };
    insta::assert_snapshot!(case.verdicts(), @"
    s0 timeNs: Regressed by Pairs
    s1 timeNs: Unchanged by Limit
    ");
}

#[test]
fn half_a_byte_is_no_regression() {
    let side = |bytes: f64| format!("scenario,platform,runIndex,heapBytes\ns0,P,-1,{bytes}\n");
    let config = "[[gates]]\nmetric = 'heapBytes'\nrule = 'limit'\n".to_owned();
    let mut case = Case {
        config,
        baseline: side(0.1),
        current: side(0.53),
        ..Case::default()
    };
    insta::assert_snapshot!(case.verdicts(), @"s0 heapBytes: Moved by Floor");
    case.current = side(1.7);
    insta::assert_snapshot!(case.verdicts(), @"s0 heapBytes: Regressed by Limit");
}

/// Thirty benchmarks with independent noise; the first four also vary together by up to 50%. In the current run these
/// are fast, and the first one is slower by this factor.
#[expect(clippy::cast_precision_loss, reason = "24 bits")]
fn moving_together(slower: f64) -> Case {
    let spread = |seed: usize| {
        let mixed = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as f64
            / f64::from(1 << 24)
    };
    let times = |at: usize, together: f64| -> Vec<f64> {
        let own = |row: usize| {
            if row < 4 {
                1.0 + 0.5 * together
            } else {
                1.0 + 0.3 * spread(1000 * row + at)
            }
        };
        (0..30)
            .map(|row| 100.0 * own(row) * (1.0 + 0.01 * spread(777 * row + at)))
            .collect()
    };
    let history: Vec<String> = (0..30)
        .map(|at| run(&format!("c{at}"), &times(at, spread(at))))
        .collect();
    let current = |at| {
        let mut times = times(at, 0.1);
        times[0] *= slower;
        run("now", &times)
    };
    let (baseline, confirmation_runs) = (history[29].clone(), vec![current(31), current(32)]);
    Case {
        current: current(30),
        baseline,
        history,
        confirmation_runs,
        ..Case::default()
    }
}

#[test]
fn correlated_benchmarks_predict_each_other() {
    assert_eq!(moving_together(1.0).compared().tally().regressed, 0);
    let compared = moving_together(1.35).compared();
    let scenarios = compared.scopes.iter().flat_map(|scope| &scope.scenarios);
    let metrics = scenarios.flat_map(|one| {
        one.metrics
            .iter()
            .map(|metric| (&*one.scenario, &metric.judgement))
    });
    let regressed: Vec<_> = metrics
        .filter(|(_, judged)| judged.verdict == Verdict::Regressed)
        .collect();
    let [("s0", judgement)] = &*regressed else {
        panic!("{regressed:?}")
    };
    let Reason::Common(_) = &judgement.reason else {
        panic!("{judgement:?}")
    };
    // Three related rows whose code made them faster than ever predict nothing for the fourth, which did not change.
    let quicker = |csv: &String| {
        let line = |(at, line): (usize, &str)| match line.rsplit_once(',') {
            Some((name, time)) if (2..5).contains(&at) => {
                format!("{name},{}\n", 0.8 * time.parse::<f64>().unwrap())
            }
            _ => format!("{line}\n"),
        };
        csv.lines().enumerate().map(line).collect::<String>()
    };
    let same = moving_together(1.35);
    let (current, confirmation_runs) = (
        quicker(&same.current),
        same.confirmation_runs.iter().map(quicker).collect(),
    );
    assert_eq!(
        Case {
            current,
            confirmation_runs,
            ..same
        }
        .compared()
        .tally()
        .regressed,
        0
    );
    // The history alone considers it normal.
    let alone = moving_together(1.35);
    let first = |csv: &String| csv.lines().take(2).collect::<Vec<_>>().join("\n") + "\n";
    let only = |runs: &[String]| runs.iter().map(first).collect();
    let alone = Case {
        current: first(&alone.current),
        baseline: first(&alone.baseline),
        history: only(&alone.history),
        confirmation_runs: only(&alone.confirmation_runs),
        ..alone
    };
    assert_eq!(
        (
            alone.compared().tally().regressed,
            alone.compared().tally().inconclusive
        ),
        (0, 0)
    );
}
