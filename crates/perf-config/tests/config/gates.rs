//! Gates: metrics by pattern, soft limits, floors, references.

use perf_config::{Amount, Config};
use perf_model::metric::{Declarations, Declared, GateRule};
use perf_model::metric::{Direction, Meaning, Unit};
use perf_model::suite::Definitions;
use perf_model::suite::Family;

use crate::mistakes::{mistake, problem, unnamed};

const KNOWN: &str = "[metrics]\ndecodeNs = {}\ndecodeBytes = {}\nlatencyP99Ms = {}\nrequests = {}\n\
                     score = { unit = 'none' }\n";

fn gate(gate: &str) -> String {
    format!("gates = [{{ {gate} }}]\n{KNOWN}")
}

#[test]
fn gate_may_cover_several_metrics() {
    let config = Config::parse(&gate("metric = 'decode*', rule = 'limit'")).unwrap();
    let gate = &config.gates.unwrap()[0];
    assert!(gate.is_pattern() && gate.looks_at("decodeNs") && gate.looks_at("decode*"));
    assert!(!gate.looks_at("encodeNs") && !gate.looks_at("predecodeNs"));
    let plain = Config::parse("gates = [{ metric = 'a.c', rule = 'exact' }]\n")
        .unwrap()
        .gates
        .unwrap();
    assert!(!plain[0].is_pattern() && plain[0].looks_at("a.c") && !plain[0].looks_at("abc"));
}

#[test]
fn gate_sets_warning_limit_and_floor() {
    let text = gate(
        "metric = 'latencyP99Ms', rule = 'limit', limit = 0.2, warn = 0.1, floor = '50 us', \
         relative-to = 'empty', values = 'requests'",
    );
    let gate = Config::parse(&text).unwrap().gates.unwrap().remove(0);
    assert_eq!(
        (gate.rule, gate.limit, gate.warn),
        (Some(GateRule::Limit), Some(0.2), Some(0.1))
    );
    assert_eq!(
        gate.floor,
        Some(Amount {
            amount: 50.0,
            unit: Some(Unit::Us)
        })
    );
    assert_eq!(
        (
            gate.reference.relative_to.as_deref(),
            gate.values.as_deref()
        ),
        (Some("empty"), Some("requests"))
    );
    assert!(gate.covers("parse", Family::Own));
}

#[test]
fn limit_implies_its_rule() {
    let gate = Config::parse(&gate("metric = 'decodeNs', limit = '10%'"))
        .unwrap()
        .gates
        .unwrap()
        .remove(0);
    assert_eq!((gate.rule, gate.limit), (Some(GateRule::Limit), Some(0.1)));
}

#[test]
fn count_is_a_separate_rule() {
    assert_eq!(
        Config::default().metric("instructions").default_gate,
        Some(GateRule::Count)
    );
    let config =
        Config::parse("gates = [{ metric = 'x', rule = 'count', warn = 0.001 }]\n").unwrap();
    assert_eq!(config.gates.unwrap()[0].warn, Some(0.001));
    insta::assert_snapshot!(problem("gates = [{ metric = 'x', rule = 'count', limit = 0.1 }]\n"), @r#"1:50: a count gate has no limit"#);
}

#[test]
fn impossible_limits_are_errors() {
    insta::assert_snapshot!(mistake("gates = [{ metric = 'x', rule = 'limit', limit = 0.1, warn = 0.1 }]\n"), @"
    1:62: `warn` must be less than `limit`, not `0.1` with `0.1`
    hint: a change beyond the limit already fails, so `warn` would never apply
    ");
    insta::assert_snapshot!(problem("gates = [{ metric = 'x', rule = 'limit', warn = 5 }]\n"), @r#"1:49: `warn` must be a fraction of at least 0 and below 1, or a percentage, not `5`"#);
    insta::assert_snapshot!(mistake("gates = [{ metric = 'x', rule = 'exact', warn = 0.1 }]\n"), @"
    1:49: this gate fails on any change for the worse, so it never warns
    hint: leave `warn` out
    ");
    insta::assert_snapshot!(mistake(&gate("metric = 'encode*', rule = 'exact'")), @"
    1:21: no metric matches `encode*`
    hint: known names: `decodeNs`, `decodeBytes`, `latencyP99Ms`, `requests`, `score`, `emitsPerSecond`, `gcAllocations`, `wallClockMs`, `gcAllocatedBytes`, `allocatedBytesDelta`
    ");
    insta::assert_snapshot!(mistake(&gate("metric = 'requests', rule = 'exact', values = 'requests'")), @"
    1:58: `requests` is not a percentile
    hint: percentiles have names such as `latencyP99Ms`
    ");
    insta::assert_snapshot!(mistake(&gate("metric = 'latencyP99Ms', rule = 'exact', values = 'request'")), @"
    1:62: no metric is called `request`
    hint: did you mean `requests`?
    ");
}

#[test]
fn floor_must_fit_the_metric() {
    let floor = |metric: &str, floor: &str| {
        gate(&format!(
            "metric = '{metric}', rule = 'exact', floor = '{floor}'"
        ))
    };
    insta::assert_snapshot!(mistake(&floor("decodeNs", "64 B")), @"
    1:57: the floor `64 B` does not fit the unit of `decodeNs`
    hint: a number without a unit is in the metric's unit
    ");
    insta::assert_snapshot!(problem(&floor("*Bytes", "50 ns")), @"1:55: the floor `50 ns` does not fit the unit of `*Bytes`");
    insta::assert_snapshot!(mistake(&floor("decodeNs", "50 minutes")), @"
    1:57: bad floor `50 minutes`: unknown unit `minutes`
    hint: write `50 ns`, `0.2 ms`, `64 B`, `1 KiB`, or a number alone
    ");
    insta::assert_snapshot!(problem(&floor("decodeNs", "0")), @"1:57: bad floor `0`: `0` is not above 0");
    for (metric, text) in [
        ("decodeNs", "1 ms"),
        ("decode*", "64 B"),
        ("score", "50 ns"),
        ("requests", "3"),
    ] {
        assert!(
            Config::parse(&floor(metric, text)).is_ok(),
            "{metric} {text}"
        );
    }
    let unlisted = "gates = [{ metric = 'zzz*', rule = 'exact', floor = '5 B' }]\n";
    assert!(Config::parse(unlisted).is_ok());
}

#[test]
fn reference_must_not_be_the_only_gated_scenario() {
    let reference = |more: &str| {
        format!("gates = [{{ metric = 'x', rule = 'exact', relative-to = 'empty'{more} }}]\n")
    };
    insta::assert_snapshot!(mistake(&reference(", scenarios = ['empty']")), @"
    1:56: `empty` would only be compared with itself
    hint: list the gated scenarios in `scenarios`
    ");
    assert!(Config::parse(&reference(", scenarios = ['empty', 'full']")).is_ok());
    assert!(Config::parse(&reference(", scenarios = ['e*']")).is_ok());
    let listed = "[[scenarios]]\nkey = 'Empty'\n";
    assert!(Config::parse(&(reference("") + listed)).is_ok());
    insta::assert_snapshot!(mistake(&format!("{}rows.unlisted = 'drop'\n{listed}", reference(""))), @"
    1:56: no scenario is called `empty`, and rows of unlisted ones are dropped
    hint: did you mean `Empty`?
    ");
    assert_eq!(
        unnamed("gates = [{ metric = 'x', rule = 'exact', relative-to = '' }]\n"),
        (1, 56, "scenario".to_owned())
    );
}

#[test]
fn floor_check_does_not_fix_the_meaning_of_a_metric() {
    let config =
        Config::parse("gates = [{ metric = 'work', rule = 'exact', floor = '5 ns' }]\n").unwrap();
    let meaning = Meaning {
        unit: Unit::Ns,
        direction: Direction::Lower,
        exact: false,
    };
    let mut declared = Declarations::default();
    declared.add(
        &"work".into(),
        Declared {
            label: None,
            meaning,
        },
    );
    let config = config.with_metrics(&declared, []);
    assert_eq!(config.metric("work").meaning, meaning);
}

#[test]
fn budget_needs_no_rule_and_keeps_the_default_rules() {
    let config = Config::parse(&gate("metric = 'decodeNs', max = '16 ms', min = 5")).unwrap();
    let budget = config.gates.as_ref().unwrap()[0].budget.unwrap();
    assert_eq!(
        budget.max,
        Some(Amount {
            amount: 16.0,
            unit: Some(Unit::Ms)
        })
    );
    assert_eq!(
        budget.min,
        Some(Amount {
            amount: 5.0,
            unit: None
        })
    );
    assert!(config.has_budgets() && config.leaves_default("decodeNs", "s"));
}

#[test]
fn gate_replaces_only_its_own_metrics_default_rule() {
    for (text, left) in [
        ("", [true; 3]),
        ("gates = []", [false; 3]),
        (
            "gates = [{ metric = 'aNs', rule = 'equal', max = 0 }]",
            [false, true, true],
        ),
        (
            "gates = [{ metric = 'aNs', rule = 'none', scenarios = ['x'] }]",
            [false, true, true],
        ),
        (
            "gates = [{ metric = 'a*', rule = 'limit' }]",
            [false, false, true],
        ),
        ("gates = [{ metric = 'aNs', max = 1 }]", [true; 3]),
        (
            "gates = [{ metric = 'aNs', max = 1, only = true }]",
            [false; 3],
        ),
        (
            "gates = [{ metric = 'aNs', rule = 'exact' }, { metric = 'bNs', max = 1, only = true }]",
            [false; 3],
        ),
    ] {
        let config = Config::parse(text).unwrap();
        assert_eq!(
            ["aNs", "allocations", "bNs"].map(|name| config.leaves_default(name, "x")),
            left,
            "{text}"
        );
    }
}

#[test]
fn gate_for_listed_benchmarks_keeps_the_default_rule_for_others() {
    let config = Config::parse(
        "gates = [
            { metric = 'aNs', rule = 'none', scenarios = ['x*'] },
            { metric = 'bNs', rule = 'limit', scenarios = ['x'], relative-to = 'reference' },
        ]",
    )
    .unwrap();
    for (metric, scenario, is_left) in [
        ("aNs", "x", false),
        ("aNs", "x2", false),
        ("aNs", "y", true),
        ("bNs", "y", true),
        ("bNs", "reference", false),
    ] {
        assert_eq!(
            config.leaves_default(metric, scenario),
            is_left,
            "{metric} of {scenario}"
        );
    }
}

#[test]
fn impossible_budgets_are_errors() {
    insta::assert_snapshot!(mistake(&gate("metric = 'decodeNs'")), @r#"
    1:21: a gate needs a `rule`, `max` or `min`
    hint: `rule = "limit"` limits the change, `max` the value
    "#);
    insta::assert_snapshot!(mistake(&gate("metric = 'decodeNs', max = 1, floor = '1 ns'")), @r#"
    1:50: `floor` has no effect: this gate does not limit changes
    hint: `rule = "limit"` limits the change against the baseline
    "#);
    insta::assert_snapshot!(mistake(&gate("metric = 'decodeNs', max = '1 us', min = '2000 ns'")), @"1:39: `max` `1 us` is below `min` `2000 ns`: no value passes");
    insta::assert_snapshot!(problem(&gate("metric = 'decodeNs', max = '64 B'")), @"1:39: the max `64 B` does not fit the unit of `decodeNs`");
    insta::assert_snapshot!(mistake(&gate("metric = 'decodeNs', max = '16 msec'")), @r#"
    1:39: bad `max`: unknown unit `msec`
    hint: write `"16 ms"`, `"64 KiB"`, or a number in the metric's unit
    "#);
    insta::assert_snapshot!(problem(&gate("metric = 'decodeNs', max = -1")), @r#"1:39: bad `max`: `-1` is below 0"#);
    insta::assert_snapshot!(problem(&gate("metric = 'decodeNs', max = nan")), @r#"1:39: bad `max`: unknown unit `nan`"#);
    insta::assert_snapshot!(mistake(&gate("metric = 'decodeNs', min = 0")), @"
    1:39: `min` must be above 0: no value is below it
    hint: leave it out
    ");
    insta::assert_snapshot!(mistake(&gate("metric = 'decodeNs', max = '2 ms', relative-to = 'empty'")), @"
    1:39: with `relative-to`, `max` is a ratio without a unit
    hint: `max = 2` is twice the reference's value
    ");
    insta::assert_snapshot!(problem(&gate("metric = 'decodeNs', rule = 'equal', limit = 0.1")), @r#"1:57: an equality gate has no limit"#);
    insta::assert_snapshot!(problem(&gate("metric = 'decodeNs', max = 1, minus = 'full', scenarios = ['full']")), @"1:50: `full` would only be compared with itself");
}

#[test]
fn required_entries_contain_benchmarks_and_scopes() {
    let text = "required = ['parse_*', { scope = 'Mono' }, { benchmark = 'a', scope = 'b*' }]\n";
    let required = Config::parse(text).unwrap().required;
    let shown: Vec<String> = required.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["`parse_*`", "scope `Mono`", "`a` in scope `b*`"]);
    insta::assert_snapshot!(mistake("required = [\n  { benchmrk = 'a' },\n]\n"), @"1:12: expected a benchmark, or a table with `benchmark` or `scope`");
    insta::assert_snapshot!(mistake("required = [{}]\n"), @r#"
    1:13: a required entry needs a `benchmark` or a `scope`
    hint: `{ scope = "Mono" }`
    "#);
    insta::assert_snapshot!(mistake("required = [3, '']\n"), @"1:12: expected a benchmark, or a table with `benchmark` or `scope`");
    assert_eq!(
        unnamed("required = ['']\n"),
        (1, 13, "benchmark".to_owned())
    );
}
