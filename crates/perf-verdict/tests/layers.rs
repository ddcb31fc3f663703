//! The strongest rule that the data allow, on whole suites.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use perf_config::Config;
use perf_model::suite::{Filter, Suite};
use perf_readers::{Collector, ParseReport};
use perf_verdict::{Comparison, Missed, Policy, Sides, Verdict, compare};
use proptest::prelude::*;

/// Rows of one run, read.
fn read(config: &Config, csv: &str) -> ParseReport {
    let mut collector = Collector::new(config);
    collector.read("csv", &mut csv.as_bytes()).unwrap();
    collector.finish()
}

/// The sides of a comparison as text.
#[derive(Clone, Default)]
struct Case {
    config: String,
    current: String,
    baseline: String,
    history: Vec<String>,
    repeats: Vec<String>,
    paired: bool,
}

impl Case {
    fn compared(&self) -> Comparison {
        let config = Config::parse(&self.config).unwrap();
        let read = |csv: &String| read(&config, csv);
        let (current, baseline) = (read(&self.current), read(&self.baseline));
        let history: Vec<ParseReport> = self.history.iter().map(read).collect();
        let repeats: Vec<ParseReport> = self.repeats.iter().map(read).collect();
        let suite = |report: &ParseReport| {
            let rows: &'static [_] = Vec::leak(report.rows.clone());
            Suite::new(rows, Box::leak(Box::new(config.clone())), &Filter::default())
        };
        let (current, baseline) = (suite(&current), suite(&baseline));
        let history: Vec<Suite<'_>> = history.iter().map(suite).collect();
        let repeats: Vec<Suite<'_>> = repeats.iter().map(suite).collect();
        let sides = Sides {
            current: &current,
            baseline: &baseline,
            history: &history,
            repeats: &repeats,
            paired: self.paired,
        };
        let today = perf_config::Date::new(2026, 11, 21);
        compare(&sides, &config, Policy { today, ..Policy::of(&config) })
    }

    fn verdicts(&self) -> String {
        let compared = self.compared();
        let failed = compared.blind.iter().filter(|blind| blind.why.is_failed_test());
        assert_eq!(failed.count(), 0, "a regression would not be caught");
        let scenarios = compared.scopes.iter().flat_map(|scope| &scope.scenarios);
        let lines = scenarios.flat_map(|scenario| {
            scenario.metrics.iter().map(|metric| {
                let why = format!("{:?}", metric.judgement.reason);
                let why = why.split([' ', '(', '{']).next().unwrap_or_default();
                let waived = if metric.judgement.waived.is_some() { " waived" } else { "" };
                let warned = if metric.judgement.warned { " warned" } else { "" };
                let verdict = metric.judgement.verdict;
                format!("{} {}: {verdict:?} by {why}{waived}{warned}", scenario.scenario, metric.metric.name)
            })
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// One run: a commit, and the time of each scenario.
fn run(commit: &str, times: &[f64]) -> String {
    let rows = times.iter().enumerate().map(|(at, time)| format!("s{at},P,{commit},-1,{time}\n"));
    format!("scenario,platform,commit,runIndex,timeNs\n{}", rows.collect::<String>())
}

/// Several launches of one scenario.
fn launches(commit: &str, times: &[f64]) -> String {
    let rows = times.iter().enumerate().map(|(at, time)| format!("s0,P,{commit},{at},{time}\n"));
    format!("scenario,platform,commit,runIndex,timeNs\n{}", rows.collect::<String>())
}

/// Noise of one percent, which repeats.
fn noise(run: usize) -> f64 {
    [1.0, 1.01, 0.99, 1.005, 0.995, 1.0, 0.99][run % 7]
}

/// A history of this many runs with one time for each scenario, and a current run.
fn with_history(runs: usize, usual: &[f64], current: &[f64]) -> Case {
    let earlier =
        |at: usize| run(&format!("c{at}"), &usual.iter().map(|time| time * noise(at)).collect::<Vec<_>>());
    let history: Vec<String> = (0..runs).map(earlier).collect();
    let baseline = history.last().cloned().unwrap_or_else(|| run("c0", usual));
    Case { current: run("now", current), baseline, history, ..Case::default() }
}

#[test]
fn a_suspect_needs_confirmation() {
    let mut case = with_history(12, &[100.0, 200.0], &[130.0, 201.0]);
    insta::assert_snapshot!(case.verdicts(), @"
    s0 timeNs: Inconclusive by History
    s1 timeNs: Unchanged by History
    ");
    case.repeats = vec![run("now", &[131.0, 200.0])];
    insta::assert_snapshot!(case.verdicts(), @"
    s0 timeNs: Regressed by History
    s1 timeNs: Unchanged by History
    ");
    case.repeats = vec![run("now", &[101.0, 200.0])];
    insta::assert_snapshot!(case.verdicts(), @"
    s0 timeNs: Moved by History
    s1 timeNs: Unchanged by History
    ");
    case.repeats.clear();
    case.config = "[history]\nsuspects = 'fail'\n".to_owned();
    insta::assert_snapshot!(case.verdicts(), @"
    s0 timeNs: Regressed by History
    s1 timeNs: Unchanged by History
    ");
}

#[test]
fn a_large_suite_needs_two_confirmation_runs() {
    let usual = vec![100.0; 51];
    let mut now = usual.clone();
    now[7] = 140.0;
    let mut case = with_history(12, &usual, &now);
    case.repeats = vec![run("now", &now)];
    assert_eq!(case.compared().repeats, (2, 1));
    assert_eq!(case.compared().tally().inconclusive, 1);
    case.repeats.push(run("now", &now));
    assert_eq!(case.compared().tally().regressed, 1);
}

#[test]
fn a_short_history_leaves_the_fixed_limit() {
    let mut case = with_history(9, &[100.0], &[130.0]);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Moved by Threshold");
    case.current = run("now", &[160.0]);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Regressed by Threshold");
}

#[test]
fn a_chosen_threshold_overrides_the_history() {
    let mut case = with_history(12, &[100.0], &[120.0]);
    case.repeats = vec![run("now", &[120.0])];
    case.config = "[deltas]\nthreshold = 0.3\n".to_owned();
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Moved by History");
    case.config = "[deltas]\nthreshold = 0.1\n".to_owned();
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
    case.config = "[deltas]\nthreshold = 0.02\n".to_owned();
    let power = case.compared().scopes[0].scenarios[0].metrics[0].judgement.power.clone();
    assert!(power.is_too_tight && power.detectable.unwrap() > 0.05, "{power:?}");
}

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
fn the_history_has_one_machine_and_distinct_commits() {
    let mut case = with_history(12, &[100.0], &[130.0]);
    for earlier in &mut case.history {
        *earlier = earlier.replace("timeNs\n", "timeNs,machineClass\n").trim_end().to_owned() + ",other\n";
    }
    case.current =
        case.current.replace("timeNs\n", "timeNs,machineClass\n").trim_end().to_owned() + ",this\n";
    case.baseline =
        case.baseline.replace("timeNs\n", "timeNs,machineClass\n").trim_end().to_owned() + ",this\n";
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Moved by Threshold");
    let mut same = with_history(12, &[100.0], &[130.0]);
    for commit in ["c1", ""] {
        same.history = vec![run(commit, &[100.0]); 40];
        insta::allow_duplicates! {
            insta::assert_snapshot!(same.verdicts(), @"s0 timeNs: Moved by Threshold");
        }
    }
}

#[test]
fn samples_need_confirmation() {
    let base: Vec<f64> = (0..6).map(|launch| 100.0 + f64::from(launch)).collect();
    let slower: Vec<f64> = base.iter().map(|time| time * 1.2).collect();
    let mut case =
        Case { current: launches("now", &slower), baseline: launches("c0", &base), ..Case::default() };
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Inconclusive by Samples");
    case.repeats = vec![launches("now", &slower)];
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Regressed by Samples");
    case.repeats = vec![launches("now", &base)];
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Moved by Samples");
    case.repeats.clear();
    case.current = launches("now", &slower[..2]);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Moved by Threshold");
    // Beyond the fixed limit, which fails alone, they agree or make it inconclusive.
    case.current = launches("now", &base.iter().map(|time| time * 1.6).collect::<Vec<_>>());
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Regressed by Threshold");
    case.baseline =
        launches("c0", &[60.0, 70.0, 80.0, 90.0, 300.0, 400.0, 500.0, 600.0].map(|time| time / 2.0));
    case.current =
        launches("now", &[60.0, 70.0, 80.0, 300.0, 300.0, 400.0, 500.0, 600.0].map(|time| time / 2.0));
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Inconclusive by Samples");
}

/// Iterations of a scenario, grouped into launches.
fn iterations(commit: &str, launches: usize, time: f64) -> String {
    let row = |at: usize| {
        let (launch, noise) = (at / 30, 1.0 + f64::from(u32::try_from(at % 7).unwrap()) * 0.001);
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
            repeats: vec![iterations("now", 1, time)],
            ..Case::default()
        };
        assert_eq!(case.verdicts(), format!("s0 timeNs: {verdict} by Threshold"));
        let compared = case.compared();
        let [base, now] =
            **compared.scopes[0].scenarios[0].metrics[0].extra.as_ref().unwrap().iterations.as_ref().unwrap();
        assert_eq!((base.count, base.launches, now.count, now.launches), (30, 1, 30, 1));
        assert!(now.noise.is_some_and(|noise| noise > 0.001 && noise < 0.01), "{now:?}");
    }
}

#[test]
fn iterations_of_several_processes_are_as_many_launches() {
    let case = |time, launches| Case {
        baseline: iterations("c0", launches, 100.0),
        current: iterations("now", launches, time),
        repeats: vec![iterations("now", 1, time)],
        ..Case::default()
    };
    assert_eq!(case(120.0, 3).verdicts(), "s0 timeNs: Moved by Threshold");
    assert_eq!(case(120.0, 4).verdicts(), "s0 timeNs: Regressed by Samples");
    assert_eq!(case(80.0, 4).verdicts(), "s0 timeNs: Improved by Samples");
}

#[test]
fn unmarked_rows_of_an_old_baseline_are_not_tested_against_iterations() {
    let unmarked = iterations("c0", 1, 100.0).replace(",1,", ",,");
    let case = Case { baseline: unmarked, current: iterations("now", 1, 120.0), ..Case::default() };
    assert_eq!(case.verdicts(), "s0 timeNs: Moved by Threshold");
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
    case.current = launches("now", &slower[..19]);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Inconclusive by Pairs");
    case.current = launches("now", &base);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Unchanged by Pairs");
    // Too few pairs conclude nothing, whatever a fixed limit says of their medians.
    case.history.clear();
    for pairs in [1, 5, 19] {
        case.current = launches("now", &vec![900.0; pairs]);
        case.baseline = launches("c11", &vec![100.0; pairs]);
        insta::allow_duplicates! {
            insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Inconclusive by Pairs");
        }
    }
}

#[test]
fn a_throughput_of_zero_is_the_slowest_launch() {
    let side = |commit: &str, rate: fn(u32) -> u32| {
        let rows = (0..60).map(|run| format!("s0,P,{commit},{run},{}\n", rate(run)));
        format!("scenario,platform,commit,runIndex,opsPerSecond\n{}", rows.collect::<String>())
    };
    let baseline = side("c0", |_| 100);
    let current = side("now", |run| if run % 5 == 4 { 100 } else { 0 });
    let case = Case { current, baseline, paired: true, ..Case::default() };
    insta::assert_snapshot!(case.verdicts(), @"s0 opsPerSecond: Regressed by Pairs");
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
fn floors_soft_limits_and_waivers() {
    let config = "[[gates]]\nmetric = 'timeNs'\nrule = 'threshold'\nthreshold = 0.3\nwarn = 0.1\nfloor = '5 ns'\n\
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
    s1 timeNs: Moved by Threshold warned
    s2 timeNs: Regressed by Threshold waived
    s3 timeNs: Regressed by Threshold
    ");
    let compared = case.compared();
    assert_eq!((compared.tally().regressed, compared.tally().waived), (1, 1));
    let uses: Vec<(usize, bool)> =
        compared.waivers.iter().map(|waiver| (waiver.covered, waiver.is_expired)).collect();
    assert_eq!(uses, [(1, false), (1, true), (0, false)]);
}

#[test]
fn the_ratchet_detects_a_creep() {
    let mut case = with_history(0, &[100.0], &[122.0]);
    case.history = (0..20).map(|week| run(&format!("c{week}"), &[100.0 * 1.01f64.powi(week)])).collect();
    case.baseline = run("c19", &[120.8]);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Unchanged by History");
    case.config = "[history]\nratchet = 0.1\n".to_owned();
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Inconclusive by Ratchet");
    case.repeats = vec![run("now", &[121.0])];
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Regressed by Ratchet");
    case.repeats = vec![run("now", &[101.0])];
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Unchanged by History");
}

#[test]
fn usual_steps_of_a_count_pass() {
    let counts = |commit: &str, count: u32| {
        format!("scenario,platform,commit,runIndex,instructions\ns0,P,{commit},-1,{count}\n")
    };
    let mut case =
        Case { baseline: counts("c0", 1_000_000), current: counts("now", 1_002_001), ..Case::default() };
    insta::assert_snapshot!(case.verdicts(), @"s0 instructions: Regressed by Count");
    case.current = counts("now", 1_002_000);
    insta::assert_snapshot!(case.verdicts(), @"s0 instructions: Unchanged by Count");
    case.current = counts("now", 1_003_900);
    case.history = (0..12).map(|at| counts(&format!("h{at}"), 1_000_000 + 4_000 * (at % 2))).collect();
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
    s0 latencyP99Ms: Regressed by Threshold
    s0 requests: Unchanged by NotGated
    ");
}

#[test]
fn a_pattern_gates_what_it_matches() {
    let row = |commit: &str, [cold, warm, score]: [u32; 3]| {
        format!(
            "scenario,platform,commit,runIndex,coldNs,warmNs,score\ns0,P,{commit},-1,{cold},{warm},{score}\n"
        )
    };
    let config = "[deltas]\nalso = []\n[[gates]]\nmetric = '*Ns'\nrule = 'threshold'\nthreshold = 0.1\n";
    let (baseline, current) = (row("c0", [100, 100, 1]), row("now", [100, 120, 2]));
    let case = Case { config: config.to_owned(), baseline, current, ..Case::default() };
    insta::assert_snapshot!(case.verdicts(), @"
    s0 coldNs: Unchanged by Threshold
    s0 warmNs: Regressed by Threshold
    ");
    assert_eq!(case.compared().idle_gates, []);
}

#[test]
fn a_large_regression_needs_no_confirmation() {
    let mut case = with_history(12, &[100.0], &[175.0]);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Regressed by History");
    // But a confirmation run within the limit refutes it.
    case.repeats = vec![run("now", &[101.0])];
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Moved by History");
    case.repeats.clear();
    case.current = run("now", &[150.0]);
    insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Inconclusive by History");
}

#[test]
fn a_merged_regression_stays_suspect() {
    for runs in [12, 20, 30] {
        let mut case = with_history(runs, &[100.0], &[200.0]);
        case.baseline = run("merged", &[200.0]);
        case.repeats = vec![run("now", &[200.0])];
        insta::allow_duplicates! {
            insta::assert_snapshot!(case.verdicts(), @"s0 timeNs: Regressed by History");
        }
    }
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

/// Why metrics cannot fail.
fn blind(case: &Case) -> Vec<Missed> {
    case.compared().blind.into_iter().map(|blind| blind.why).collect()
}

#[test]
fn what_cannot_fail_is_named() {
    let mut case = with_history(12, &[100.0], &[100.0]);
    assert_eq!(blind(&case), []);
    case.config = "gates = []\n".to_owned();
    assert_eq!(blind(&case), [Missed::NotGated]);
    case.config = "[deltas]\nfail-on = ['missing']\n".to_owned();
    assert_eq!(blind(&case), [Missed::NotFailing(Verdict::Regressed)]);
    case.config = "[[waivers]]\nscenario = '*'\nreason = 'x'\nby = 'me'\nuntil = 2026-12-31\n".to_owned();
    assert_eq!(blind(&case), [Missed::Waived(0)]);
    case.config = case.config.replace("2026-12", "2026-01");
    assert_eq!(blind(&case), []);
    let gate = |floor: &str| format!("[[gates]]\nmetric = 'timeNs'\nrule = 'threshold'\nfloor = '{floor}'\n");
    case.config = gate("1 s");
    assert_eq!(blind(&case), [Missed::Floor(1e9)]);
    case.config = gate("800 ns");
    assert_eq!(blind(&case), []);
}

#[test]
fn a_history_that_allows_ten_times_the_cost_is_named() {
    let mut case = with_history(12, &[100.0], &[100.0]);
    for (at, earlier) in case.history.iter_mut().enumerate().filter(|(at, _)| at % 3 == 0) {
        *earlier = run(&format!("c{at}"), &[15_000.0]);
    }
    let [Missed::Band(growth)] = blind(&case)[..] else { panic!("{:?}", blind(&case)) };
    assert!(growth > 100.0, "{growth}");
    assert_eq!(case.compared().tally().blind, 1);
}

#[test]
fn a_gate_without_effect_fails_the_self_test() {
    let mut case = Case { baseline: run("c0", &[100.0]), current: run("now", &[100.0]), ..Case::default() };
    assert_eq!(case.compared().tested, 1);
    case.config = "[deltas]\nthreshold = 0.95\n".to_owned();
    assert_eq!(case.compared().blind.len(), 1);
}

/// A suite with a history and an erratic current run.
fn suite() -> impl Strategy<Value = (Vec<Vec<f64>>, Vec<f64>)> {
    (1usize..14, 0usize..16).prop_flat_map(|(scenarios, runs)| {
        let times = move |from, to| prop::collection::vec(from..to, scenarios);
        (prop::collection::vec(times(90.0, 110.0), runs), times(60.0, 300.0))
    })
}

fn case_of(history: &[Vec<f64>], current: &[f64], by: f64) -> Case {
    let scaled = |times: &[f64]| times.iter().map(|time| time * by).collect::<Vec<f64>>();
    let history: Vec<String> =
        history.iter().enumerate().map(|(at, times)| run(&format!("c{at}"), &scaled(times))).collect();
    let baseline = history.last().cloned().unwrap_or_else(|| run("c0", &vec![100.0 * by; current.len()]));
    let now = run("now", &scaled(current));
    Case { current: now.clone(), baseline, history, repeats: vec![now], ..Case::default() }
}

fn all(case: &Case) -> Vec<Verdict> {
    let compared = case.compared();
    let scenarios = compared.scopes.iter().flat_map(|scope| &scope.scenarios);
    scenarios.flat_map(|one| one.metrics.iter().map(|metric| metric.judgement.verdict)).collect()
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
            repeats: case.repeats.iter().map(backwards).collect(),
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
