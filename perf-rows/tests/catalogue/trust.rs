//! What makes verdicts trustworthy: gates by pattern, with floors and references, waivers, harness, history.

use perf_rows::catalogue::{Catalogue, Date, FailOn, Family, Floor, GateRule, Suspects};
use perf_rows::metric::Unit;

use crate::mistakes::mistake;

const KNOWN: &str = "[metrics]\ndecodeNs = {}\ndecodeBytes = {}\nlatencyP99Ms = {}\nrequests = {}\n\
                     score = { unit = 'none' }\n";

fn gate(gate: &str) -> String {
    format!("gates = [{{ {gate} }}]\n{KNOWN}")
}

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

#[test]
fn a_gate_may_look_at_several_metrics() {
    let catalogue = Catalogue::parse(&gate("metric = 'decode*', rule = 'threshold'")).unwrap();
    let gate = &catalogue.gates.unwrap()[0];
    assert!(gate.is_pattern() && gate.looks_at("decodeNs") && gate.looks_at("decode*"));
    assert!(!gate.looks_at("encodeNs") && !gate.looks_at("predecodeNs"));
    let plain = Catalogue::parse("gates = [{ metric = 'a.c', rule = 'exact' }]\n").unwrap().gates.unwrap();
    assert!(!plain[0].is_pattern() && plain[0].looks_at("a.c") && !plain[0].looks_at("abc"));
}

#[test]
fn a_gate_says_how_much_is_told_and_how_little_does_not_matter() {
    let text = gate(
        "metric = 'latencyP99Ms', rule = 'threshold', threshold = 0.2, warn = 0.1, floor = '50 us', \
         relative-to = 'empty', values = 'requests'",
    );
    let gate = Catalogue::parse(&text).unwrap().gates.unwrap().remove(0);
    assert_eq!((gate.rule, gate.threshold, gate.warn), (GateRule::Threshold, Some(0.2), Some(0.1)));
    assert_eq!(gate.floor, Some(Floor { amount: 50.0, unit: Some(Unit::Us) }));
    assert_eq!((gate.relative_to.as_deref(), gate.values.as_deref()), (Some("empty"), Some("requests")));
    assert!(gate.covers("parse", Family::Own));
}

#[test]
fn counts_have_a_rule_of_their_own() {
    let default = Catalogue::default().metric("instructions").default_gate.unwrap();
    assert_eq!((default.rule, default.threshold), (GateRule::Count, None));
    let catalogue = Catalogue::parse("gates = [{ metric = 'x', rule = 'count', warn = 0.001 }]\n").unwrap();
    assert_eq!(catalogue.gates.unwrap()[0].warn, Some(0.001));
    insta::assert_snapshot!(mistake("gates = [{ metric = 'x', rule = 'count', threshold = 0.1 }]\n"), @r#"
    1:54: a gate of counts has no threshold
    hint: `rule = "threshold"` is the one that has
    "#);
}

#[test]
fn limits_that_could_not_work_are_told() {
    insta::assert_snapshot!(mistake("gates = [{ metric = 'x', rule = 'threshold', threshold = 0.1, warn = 0.1 }]\n"), @"
    1:70: `warn` must be less than `threshold`, not `0.1` with `0.1`
    hint: what is worse by more than the threshold fails, so nothing would be left to tell
    ");
    insta::assert_snapshot!(mistake("gates = [{ metric = 'x', rule = 'threshold', warn = 5 }]\n"), @"
    1:53: `warn` must be a fraction from 0 up, below 1, not `5`
    hint: 0.33 stands for 33 %
    ");
    insta::assert_snapshot!(mistake("gates = [{ metric = 'x', rule = 'exact', warn = 0.1 }]\n"), @"
    1:49: an exact gate fails whatever it could warn of
    hint: leave `warn` out
    ");
    insta::assert_snapshot!(mistake(&gate("metric = 'encode*', rule = 'exact'")), @"
    1:21: no metric is called like `encode*`
    hint: known here: `decodeNs`, `decodeBytes`, `latencyP99Ms`, `requests`, `score`, `emitsPerSecond`, `gcAllocations`, `wallClockMs`, `gcAllocatedBytes`, `allocatedBytesDelta`
    ");
    insta::assert_snapshot!(mistake(&gate("metric = 'requests', rule = 'exact', values = 'requests'")), @"
    1:58: `requests` is not known as a percentile
    hint: names of percentiles are like `latencyP99Ms`
    ");
    insta::assert_snapshot!(mistake(&gate("metric = 'latencyP99Ms', rule = 'exact', values = 'request'")), @"
    1:62: no metric is called `request`
    hint: did you mean `requests`?
    ");
}

#[test]
fn a_floor_fits_the_metric() {
    let floor =
        |metric: &str, floor: &str| gate(&format!("metric = '{metric}', rule = 'exact', floor = '{floor}'"));
    insta::assert_snapshot!(mistake(&floor("decodeNs", "64 B")), @"
    1:57: `decodeNs` has another unit than the floor `64 B`
    hint: a number alone is in the unit of the metric
    ");
    insta::assert_snapshot!(mistake(&floor("*Bytes", "50 ns")), @"
    1:55: `*Bytes` has another unit than the floor `50 ns`
    hint: a number alone is in the unit of the metric
    ");
    insta::assert_snapshot!(mistake(&floor("decodeNs", "50 minutes")), @"
    1:57: bad floor `50 minutes`: `minutes` is no unit of a floor
    hint: write `50 ns`, `0.2 ms`, `64 B`, `1 KiB`, or a number alone
    ");
    insta::assert_snapshot!(mistake(&floor("decodeNs", "0")), @"
    1:57: bad floor `0`: `0` is no number above 0
    hint: write `50 ns`, `0.2 ms`, `64 B`, `1 KiB`, or a number alone
    ");
    for (metric, text) in [("decodeNs", "1 ms"), ("decode*", "64 B"), ("score", "50 ns"), ("requests", "3")] {
        assert!(Catalogue::parse(&floor(metric, text)).is_ok(), "{metric} {text}");
    }
    let unlisted = "gates = [{ metric = 'zzz*', rule = 'exact', floor = '5 B' }]\n";
    assert!(Catalogue::parse(unlisted).is_ok());
}

#[test]
fn a_reference_is_a_scenario_besides_those_that_are_judged() {
    let reference =
        |more: &str| format!("gates = [{{ metric = 'x', rule = 'exact', relative-to = 'empty'{more} }}]\n");
    insta::assert_snapshot!(mistake(&reference(", scenarios = ['empty']")), @"
    1:56: `empty` would only be compared with itself
    hint: name the scenarios that are judged in `scenarios`
    ");
    assert!(Catalogue::parse(&reference(", scenarios = ['empty', 'full']")).is_ok());
    assert!(Catalogue::parse(&reference(", scenarios = ['e*']")).is_ok());
    let listed = "[[scenarios]]\nkey = 'Empty'\n";
    assert!(Catalogue::parse(&(reference("") + listed)).is_ok());
    insta::assert_snapshot!(mistake(&format!("{}rows.unlisted = 'drop'\n{listed}", reference(""))), @"
    1:56: no scenario is called `empty`, and rows of unlisted ones are dropped
    hint: did you mean `Empty`?
    ");
    insta::assert_snapshot!(mistake("gates = [{ metric = 'x', rule = 'exact', relative-to = '' }]\n"), @"
    1:56: an empty text names no scenario
    hint: name it, or leave it out
    ");
}

#[test]
fn checking_a_floor_leaves_the_meaning_of_a_metric_to_the_inputs() {
    use perf_rows::catalogue::Declared;
    use perf_rows::metric::{Direction, Meaning};
    let catalogue =
        Catalogue::parse("gates = [{ metric = 'work', rule = 'exact', floor = '5 ns' }]\n").unwrap();
    let meaning = Meaning { unit: Unit::Ns, direction: Direction::Lower, exact: false };
    catalogue.learn(&[("work".into(), Declared { label: None, meaning })].into_iter().collect());
    assert_eq!(catalogue.metric("work").meaning, meaning);
}

const WAIVER: &str = "[[waivers]]\nscenario = 'load_*'\nreason = 'a larger page'\nby = '@ann'\n";

#[test]
fn a_waiver_excuses_until_the_end_of_its_last_day() {
    for until in ["2026-12-31", "'2026-12-31'"] {
        let catalogue = Catalogue::parse(&format!("{WAIVER}until = {until}\n")).unwrap();
        let waiver = &catalogue.waivers[0];
        assert_eq!(
            (&*waiver.reason, &*waiver.by, waiver.until),
            ("a larger page", "@ann", day("2026-12-31"))
        );
        assert!(!waiver.is_over(day("2026-12-30")) && !waiver.is_over(day("2026-12-31")));
        assert!(waiver.is_over(day("2027-01-01")));
    }
}

#[test]
fn a_waiver_without_a_metric_covers_all_of_them_and_missing_scenarios() {
    let waiver = |more: &str| {
        let text = format!(
            "{WAIVER}until = 2026-12-31\n{more}[metrics]\ntimeMs = {{ aliases = ['t'] }}\ntimeNs = {{}}\n"
        );
        Catalogue::parse(&text).unwrap().waivers.remove(0)
    };
    let all = waiver("");
    assert!(all.covers("load_a", Some("timeMs")) && all.covers("load_a", None));
    assert!(!all.covers("unload_a", Some("timeMs")) && !all.covers("load", None));
    let one = waiver("metric = 't'\n");
    assert_eq!(one.metric.as_deref(), Some("timeMs"));
    assert!(one.covers("load_a", Some("timeMs")) && !one.covers("load_a", Some("timeNs")));
    assert!(!one.covers("load_a", None));
    let some = waiver("metric = 'time*'\n");
    assert!(some.covers("load_a", Some("timeNs")) && !some.covers("load_a", Some("bytes")));
}

#[test]
fn a_waiver_that_says_too_little_is_told() {
    let waiver = |from: &str, to: &str| mistake(&format!("{WAIVER}until = 2026-12-31\n").replace(from, to));
    insta::assert_snapshot!(waiver("'a larger page'", "' '"), @"3:10: a waiver needs a reason");
    insta::assert_snapshot!(waiver("'@ann'", "''"), @"4:6: a waiver needs a person who answers for it");
    insta::assert_snapshot!(waiver("by = '@ann'\n", ""), @"1:1: missing key `by`");
    insta::assert_snapshot!(waiver("until = 2026-12-31\n", ""), @"1:1: missing key `until`");
    insta::assert_snapshot!(waiver("'load_*'", "''"), @"
    2:12: an empty text names no scenario
    hint: name it, or leave it out
    ");
    insta::assert_snapshot!(waiver("2026-12-31", "'next year'"), @"
    5:9: `next year` is no day of the calendar
    hint: a waiver ends on a day such as 2026-12-31
    ");
    insta::assert_snapshot!(waiver("2026-12-31", "'2026-02-30'"), @"
    5:9: `2026-02-30` is no day of the calendar
    hint: a waiver ends on a day such as 2026-12-31
    ");
    insta::assert_snapshot!(waiver("2026-12-31", "2026-12-31T12:00:00Z"), @"
    5:9: `2026-12-31T12:00:00Z` is no day of the calendar
    hint: a waiver ends on a day such as 2026-12-31
    ");
    insta::assert_snapshot!(waiver("2026-12-31", "5"), @"
    5:9: `5` is no day of the calendar
    hint: a waiver ends on a day such as 2026-12-31
    ");
    insta::assert_snapshot!(waiver("until = 2026-12-31\n", "until = 2026-12-31\nmetric = 'x'\n[metrics]\ny = {}\n"), @"
    6:10: no metric is called `x`
    hint: known here: `y`, `emitsPerSecond`, `gcAllocations`, `wallClockMs`, `gcAllocatedBytes`, `allocatedBytesDelta`
    ");
}

#[test]
fn the_harness_is_told_by_paths() {
    let catalogue = Catalogue::parse("[harness]\npaths = ['benches/**', 'Cargo.lock']\n").unwrap();
    assert!(catalogue.harness.matches("benches/a/b.rs") && catalogue.harness.matches("Cargo.lock"));
    assert!(!catalogue.harness.matches("src/lib.rs") && !Catalogue::default().harness.matches("Cargo.lock"));
    insta::assert_snapshot!(mistake("[harness]\npaths = [\n  'a',\n  '../b',\n]\n"), @"
    4:3: bad path `../b`: it has `.` or `..` as a folder
    hint: paths begin at the root of the repository and are written with `/`: `benches/**`
    ");
    insta::assert_snapshot!(mistake("[harness]\npath = ['a']\n"), @"
    2:1: unknown key `path`
    hint: did you mean `paths`?
    ");
}

#[test]
fn a_history_has_bounds() {
    let history = |text: &str| Catalogue::parse(&format!("[history]\n{text}")).unwrap().history;
    let usual = history("");
    assert_eq!(
        (usual.last, usual.least, usual.suspects, usual.ratchet),
        (30, 10, Suspects::Inconclusive, None)
    );
    let own = history("last = 5\nleast = 5\nsuspects = 'fail'\nratchet = 0.1\n");
    assert_eq!((own.last, own.least, own.suspects, own.ratchet), (5, 5, Suspects::Fail, Some(0.1)));
    insta::assert_snapshot!(mistake("[history]\nleast = 4\n"), @"2:9: `least` must be from 5 to 1000, not `4`");
    insta::assert_snapshot!(mistake("[history]\nlast = 1001\n"), @"2:8: `last` must be from 5 to 1000, not `1001`");
    insta::assert_snapshot!(mistake("[history]\nlast = 9\n"), @"
    2:8: `least` is 10, but only the last 9 are looked at
    hint: `last` must be as large as `least`, or larger
    ");
    insta::assert_snapshot!(mistake("[history]\nlast = 20\nleast = 31\n"), @"
    3:9: `least` is 31, but only the last 20 are looked at
    hint: `last` must be as large as `least`, or larger
    ");
    insta::assert_snapshot!(mistake("[history]\nlast = -1\n"), @"2:8: invalid value: integer `-1`, expected a whole number from 0 to 4294967295");
    insta::assert_snapshot!(mistake("[history]\nsuspects = 'failing'\n"), @"
    2:12: unknown variant `failing`
    hint: did you mean `fail`?
    ");
    insta::assert_snapshot!(mistake("[history]\nratchet = 10\n"), @"
    2:11: `ratchet` must be a fraction above 0, below 1, not `10`
    hint: 0.33 stands for 33 %
    ");
    insta::assert_snapshot!(mistake("[history]\nratchet = 0.0\n"), @"
    2:11: `ratchet` must be a fraction above 0, below 1, not `0`
    hint: 0.33 stands for 33 %
    ");
}

#[test]
fn what_fails_is_a_list_of_verdicts() {
    let fail_on = |text: &str| Catalogue::parse(text).unwrap().deltas.fail_on;
    assert_eq!(fail_on(""), None);
    assert_eq!(fail_on("deltas.fail-on = []\n"), Some(vec![]));
    let two = vec![FailOn::NotComparable, FailOn::Regressed];
    assert_eq!(fail_on("deltas.fail-on = ['not-comparable', 'regressed']\n"), Some(two));
    insta::assert_snapshot!(mistake("[deltas]\nfail-on = ['regressed', 'mising']\n"), @"
    2:25: unknown variant `mising`
    hint: did you mean `missing`?
    ");
    insta::assert_snapshot!(mistake("[deltas]\nfail-on = ['new', 'new']\n"), @"2:19: `new` is there twice");
    insta::assert_snapshot!(mistake("[deltas]\nfail-on = 'new'\n"), @r#"2:11: invalid type: string "new", expected a list"#);
}

#[test]
fn a_threshold_that_is_written_is_told_from_the_usual_one() {
    let threshold = |text: &str| {
        let deltas = Catalogue::parse(text).unwrap().deltas;
        (deltas.threshold.to_string(), deltas.explicit_threshold)
    };
    assert_eq!(threshold(""), ("0.33".to_owned(), false));
    assert_eq!(threshold("deltas.threshold = 0.33\n"), ("0.33".to_owned(), true));
    assert_eq!(threshold("deltas.tolerance = 0.1\n"), ("0.33".to_owned(), false));
}
