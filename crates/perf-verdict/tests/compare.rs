//! Comparing two runs: gated metrics, missing and new scenarios.

use perf_config::Config;
use perf_model::suite::{Filter, Suite};
use perf_verdict::{Comparison, Obstacle, Reason, Rule, ScenarioComparison, Verdict};

use crate::layers::case::{Case, read};

fn compared(config: &str, baseline: &str, current: &str) -> Comparison {
    Case::of_runs(config, baseline, current).compared()
}

/// All decisions as text.
fn account(comparison: &Comparison) -> String {
    let mut lines = Vec::new();
    for scope in &comparison.scopes {
        lines.push(format!("[{}]", scope.scope));
        for scenario in &scope.scenarios {
            for metric in &scenario.metrics {
                let rule = match metric.judgement.rule {
                    Rule::Limit(limit) => format!("limit {limit}"),
                    Rule::Exact => "exact".to_owned(),
                    Rule::Count(limit) => format!("count {limit}"),
                    Rule::Equal => "equal".to_owned(),
                    Rule::Budget => "budget".to_owned(),
                    Rule::Report => "report".to_owned(),
                };
                let side = |value: Option<_>| {
                    value.map_or("-".to_owned(), |value: perf_model::row::Value| {
                        value.to_string()
                    })
                };
                let (before, now) = (side(metric.baseline), side(metric.current));
                let verdict = metric.judgement.verdict;
                lines.push(format!(
                    "{} {}: {before} -> {now} {rule}: {verdict:?}",
                    scenario.scenario, metric.metric.name
                ));
            }
        }
        lines.push(format!("missing {:?}, new {:?}", scope.missing, scope.new));
    }
    lines.push(format!("{:?}", comparison.tally()));
    lines.join("\n")
}

#[test]
fn without_a_config_names_decide_the_rule() {
    let baseline = "scenario,platform,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes,decodeNs,score,hits\n\
                    hot,A,100,0,5000,64,200,1,9\ncold,A,0,5,20,64,-1,2,-1\ngone,A,1,1,1,1,1,1,1\n";
    let current = "scenario,platform,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes,decodeNs,score,hits\n\
                   hot,A,60,1,9000,640,100,9,8\ncold,A,0,4,90,64,-1,2,-1\nfresh,A,1,1,1,1,1,1,1\n";
    insta::assert_snapshot!(account(&compared("", baseline, current)), @r#"
    [A]
    hot emitsPerSecond: 100 -> 60 limit 0.33: Regressed
    hot gcAllocations: 0 -> 1 exact: Regressed
    hot gcAllocatedBytes: 64 -> 640 report: Moved
    hot decodeNs: 200 -> 100 limit 0.33: Improved
    hot score: 1 -> 9 report: Moved
    hot hits: 9 -> 8 report: Moved
    cold gcAllocations: 5 -> 4 exact: Improved
    cold wallClockMs: 20 -> 90 report: Moved
    cold gcAllocatedBytes: 64 -> 64 report: Unchanged
    cold score: 2 -> 2 report: Unchanged
    missing ["gone"], new ["fresh"]
    Tally { changed: true, compared: 2, uncompared: 0, other_machine: 0, unmeasured: 0, regressed: 1, improved: 1, inconclusive: 0, not_comparable: 0, broken: 0, unoriented: 1, waived: 0, warned: 0, blind: 0, missing: 1, new: 1 }
    "#);
}

#[test]
fn other_libraries_are_not_compared() {
    let config = "primary = 'ops'\n[metrics.ops]\nbetter = 'higher'\n[metrics.allocs]\nexact = true\nbetter = 'lower'\n\
        [metrics.ms]\nbetter = 'lower'\n\
        [comparison]\nprefix = 'vs_'\nsubject = 'us'\ntechnologies = [{ key = 'us' }, { key = 'them' }]\nscenarios = [{ key = 'send' }]\n\
        [deltas]\nalso = ['allocs']\n\
        [[gates]]\nmetric = 'ops'\nrule = 'limit'\nrows = 'scenarios'\nlimit = 0.1\nscenarios = ['hot*']\n\
        [[gates]]\nmetric = 'ops'\nrule = 'limit'\nrows = 'scenarios'\n\
        [[gates]]\nmetric = 'allocs'\nrule = 'exact'\nrequires = 'ops'\n\
        [[gates]]\nmetric = 'ms'\nrule = 'limit'\nscenarios = ['cold']\n";
    let baseline = "scenario,ops,allocs,ms\nhot_1,100,1,1\nwarm,100,1,1\ncold,0,1,1\nvs_us_send,100,1,1\nvs_them_send,100,1,1\n";
    let current = "scenario,ops,allocs,ms\nhot_1,85,1,9\nwarm,85,1,9\ncold,0,2,9\nvs_us_send,1,2,9\nvs_them_send,1,2,9\n";
    insta::assert_snapshot!(account(&compared(config, baseline, current)), @"
    []
    hot_1 ops: 100 -> 85 limit 0.1: Regressed
    hot_1 allocs: 1 -> 1 exact: Unchanged
    hot_1 ms: 1 -> 9 limit 0.33: Regressed
    warm ops: 100 -> 85 limit 0.33: Moved
    warm allocs: 1 -> 1 exact: Unchanged
    warm ms: 1 -> 9 limit 0.33: Regressed
    cold allocs: 1 -> 2 report: Moved
    cold ms: 1 -> 9 limit 0.33: Regressed
    vs_us_send ops: 100 -> 1 report: Moved
    vs_us_send allocs: 1 -> 2 exact: Regressed
    vs_us_send ms: 1 -> 9 limit 0.33: Regressed
    missing [], new []
    Tally { changed: true, compared: 4, uncompared: 0, other_machine: 0, unmeasured: 0, regressed: 4, improved: 0, inconclusive: 0, not_comparable: 0, broken: 0, unoriented: 0, waived: 0, warned: 0, blind: 0, missing: 0, new: 0 }
    ");
}

#[test]
fn a_negative_sample_is_not_hidden_by_the_median() {
    let side = |samples: [&str; 3]| {
        let rows = samples
            .iter()
            .enumerate()
            .map(|(run, value)| format!("a,{run},{value}\n"));
        format!("scenario,runIndex,xNs\n{}", rows.collect::<String>())
    };
    let judged = |baseline, current| {
        let found = compared("", &side(baseline), &side(current));
        let metric = found.scopes[0].scenarios[0].metrics[0].clone();
        (metric.judgement.verdict, metric.judgement.reason)
    };
    let (healthy, broken) = (["5", "6", "7"], ["5", "-6", "7"]);
    let negative = (
        Verdict::NotComparable,
        Reason::Obstacle(Obstacle::FewPositive((1, 3))),
    );
    assert_eq!(judged(healthy, broken), negative);
    assert_eq!(judged(broken, healthy), negative);
    assert_ne!(judged(healthy, healthy).0, Verdict::NotComparable);
}

#[test]
fn whole_scopes_can_be_missing_or_new() {
    let baseline = "scenario,platform,xNs\na,Old,1\nb,Both,1\n";
    let current = "scenario,platform,xNs\nb,Both,1\na,New,1\n";
    insta::assert_snapshot!(account(&compared("", baseline, current)), @r#"
    [Both]
    b xNs: 1 -> 1 limit 0.33: Unchanged
    missing [], new []
    [New]
    missing [], new ["a"]
    [Old]
    missing ["a"], new []
    Tally { changed: false, compared: 1, uncompared: 0, other_machine: 0, unmeasured: 0, regressed: 0, improved: 0, inconclusive: 0, not_comparable: 0, broken: 0, unoriented: 0, waived: 0, warned: 0, blind: 0, missing: 1, new: 1 }
    "#);
}

#[test]
fn an_aggregate_stands_for_its_samples() {
    let baseline = "scenario,runIndex,xNs\na,0,10\na,1,30\na,2,20\nb,0,1\nb,-1,5\n";
    let current = "scenario,commit,runIndex,xNs\na,new,0,20\nb,new,-1,5\nb,old,-1,500\n";
    insta::assert_snapshot!(account(&compared("", baseline, current)), @"
    []
    a xNs: 20 -> 20 limit 0.33: Unchanged
    b xNs: 5 -> 5 limit 0.33: Unchanged
    missing [], new []
    Tally { changed: false, compared: 2, uncompared: 0, other_machine: 0, unmeasured: 0, regressed: 0, improved: 0, inconclusive: 0, not_comparable: 0, broken: 0, unoriented: 0, waived: 0, warned: 0, blind: 0, missing: 0, new: 0 }
    ");
}

#[test]
fn a_run_is_compared_as_a_baseline_stores_it() {
    // The baseline stores 0.2194 ms as 0.219: the same measurement is not a change.
    let comparison = compared(
        "deltas.tolerance = 0",
        "scenario,wallClockMs\na,0.219\n",
        "scenario,wallClockMs\na,0.2194\n",
    );
    assert!(!comparison.tally().changed);
    let comparison = compared(
        "",
        "scenario,decodeMs\na,0.219\n",
        "scenario,decodeMs\na,0.2294\n",
    );
    assert!(comparison.tally().changed);
}

#[test]
fn a_throughput_of_zero_is_judged() {
    let baseline = "scenario,emitsPerSecond,wallClockMs\na,100,5000\nb,100,5000\n";
    let current = "scenario,emitsPerSecond,wallClockMs\na,0,5000\nb,-1,5000\n";
    let account_of = |config| account(&compared(config, baseline, current));
    assert_eq!(account_of("deltas.also = []"), account_of(""));
    insta::assert_snapshot!(account_of(""), @"
    []
    a emitsPerSecond: 100 -> 0 limit 0.33: Regressed
    a wallClockMs: 5000 -> 5000 report: Unchanged
    b emitsPerSecond: 100 -> - limit 0.33: Unmeasured
    b wallClockMs: 5000 -> 5000 report: Unchanged
    missing [], new []
    Tally { changed: true, compared: 2, uncompared: 0, other_machine: 0, unmeasured: 1, regressed: 1, improved: 0, inconclusive: 0, not_comparable: 0, broken: 0, unoriented: 0, waived: 0, warned: 0, blind: 0, missing: 0, new: 0 }
    ");
}

#[test]
fn a_missing_gated_metric_is_unmeasured() {
    let baseline =
        "scenario,decodeNs,gcAllocations,gcAllocatedBytes\na,100,0,1\nb,100,0,1\nc,100,0,1\n";
    let current =
        "scenario,decodeNs,gcAllocations,gcAllocatedBytes\na,100,-1,1\nb,900,-1,1\nc,100,0,-1\n";
    let comparison = compared("", baseline, current);
    let verdicts: Vec<_> = comparison.scopes[0]
        .scenarios
        .iter()
        .map(ScenarioComparison::verdict)
        .collect();
    assert_eq!(
        verdicts,
        [Verdict::Unmeasured, Verdict::Regressed, Verdict::Unchanged]
    );
    assert_eq!(comparison.tally().unmeasured, 2);
}

#[test]
fn other_machines_bar_times_but_not_counts() {
    let baseline = "scenario,machineClass,decodeNs,gcAllocations\na,box-8c,100,0\n";
    let current = "scenario,machineClass,decodeNs,gcAllocations\na,box-2c,900,1\na,box-8c,1,0\n";
    insta::assert_snapshot!(account(&compared("", baseline, current)), @"
    []
    a decodeNs: 100 -> 900 limit 0.33: NotComparable
    a gcAllocations: 0 -> 1 exact: Regressed
    missing [], new []
    Tally { changed: true, compared: 1, uncompared: 0, other_machine: 1, unmeasured: 0, regressed: 1, improved: 0, inconclusive: 0, not_comparable: 1, broken: 0, unoriented: 0, waived: 0, warned: 0, blind: 0, missing: 0, new: 0 }
    ");
}

#[test]
fn idle_gates_are_listed() {
    let config = "[[gates]]\nmetric = 'decodeMs'\nrule = 'exact'\n[[gates]]\nmetric = 'decodeNs'\nrule = 'exact'\n\
        scenarios = ['other*']\n[[gates]]\nmetric = 'decodeNs'\nrule = 'limit'\n";
    let rows = "scenario,decodeNs\na,1\n";
    assert_eq!(
        compared(config, rows, rows).idle_gates,
        ["decodeMs".into(), "decodeNs".into()]
    );
}

#[test]
fn formulas_use_stored_metrics() {
    let config = "[metrics.emitsPerSecond]\n[metrics.allocs]\n[metrics.perOp]\nexact = true\nbetter = 'lower'\n\
        formula = 'allocs / emitsPerSecond'\n[[gates]]\nmetric = 'perOp'\nrule = 'exact'\n";
    let baseline = "scenario,emitsPerSecond,allocs\na,123.457,7\n";
    let comparison = compared(
        config,
        baseline,
        "scenario,emitsPerSecond,allocs\na,123.456789,7\n",
    );
    assert_eq!(comparison.tally().regressed, 0);
    let comparison = compared(
        config,
        baseline,
        "scenario,emitsPerSecond,allocs\na,123.457,8\n",
    );
    assert_eq!(comparison.tally().regressed, 1);
}

#[test]
fn spread_of_counts_is_the_lowest_limit() {
    let regressed = |now: u32, gates: &str| {
        let current = format!("scenario,instructions,instructions.upper\na,{now},{now}\n");
        let base = "scenario,instructions,instructions.upper\na,1000000,1010000\n";
        compared(gates, base, &current).tally().regressed == 1
    };
    assert!(!regressed(1_010_000, "") && regressed(1_010_100, ""));
    let tighter = "[[gates]]\nmetric = 'instructions'\nrule = 'count'\n";
    assert!(!regressed(1_010_000, tighter) && regressed(1_010_100, tighter));
}

#[test]
fn instructions_have_a_tolerance() {
    let judged = |now: u32| {
        let current = format!("scenario,instructions,cycles\na,{now},900000\n");
        compared("", "scenario,instructions,cycles\na,1000000,1\n", &current)
            .tally()
            .regressed
    };
    assert_eq!([1_000_001, 1_002_000, 1_002_001].map(judged), [0, 0, 1]);
}

/// Two runs: in the second one, both forms of the same measurement are at least 60% slower.
const FORMS: [&str; 2] = [
    "scenario,bytesPerSecond,timeNs\nparse,1000,100\n",
    "scenario,bytesPerSecond,timeNs\nparse,600,160\n",
];

#[test]
fn other_forms_of_a_measurement_are_gated_once() {
    for config in ["", "[[gates]]\nmetric = '*'\nrule = 'limit'\n"] {
        let compared = compared(config, FORMS[0], FORMS[1]);
        let [time, rate] = compared.scopes[0].scenarios[0].metrics.as_slice() else {
            panic!("{compared:?}")
        };
        assert_eq!(
            (&*time.metric.name, time.judgement.verdict),
            ("timeNs", Verdict::Regressed)
        );
        assert_eq!(
            (&rate.derived_from, rate.judgement.rule),
            (&Some("timeNs".into()), Rule::Report)
        );
    }
}

#[test]
fn a_form_that_is_named_or_alone_is_gated() {
    let named = "[[gates]]\nmetric = 'bytesPerSecond'\nrule = 'limit'\n";
    assert_eq!(compared(named, FORMS[0], FORMS[1]).tally().regressed, 1);
    let primary = "primary = 'bytesPerSecond'\n[[gates]]\nmetric = '*'\nrule = 'limit'\n";
    let chosen = compared(primary, FORMS[0], FORMS[1]);
    assert_eq!(chosen.scopes[0].scenarios[0].metrics[0].derived_from, None);
    let alone = [
        "scenario,bytesPerSecond\nparse,1000\n",
        "scenario,bytesPerSecond\nparse,600\n",
    ];
    assert_eq!(compared("", alone[0], alone[1]).tally().regressed, 1);
}

#[test]
fn limits_are_exclusive_in_decimals() {
    let verdict = |baseline: &str, current: &str| {
        let side = |time: &str| format!("scenario,timeNs\nparse,{time}\n");
        compared("", &side(baseline), &side(current)).scopes[0].scenarios[0].verdict()
    };
    assert_eq!(verdict("1", "1.02"), Verdict::Unchanged);
    assert_eq!(verdict("1", "1.02000001"), Verdict::Moved);
    assert_eq!(verdict("0.1", "0.133"), Verdict::Moved);
    assert_eq!(verdict("0.1", "0.13300001"), Verdict::Regressed);
}

#[test]
fn another_harness_bars_instructions() {
    let verdict = |method: &str| {
        let side =
            |method: &str| format!("scenario,instructions,methodology\nparse,1000,{method}\n");
        compared("", &side("harness:1a"), &side(method)).scopes[0].scenarios[0].verdict()
    };
    assert_eq!(verdict("harness:1a"), Verdict::Unchanged);
    assert_eq!(verdict("harness:2b"), Verdict::NotComparable);
}

#[test]
fn rows_that_are_not_comparable_have_no_soft_limit() {
    let config = "[[gates]]\nmetric = 'timeNs'\nrule = 'limit'\nlimit = '900%'\nwarn = 0.1\n";
    let warned = |class: &str| {
        let row =
            |time: u32, class: &str| format!("scenario,timeNs,machineClass\na,{time},{class}\n");
        compared(config, &row(100, "one"), &row(200, class))
            .tally()
            .warned
    };
    assert_eq!((warned("one"), warned("other")), (1, 0));
}

/// A project with two benchmarks and a comparison, listed in a different order from its rows.
const LISTED: &str = "[[scenarios]]\nkey = 'second'\n[[scenarios]]\nkey = 'first'\n\
    [comparison]\nprefix = 'C_'\nseparator = '_'\nsubject = 'own'\n\
    technologies = [{ key = 'own' }, { key = 'peer' }]\nscenarios = [{ key = 'sum' }, { key = 'add' }]\n";
const UNORDERED: &str = "scenario,timeNs\nC_own_add,100\nunlisted,100\nC_own_sum,100\nfirst,100\nC_peer_sum,100\nsecond,100\n";

#[test]
fn a_gate_on_comparison_rows_leaves_own_rows_alone() {
    let gate = format!(
        "{LISTED}[[gates]]\nmetric = 'timeNs'\nrule = 'limit'\nlimit = 0.1\nrows = 'comparison'\n"
    );
    let current = UNORDERED
        .replace("first,100", "first,130")
        .replace("own_sum,100", "own_sum,130");
    let found = compared(&gate, UNORDERED, &current);
    let regressed = found.scopes[0]
        .scenarios
        .iter()
        .filter(|scenario| scenario.fails());
    assert_eq!(
        regressed
            .map(|scenario| &*scenario.scenario)
            .collect::<Vec<_>>(),
        ["C_own_sum"]
    );
}

#[test]
fn scenarios_come_in_the_order_of_the_config() {
    let found = compared(LISTED, UNORDERED, UNORDERED);
    let names: Vec<&str> = found.scopes[0]
        .scenarios
        .iter()
        .map(|scenario| &*scenario.scenario)
        .collect();
    assert_eq!(
        names,
        ["second", "first", "unlisted", "C_own_sum", "C_own_add"]
    );
    let config = Config::parse(LISTED).unwrap();
    let peers = read(&config, "scenario,timeNs\nC_peer_sum,1\nC_own_sum,1\n");
    let suite = Suite::new(&peers.rows, &config, &Filter::default());
    let keys: Vec<&str> = suite
        .measurements()
        .map(|measured| &**measured.scenario)
        .collect();
    assert_eq!(keys, ["C_own_sum", "C_peer_sum"]);
}

#[test]
fn contradictory_numbers_are_inconclusive() {
    let row = |mean: f64, max: f64| {
        format!("scenario,timeNs,timeNs.max,queueNs,queueNs.max\nparse,{mean},{max},7.25,9.5\n")
    };
    let verdicts = |baseline: &str, current: &str| {
        let found = compared("", baseline, current);
        let metrics = found.scopes[0].scenarios[0].metrics.iter();
        metrics
            .map(|metric| (metric.metric.name.to_string(), metric.judgement.verdict))
            .collect::<Vec<_>>()
    };
    let (right, wrong) = (row(5.25, 9.75), row(15.25, 9.75));
    let expected = |time| {
        [
            ("timeNs".to_owned(), time),
            ("queueNs".to_owned(), Verdict::Unchanged),
        ]
    };
    assert_eq!(verdicts(&right, &right), expected(Verdict::Unchanged));
    assert_eq!(verdicts(&right, &wrong), expected(Verdict::Inconclusive));
    assert_eq!(verdicts(&wrong, &right), expected(Verdict::Inconclusive));
}
