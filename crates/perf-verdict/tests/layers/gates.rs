//! Limits, waivers, exact counts.

use crate::layers::case::{Case, launches, run};

#[test]
fn floors_soft_limits_and_waivers() {
    let config = "[[gates]]\nmetric = 'timeNs'\nrule = 'limit'\nlimit = 0.3\nwarn = 0.1\nfloor = '5 ns'\n\
        [[waivers]]\nscenario = 's2'\nreason = 'known'\nby = 'me'\nuntil = 2026-12-31\n\
        [[waivers]]\nscenario = 's3'\nreason = 'known'\nby = 'me'\nuntil = 2026-01-31\n\
        [[waivers]]\nscenario = 'never'\nreason = 'known'\nby = 'me'\nuntil = 2026-12-31\n";
    let case = Case {
        config: config.to_owned(),
        baseline: run("c0", &[4.0, 100.0, 100.0, 100.0]),
        current: run("now", &[8.0, 120.0, 300.0, 300.0]),
        ..Case::default()
    };
    insta::assert_snapshot!(case.verdicts(), @"
    s0 timeNs: Moved by Floor
    s1 timeNs: Moved by Limit warned
    s2 timeNs: Regressed by Limit waived
    s3 timeNs: Regressed by Limit
    ");
    let compared = case.compared();
    assert_eq!(
        (compared.tally().regressed, compared.tally().waived),
        (1, 1)
    );
    let uses: Vec<(usize, bool)> = compared
        .waivers
        .iter()
        .map(|waiver| (waiver.covered, waiver.is_expired))
        .collect();
    assert_eq!(uses, [(1, false), (1, true), (0, false)]);
}

#[test]
fn usual_steps_of_a_count_pass() {
    let counts = |commit: &str, count: u32| {
        format!("scenario,platform,commit,runIndex,instructions\ns0,P,{commit},-1,{count}\n")
    };
    let mut case = Case {
        baseline: counts("c0", 1_000_000),
        current: counts("now", 1_002_001),
        ..Case::default()
    };
    insta::assert_snapshot!(case.verdicts(), @"s0 instructions: Regressed by Count");
    case.current = counts("now", 1_002_000);
    insta::assert_snapshot!(case.verdicts(), @"s0 instructions: Unchanged by Count");
    case.current = counts("now", 1_003_900);
    case.history = (0..12)
        .map(|at| counts(&format!("h{at}"), 1_000_000 + 4_000 * (at % 2)))
        .collect();
    insta::assert_snapshot!(case.verdicts(), @"s0 instructions: Unchanged by Count");
}

#[test]
fn a_percentile_of_few_values_is_informational() {
    let row = |commit: &str, p99: u32, requests: u32| {
        format!(
            "scenario,platform,commit,runIndex,latencyP99Ms,requests\ns0,P,{commit},-1,{p99},{requests}\n"
        )
    };
    let case = |requests| Case {
        baseline: row("c0", 10, requests),
        current: row("now", 90, requests),
        ..Case::default()
    };
    insta::assert_snapshot!(case(2_999).verdicts(), @"
    s0 latencyP99Ms: Moved by Tail
    s0 requests: Unchanged by NotGated
    ");
    insta::assert_snapshot!(case(3_000).verdicts(), @"
    s0 latencyP99Ms: Regressed by Limit
    s0 requests: Unchanged by NotGated
    ");
}

#[test]
fn pattern_gates_matching_benchmarks() {
    let row = |commit: &str, [cold, warm, score]: [u32; 3]| {
        format!(
            "scenario,platform,commit,runIndex,coldNs,warmNs,score\ns0,P,{commit},-1,{cold},{warm},{score}\n"
        )
    };
    let config = "[deltas]\nalso = []\n[[gates]]\nmetric = '*Ns'\nrule = 'limit'\nlimit = 0.1\n";
    let (baseline, current) = (row("c0", [100, 100, 1]), row("now", [100, 120, 2]));
    let case = Case {
        config: config.to_owned(),
        baseline,
        current,
        ..Case::default()
    };
    insta::assert_snapshot!(case.verdicts(), @"
    s0 coldNs: Unchanged by Limit
    s0 warmNs: Regressed by Limit
    ");
    assert_eq!(case.compared().idle_gates, []);
}

#[test]
fn one_tick_of_the_clock_is_no_regression() {
    // Clock ticks divided by the iterations in a sample.
    let side = |commit, tick: f64, ticks: &[f64]| {
        launches(
            commit,
            &ticks.iter().map(|ticks| tick * ticks).collect::<Vec<_>>(),
        )
    };
    let base = [2.0, 2.0, 2.0, 3.0, 2.0, 2.0, 3.0, 4.0, 2.0];
    let [one_more, three_more] = [1.0, 3.0].map(|more| base.map(|ticks| ticks + more));
    for tick in [41.67, 1e6, 100.0 / 64.0] {
        let verdicts = |current: &[f64]| {
            let baseline = side("c0", tick, &base);
            Case {
                baseline,
                current: side("now", tick, current),
                ..Case::default()
            }
            .verdicts()
        };
        assert_eq!(verdicts(&one_more), "s0 timeNs: Moved by Floor");
        assert_eq!(verdicts(&three_more), "s0 timeNs: Regressed by Limit");
        // Times between ticks show that the clock is fine enough.
        let fine = one_more.map(|ticks| if ticks > 3.0 { 3.4 } else { ticks });
        assert_eq!(verdicts(&fine), "s0 timeNs: Inconclusive by Samples");
    }
    // Neither an outlier nor two modes look like ticks.
    for base in [
        [12.0, 12.0, 12.0, 12.0, 12.0, 12.0, 12.0, 18.0],
        [12.0, 18.0, 12.0, 12.0, 18.0, 12.0, 12.0, 18.0],
    ] {
        let (baseline, current) = (side("c0", 1e6, &base), side("now", 1e6, &[18.0; 8]));
        let verdicts = Case {
            current,
            baseline,
            ..Case::default()
        }
        .verdicts();
        assert!(!verdicts.contains("Floor"), "{verdicts}");
    }
}

#[test]
fn ungated_wall_time_is_not_reported_next_to_processor_time() {
    let gates = |cpu: &str| {
        format!(
            "[[gates]]\nmetric = 'cpuTimeNs'\nrule = '{cpu}'\n[[gates]]\nmetric = 'timeNs'\nrule = 'none'\n"
        )
    };
    let run = |wall: u32, cpu: &str| format!("scenario,timeNs,cpuTimeNs\ns0,{wall},{cpu}\n");
    for (cpu, is_unguarded, time) in [
        ("limit", false, "90"),
        ("none", true, "90"),
        ("limit", true, ""),
    ] {
        let (baseline, current) = (run(100, "90"), run(900, time));
        let case = Case {
            config: gates(cpu),
            baseline,
            current,
            ..Case::default()
        };
        let compared = case.compared();
        let judgement = &compared.scopes[0].scenarios[0].metrics[0].judgement;
        assert_eq!(
            (judgement.is_gated(), judgement.is_unguarded),
            (false, is_unguarded),
            "{cpu}"
        );
    }
}
