//! Samples, iterations and pairs.

use crate::layers::case::{Case, launches, noise, with_history};

#[test]
fn samples_need_confirmation() {
    let base: Vec<f64> = (0..6).map(|launch| 100.0 + f64::from(launch)).collect();
    let slower: Vec<f64> = base.iter().map(|time| time * 1.2).collect();
    let mut case = Case {
        current: launches("now", &slower),
        baseline: launches("c0", &base),
        ..Case::default()
    };
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Inconclusive by Samples");
    case.confirmation_runs = vec![launches("now", &slower)];
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Regressed by Samples");
    case.confirmation_runs = vec![launches("now", &base)];
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Moved by Samples");
    case.confirmation_runs.clear();
    case.current = launches("now", &slower[..2]);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Moved by Limit");
    // The fixed limit alone would fail both of the following. Process runs that disagree make the verdict inconclusive.
    case.current = launches(
        "now",
        &base.iter().map(|time| time * 1.6).collect::<Vec<_>>(),
    );
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Regressed by Limit");
    case.baseline = launches(
        "c0",
        &[60.0, 70.0, 80.0, 90.0, 300.0, 400.0, 500.0, 600.0].map(|time| time / 2.0),
    );
    case.current = launches(
        "now",
        &[60.0, 70.0, 80.0, 300.0, 300.0, 400.0, 500.0, 600.0].map(|time| time / 2.0),
    );
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Inconclusive by Samples");
}

/// A scenario's iterations, grouped into process runs.
fn iterations(commit: &str, launches: usize, time: f64) -> String {
    let row = |at: usize| {
        let (launch, noise) = (
            at / 30,
            1.0 + f64::from(u32::try_from(at % 7).unwrap()) * 0.001,
        );
        format!(
            "s0,P,{commit},{at},{},{}\n",
            launch + 1,
            time * noise * (1.0 + 0.001 * f64::from(u32::try_from(launch).unwrap()))
        )
    };
    let rows: String = (0..launches * 30).map(row).collect();
    format!("scenario,platform,commit,runIndex,launchIndex,timeNs\n{rows}")
}

#[test]
fn iterations_of_one_process_are_no_samples() {
    for (time, verdict) in [(80.0, "Moved"), (120.0, "Moved"), (160.0, "Regressed")] {
        let case = Case {
            baseline: iterations("c0", 1, 100.0),
            current: iterations("now", 1, time),
            confirmation_runs: vec![iterations("now", 1, time)],
            ..Case::default()
        };
        assert_eq!(case.verdicts(), format!("s0 timeNs: {verdict} by Limit"));
        let compared = case.compared();
        let metric = &compared.scopes[0].scenarios[0].metrics[0];
        let [base, now] = metric.extra.iterations.unwrap();
        assert_eq!(
            (base.count, base.launches, now.count, now.launches),
            (30, 1, 30, 1)
        );
        assert!(
            now.noise.is_some_and(|noise| noise > 0.001 && noise < 0.01),
            "{now:?}"
        );
    }
}

#[test]
fn iterations_of_several_processes_are_as_many_launches() {
    let case = |time, launches| Case {
        baseline: iterations("c0", launches, 100.0),
        current: iterations("now", launches, time),
        confirmation_runs: vec![iterations("now", 1, time)],
        ..Case::default()
    };
    assert_eq!(case(120.0, 3).verdicts(), "s0 timeNs: Moved by Limit");
    assert_eq!(case(120.0, 4).verdicts(), "s0 timeNs: Regressed by Samples");
    assert_eq!(case(80.0, 4).verdicts(), "s0 timeNs: Improved by Samples");
}

#[test]
fn unmarked_rows_of_an_old_baseline_are_not_tested_against_iterations() {
    let unmarked = iterations("c0", 1, 100.0).replace(",1,", ",,");
    let case = Case {
        baseline: unmarked,
        current: iterations("now", 1, 120.0),
        ..Case::default()
    };
    assert_eq!(case.verdicts(), "s0 timeNs: Moved by Limit");
}

#[test]
fn pairs_override_the_history() {
    let base: Vec<f64> = (0..20).map(|pair| 100.0 * noise(pair)).collect();
    let slower: Vec<f64> = base.iter().map(|time| time * 1.06).collect();
    let mut case = with_history(12, &[100.0], &[100.0]);
    case.paired = true;
    case.current = launches("now", &slower);
    case.baseline = launches("c11", &base);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Regressed by Pairs");
    case.current = launches("now", &slower[..15]);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Inconclusive by Pairs");
    case.current = launches("now", &base);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Unchanged by Pairs");
    case.current = launches("now", &base[..8]);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Unchanged by Pairs");
    assert!(
        case.compared().blind.is_empty(),
        "slower, more pairs would have been measured"
    );
    // Too few pairs conclude nothing, even if their medians exceed a fixed limit.
    case.history.clear();
    for (pairs, now) in [(1, 900.0), (5, 900.0), (7, 900.0), (15, 120.0)] {
        case.current = launches("now", &vec![now; pairs]);
        case.baseline = launches("c11", &vec![100.0; pairs]);
        insta::allow_duplicates! {
            insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Inconclusive by Pairs");
        }
    }
    case.current = launches("now", &[900.0; 8]);
    case.baseline = launches("c11", &[100.0; 8]);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Regressed by Pairs");
}

#[test]
fn counts_that_vary_between_launches_regress_when_the_sides_lie_apart() {
    let side = |commit: &str, counts: &[u32]| {
        let rows = counts
            .iter()
            .enumerate()
            .map(|(run, count)| format!("s0,P,{commit},{run},{count}\n"));
        format!(
            "scenario,platform,commit,runIndex,allocations\n{}",
            rows.collect::<String>()
        )
    };
    let verdict = |base: &[u32], current: &[u32], paired| {
        let (baseline, current) = (side("c0", base), side("now", current));
        Case {
            current,
            baseline,
            paired,
            ..Case::default()
        }
        .verdicts()
    };
    let pool = [9, 9, 9, 9, 25, 25, 25, 25, 27, 27];
    let fuller = [9, 9, 9, 25, 25, 25, 25, 27];
    for paired in [true, false] {
        let verdict = |base: &[u32], current: &[u32]| verdict(base, current, paired);
        // The medians are 17 and 25, and 31,277 and 31,278.
        assert_eq!(
            verdict(&pool[..8], &fuller),
            "s0 allocations: Inconclusive by Exact"
        );
        assert_eq!(
            verdict(&fuller, &pool[..8]),
            "s0 allocations: Unchanged by Exact"
        );
        let hashed = [31_277, 31_276, 31_277, 31_278, 31_276];
        assert_eq!(
            verdict(&hashed, &hashed.map(|count| count + 1)),
            "s0 allocations: Unchanged by Exact"
        );
        // Further apart than process runs vary, and significantly higher.
        assert_eq!(
            verdict(&hashed, &hashed.map(|count| count + 5)),
            "s0 allocations: Regressed by Exact"
        );
        let higher = pool.map(|count| count + 19);
        assert_eq!(
            verdict(&pool, &higher),
            "s0 allocations: Regressed by Exact"
        );
        // So few process runs can be apart by chance.
        assert_eq!(
            verdict(&pool[..9], &higher[..9]),
            "s0 allocations: Inconclusive by Exact"
        );
        assert_eq!(
            verdict(&[10, 11, 10, 11], &[20, 21, 21, 20]),
            "s0 allocations: Inconclusive by Exact"
        );
        // With many process runs, a difference that is small compared with the variation is unchanged. With fewer
        // process runs, or a small p-value, it is inconclusive.
        let varied = [35, 37, 39, 41, 41, 44, 50, 56];
        let shifted = [36, 38, 39, 42, 42, 43, 51, 55];
        assert_eq!(
            verdict(&varied, &shifted),
            "s0 allocations: Unchanged by Exact"
        );
        assert_eq!(
            verdict(&varied[1..], &shifted[1..]),
            "s0 allocations: Inconclusive by Exact"
        );
        let leaning = varied.map(|count| if count < 41 { count + 8 } else { count + 4 });
        assert_eq!(
            verdict(&varied, &leaning),
            "s0 allocations: Inconclusive by Exact"
        );
        // Counts that do not vary are exact.
        assert_eq!(
            verdict(&[9; 8], &[10; 8]),
            "s0 allocations: Regressed by Exact"
        );
        assert_eq!(
            verdict(&[9; 8], &[9, 9, 9, 9, 9, 10, 10, 10]),
            "s0 allocations: Unchanged by Exact"
        );
    }
}

#[test]
fn a_throughput_of_zero_is_the_slowest_launch() {
    let side = |commit: &str, rate: fn(u32) -> u32| {
        let rows = (0..60).map(|run| format!("s0,P,{commit},{run},{}\n", rate(run)));
        format!(
            "scenario,platform,commit,runIndex,opsPerSecond\n{}",
            rows.collect::<String>()
        )
    };
    let baseline = side("c0", |_| 100);
    let current = side("now", |run| if run % 5 == 4 { 100 } else { 0 });
    let case = Case {
        current,
        baseline,
        paired: true,
        ..Case::default()
    };
    insta::assert_snapshot!(case.verdicts(), @"s0 opsPerSecond: Regressed by Pairs");
}

/// `count` process runs with 1% noise, the first `far` of which cost `times` as much.
fn mixed(count: usize, far: usize, times: f64) -> Vec<f64> {
    (0..count)
        .map(|launch| 100.0 * noise(launch) * if launch < far { times } else { 1.0 })
        .collect()
}

#[test]
fn base_that_ran_current_output_is_inconclusive() {
    let launches = |commit: &str, time: f64, method: &str| {
        let row =
            |run| format!("s0,linux,{commit},{run},{time},\"pairs in random order{method}\"\n");
        "scenario,platform,commit,runIndex,timeNs,methodology\n".to_owned()
            + &(0..20).map(row).collect::<String>()
    };
    let case = |method: &str| Case {
        current: launches("now", 120.0, ""),
        baseline: launches("c0", 100.0, method),
        paired: true,
        ..Case::default()
    };
    insta::assert_snapshot!(case(", with `dist/index.js` of the current side").verdicts(), @"s0 timeNs: Inconclusive by Obstacle");
    insta::assert_snapshot!(case(", at two paths").verdicts(), @"s0 timeNs: NotComparable by Obstacle");
    insta::assert_snapshot!(case("").verdicts(), @"s0 timeNs: Regressed by Pairs");
}

#[test]
fn pairs_of_times_below_zero_are_no_evidence() {
    // Half of the process runs have a negative time, as an extrapolated quartile of two rounds can be.
    let quickest = |pair: usize| {
        if pair.is_multiple_of(2) {
            -300.0
        } else {
            100.0
        }
    };
    let case = |slower: f64| Case {
        current: launches_of_samples(
            "now",
            |pair| slower * quickest(pair + 1),
            |_| 200.0 * slower,
        ),
        baseline: launches_of_samples("c0", quickest, |_| 200.0),
        paired: true,
        ..Case::default()
    };
    insta::assert_snapshot!(case(1.6).verdicts(), @"s0 timeNs: Inconclusive by Limit");
}

#[test]
fn limit_below_two_percent_is_the_margin_of_pairs() {
    let base: Vec<f64> = (0..30).map(|pair| 100.0 * noise(pair)).collect();
    let by = |factor: f64, metric: &str, config: &str| {
        let now: Vec<f64> = base.iter().map(|number| number * factor).collect();
        let rows =
            |commit: &str, numbers: &[f64]| launches(commit, numbers).replace("timeNs", metric);
        let case = Case {
            config: config.to_owned(),
            current: rows("now", &now),
            baseline: rows("c0", &base),
            paired: true,
            ..Case::default()
        };
        case.verdicts()
    };
    let of_gate =
        |metric: &str| format!("[[gates]]\nmetric = '{metric}'\nrule = 'limit'\nlimit = '0.5%'\n");
    let said = [
        by(1.01, "timeNs", ""),
        by(1.01, "timeNs", "[deltas]\nlimit = 0.005\n"),
        by(1.01, "timeNs", &of_gate("timeNs")),
        by(1.003, "timeNs", &of_gate("timeNs")),
        by(0.99, "opsPerSecond", &of_gate("opsPerSecond")),
        // No limit, and one below the minimum: 2% as usual.
        by(1.01, "timeNs", "[deltas]\nlimit = 0.0\n"),
        by(1.01, "timeNs", "[deltas]\nlimit = 0.0009\n"),
    ];
    insta::assert_snapshot!(said.join("\n"), @"
    s0 timeNs: Unchanged by Pairs
    s0 timeNs: Regressed by Pairs
    s0 timeNs: Regressed by Pairs
    s0 timeNs: Unchanged by Pairs
    s0 opsPerSecond: Regressed by Pairs
    s0 timeNs: Unchanged by Pairs
    s0 timeNs: Unchanged by Pairs
    ");
}

#[test]
fn pairs_compare_unchanged_code_with_itself() {
    let of_base = |at: i32| if at % 2 == 0 { 100.0 } else { 120.0 };
    let base: Vec<f64> = (0..20).map(of_base).collect();
    let case = |current: Vec<f64>| Case {
        current: launches("now", &current),
        baseline: launches("c0", &base),
        paired: true,
        ..Case::default()
    };
    // The current side's process runs vary with the base's, or in the opposite direction.
    let (alike, opposed) = (
        base.iter().map(|time| time * 1.4),
        (1..21).map(|at| 1.4 * of_base(at)),
    );
    let (alike, opposed) = (case(alike.collect()), case(opposed.collect()));
    let flagged = |case: &Case| {
        case.compared()
            .self_comparison()
            .map(|found| (found.flagged, found.benchmarks))
    };
    assert_eq!(
        (flagged(&alike), flagged(&opposed)),
        (Some((0, 1)), Some((1, 1)))
    );
    insta::assert_snapshot!(alike.verdicts(), @"s0 timeNs: Regressed by Pairs");
    insta::assert_snapshot!(opposed.verdicts(), @"s0 timeNs: Inconclusive by Pairs");
    assert_eq!(
        flagged(&Case {
            paired: false,
            ..alike
        }),
        None
    );
}

#[test]
fn median_does_not_hide_far_slower_process_runs() {
    let pairs = |far: usize, times: f64, base_far: usize| {
        let (mut current, mut base) = (mixed(24, far, times), mixed(24, base_far, times));
        // The far slower process runs may be anywhere in the series.
        current.rotate_left(far / 2);
        base.rotate_left(9);
        Case {
            current: launches("now", &current),
            baseline: launches("c0", &base),
            paired: true,
            ..Case::default()
        }
    };
    let apart = |case: Case| Case {
        paired: false,
        ..case
    };
    insta::assert_snapshot!(pairs(6, 10.0, 0).verdicts(), @"s0 timeNs: Inconclusive by Mixture");
    insta::assert_snapshot!(apart(pairs(6, 10.0, 0)).verdicts(), @"s0 timeNs: Inconclusive by Mixture");
    insta::assert_snapshot!(pairs(6, 1.5, 0).verdicts(), @"s0 timeNs: Inconclusive by Mixture");
    // The median is within the limit, but a quarter of the process runs are beyond it.
    insta::assert_snapshot!(apart(pairs(6, 1.5, 0)).verdicts(), @"s0 timeNs: Inconclusive by Mixture");
    insta::assert_snapshot!(pairs(3, 10.0, 0).verdicts(), @"s0 timeNs: Unchanged by Pairs");
    // Dependent pairs, but even the wider bound stays within 5%.
    insta::assert_snapshot!(pairs(6, 10.0, 6).verdicts(), @"s0 timeNs: Unchanged by Pairs");
    insta::assert_snapshot!(pairs(9, 10.0, 9).verdicts(), @"s0 timeNs: Unchanged by Pairs");
    insta::assert_snapshot!(pairs(0, 1.0, 6).verdicts(), @"s0 timeNs: Unchanged by Pairs");
    let chosen = Case {
        config: "[deltas]\nlimit = 0.8\n".to_owned(),
        ..pairs(6, 10.0, 0)
    };
    insta::assert_snapshot!(chosen.verdicts(), @"s0 timeNs: Inconclusive by Mixture");
    let floor = "[[gates]]\nmetric = 'timeNs'\nrule = 'limit'\nfloor = ";
    insta::assert_snapshot!(Case { config: format!("{floor}'2 us'\n"), ..pairs(6, 10.0, 0) }.verdicts(), @"s0 timeNs: Unchanged by Pairs");
    insta::assert_snapshot!(Case { config: format!("{floor}'500 ns'\n"), ..pairs(6, 10.0, 0) }.verdicts(), @"s0 timeNs: Inconclusive by Mixture");
    let history = with_history(12, &[100.0], &[]).history;
    insta::assert_snapshot!(Case { history, ..apart(pairs(6, 1.5, 0)) }.verdicts(), @"s0 timeNs: Inconclusive by Mixture");
}

/// Process runs with the fastest decile and the median of their samples.
fn launches_of_samples(
    commit: &str,
    quickest: impl Fn(usize) -> f64,
    medians: impl Fn(usize) -> f64,
) -> String {
    let rows = (0..20_usize).map(|pair| {
        format!(
            "s0,P,{commit},{pair},{},{}\n",
            medians(pair),
            quickest(pair)
        )
    });
    format!(
        "scenario,platform,commit,runIndex,timeNs,timeNs.d1\n{}",
        rows.collect::<String>()
    )
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "below eleven")]
fn the_quickest_samples_of_launches_are_paired() {
    // A busy machine delays most samples in about every second process run.
    let disturbed =
        |seed: usize| move |pair: usize| 100.0 * (1.0 + ((pair * 7 + seed) % 11) as f64 / 10.0);
    let quick = |times: f64| move |pair: usize| times * 90.0 * noise(pair);
    let verdict = |current: String| {
        let baseline = launches_of_samples("c0", quick(1.0), disturbed(3));
        Case {
            current,
            baseline,
            paired: true,
            ..Case::default()
        }
        .verdicts()
    };
    insta::assert_snapshot!(
        verdict(launches_of_samples("now", quick(1.06), disturbed(5))), @"s0 timeNs: Regressed by Pairs"
    );
    insta::assert_snapshot!(
        verdict(launches_of_samples("now", quick(1.0), disturbed(5))), @"s0 timeNs: Unchanged by Pairs"
    );
    // Slower samples are detected although the fastest ones are equal.
    insta::assert_snapshot!(
        verdict(launches_of_samples("now", quick(1.0), |pair| 3.0 * disturbed(3)(pair))),
        @"s0 timeNs: Inconclusive by Pairs"
    );
    // If either side's fastest deciles are missing, medians are used.
    insta::assert_snapshot!(
        verdict(launches_of_samples("now", quick(1.06), disturbed(5)).replace(".d1", ".mad")),
        @"s0 timeNs: Inconclusive by Pairs"
    );
}

/// Process runs of a command by wall time and CPU time, in seconds.
fn commands(commit: &str, wall: impl Fn(usize) -> f64, cpu: impl Fn(usize) -> f64) -> String {
    let rows = (0..20_usize)
        .map(|pair| format!("s0,P,{commit},{pair},{0},{0},{1}\n", wall(pair), cpu(pair)));
    format!(
        "scenario,platform,commit,runIndex,timeS,grossTimeS,cpuTimeS\n{}",
        rows.collect::<String>()
    )
}

#[test]
fn the_quietest_time_is_gated() {
    // Every second process run shared its processor.
    let shared = |seed: usize| {
        move |pair: usize| {
            if (pair + seed).is_multiple_of(2) {
                0.1
            } else {
                0.15
            }
        }
    };
    let verdict = |baseline: String, current: String| {
        Case {
            current,
            baseline,
            paired: true,
            ..Case::default()
        }
        .verdicts()
    };
    let computes = |times: f64| move |pair: usize| 0.099 * times * noise(pair);
    insta::assert_snapshot!(
        verdict(commands("c0", shared(3), computes(1.0)), commands("now", shared(5), computes(1.06))), @"
    s0 timeS: Unchanged by NotGated
    s0 cpuTimeS: Regressed by Pairs
    s0 grossTimeS: Unchanged by NotGated
    "
    );
    // A waiting program is judged by its wall time, whatever its processor time is.
    let waits = |pair: usize| 0.1 * noise(pair);
    insta::assert_snapshot!(
        verdict(
            commands("c0", waits, |pair| 0.02 * noise(pair)),
            commands("now", waits, |pair| 0.03 * noise(pair))
        ), @"
    s0 timeS: Unchanged by Pairs
    s0 cpuTimeS: Moved by NotGated
    s0 grossTimeS: Unchanged by NotGated
    "
    );
    // The same applies to programs with several threads.
    insta::assert_snapshot!(
        verdict(
            commands("c0", waits, |pair| 0.2 * noise(pair)),
            commands("now", |pair| 2.0 * waits(pair), |pair| 0.2 * noise(pair))
        ), @"
    s0 timeS: Regressed by Pairs
    s0 cpuTimeS: Unchanged by NotGated
    s0 grossTimeS: Moved by NotGated
    "
    );
    // On a busy machine, wall time hides a slowdown that processor time shows.
    let busy = |turn: usize| f64::from(u32::try_from(turn % 10).unwrap());
    let delayed = |seed: usize| move |pair: usize| 0.1 + 0.02 * busy(pair * 7 + seed);
    insta::assert_snapshot!(
        verdict(
            commands("c0", delayed(1), |pair| 0.15 * noise(pair)),
            commands("now", delayed(4), |pair| 0.162 * noise(pair))
        ), @"
    s0 timeS: Moved by NotGated
    s0 cpuTimeS: Regressed by Pairs
    s0 grossTimeS: Unchanged by NotGated
    ");
    // Growth in processor time that is too small to matter in wall time does not fail.
    insta::assert_snapshot!(
        verdict(
            commands("c0", delayed(1), |pair| 0.01 * noise(pair)),
            commands("now", delayed(4), |pair| 0.0108 * noise(pair))
        ), @"
    s0 timeS: Inconclusive by Pairs
    s0 cpuTimeS: Moved by Floor
    s0 grossTimeS: Unchanged by NotGated
    ");
    // Parallel code may cost more processor time if it is faster.
    insta::assert_snapshot!(
        verdict(
            commands("c0", waits, |pair| 0.1 * noise(pair)),
            commands("now", |pair| 0.6 * waits(pair), |pair| 0.13 * noise(pair))
        ), @"
    s0 timeS: Improved by Pairs
    s0 cpuTimeS: Moved by NotGated
    s0 grossTimeS: Moved by NotGated
    ");
}

#[test]
fn single_bad_launches_are_left_out() {
    let base = mixed(20, 0, 1.0);
    let with = |bad: &[f64], times: f64| {
        let mut current: Vec<f64> = base.iter().map(|time| time * times).collect();
        current[3..3 + bad.len()].copy_from_slice(bad);
        launches("now", &current)
    };
    let case = |current: String, paired| Case {
        current,
        baseline: launches("c0", &base),
        paired,
        ..Case::default()
    };
    let dropped = |case: &Case| {
        let compared = case.compared();
        compared.scopes[0].scenarios[0].metrics[0].extra.dropped
    };
    for (bad, times, left_out, verdict) in [
        (&[-3.0][..], 10.0, 1, "Regressed by Limit"),
        (&[0.0], 10.0, 1, "Regressed by Limit"),
        (&[-3.0, 0.0], 10.0, 2, "Regressed by Limit"),
        (&[-3.0, -2.0], 1.0, 2, "Unchanged by Samples"),
        (&[-3.0, -2.0, 0.0], 10.0, 0, "NotComparable by Obstacle"),
    ] {
        let case = case(with(bad, times), false);
        assert_eq!(case.verdicts(), format!("s0 timeNs: {verdict}"), "{bad:?}");
        assert_eq!(dropped(&case), left_out, "{bad:?}");
    }
    // One of twenty pairs is dropped, and the analysis at sixteen decides.
    insta::assert_snapshot!(case(with(&[-3.0], 10.0), true).verdicts(), @"s0 timeNs: Regressed by Pairs");
    // The same for the baseline and for a confirmation run.
    let mut swapped = case(with(&[], 10.0), false);
    swapped.baseline = with(&[-3.0], 1.0).replace("now", "c0");
    insta::assert_snapshot!(swapped.verdicts(), @"s0 timeNs: Regressed by Limit");
    swapped.confirmation_runs = vec![with(&[-3.0], 10.0)];
    insta::assert_snapshot!(swapped.verdicts(), @"s0 timeNs: Regressed by Samples");
}
