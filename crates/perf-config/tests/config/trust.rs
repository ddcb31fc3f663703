//! Waivers, harness, history, and the verdicts that fail.

use perf_config::{Config, Date, FailOn, Glob, PathPattern, Suspects};

use crate::mistakes::{mistake, problem};

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

const WAIVER: &str = "[[waivers]]\nscenario = 'load_*'\nreason = 'a larger page'\nby = '@ann'\n";

#[test]
fn waiver_applies_until_the_end_of_its_last_day() {
    for until in ["2026-12-31", "'2026-12-31'"] {
        let config = Config::parse(&format!("{WAIVER}until = {until}\n")).unwrap();
        let waiver = &config.waivers[0];
        assert_eq!(
            (&*waiver.reason, &*waiver.by, waiver.until),
            ("a larger page", "@ann", day("2026-12-31"))
        );
        assert!(!waiver.is_over(day("2026-12-30")) && !waiver.is_over(day("2026-12-31")));
        assert!(waiver.is_over(day("2027-01-01")));
    }
}

#[test]
fn waiver_without_a_metric_excuses_all_metrics_and_missing_scenarios() {
    let waiver = |more: &str| {
        let text = format!(
            "{WAIVER}until = 2026-12-31\n{more}[metrics]\ntimeMs = {{ aliases = ['t'] }}\ntimeNs = {{}}\n"
        );
        Config::parse(&text).unwrap().waivers.remove(0)
    };
    let all = waiver("");
    assert!(all.covers("load_a") && all.excuses(Some("timeMs")) && all.excuses(None));
    assert!(!all.covers("unload_a") && !all.covers("load"));
    let one = waiver("metric = 't'\n");
    assert_eq!(one.metric.as_ref().map(Glob::as_str), Some("timeMs"));
    assert!(one.excuses(Some("timeMs")) && !one.excuses(Some("timeNs")) && !one.excuses(None));
    let some = waiver("metric = 'time*'\n");
    assert!(some.excuses(Some("timeNs")) && !some.excuses(Some("bytes")));
    assert!(all.is_for(Some(9.0)) && all.is_for(None));
    let limited = waiver("up-to = 0.5\n");
    assert!(limited.is_for(Some(0.5)) && !limited.is_for(Some(0.6)));
    // An increase from zero has no relative size.
    assert!(!limited.is_for(None));
}

#[test]
fn incomplete_waivers_are_errors() {
    let waiver =
        |from: &str, to: &str| mistake(&format!("{WAIVER}until = 2026-12-31\n").replace(from, to));
    insta::assert_snapshot!(waiver("'a larger page'", "' '"), @"3:10: a waiver needs a reason");
    insta::assert_snapshot!(waiver("'@ann'", "''"), @"4:6: a waiver needs a person who answers for it");
    insta::assert_snapshot!(waiver("by = '@ann'\n", ""), @"1:1: missing key `by`");
    let two = "[[waivers]]\nscenario = 'a'\nuntil = 2026-12-31\n[[scenarios]]\nkey = 'a'\n";
    insta::assert_snapshot!(mistake(two), @"1:1: missing key `reason`");
    insta::assert_snapshot!(mistake("[comparison]\nsubject = 'a'\n"), @"1:1: missing key `technologies`");
    insta::assert_snapshot!(waiver("until = 2026-12-31\n", ""), @"1:1: missing key `until`");
    insta::assert_snapshot!(waiver("'load_*'", "''"), @"
    2:12: the scenario is empty
    hint: set it, or leave it out
    ");
    insta::assert_snapshot!(waiver("2026-12-31", "'next year'"), @"
    5:9: `next year` is not a calendar date
    hint: a waiver ends on a day such as 2026-12-31
    ");
    for until in ["'2026-02-30'", "2026-12-31T12:00:00Z", "5"] {
        let said = waiver("2026-12-31", until);
        let expected = format!(
            "5:9: `{}` is not a calendar date\n",
            until.trim_matches('\'')
        );
        assert!(said.starts_with(&expected), "{said}");
    }
    insta::assert_snapshot!(waiver("until = 2026-12-31\n", "until = 2026-12-31\nmetric = 'x'\n[metrics]\ny = {}\n"), @"
    6:10: no metric is called `x`
    hint: known names: `y`, `emitsPerSecond`, `gcAllocations`, `wallClockMs`, `gcAllocatedBytes`, `allocatedBytesDelta`
    ");
}

#[test]
fn harness_errors_quote_the_path() {
    let text = "[harness]\npaths = ['benches/**', 'Cargo.lock']\ntoolchain = ['rust-toolchain*']\n";
    let harness = Config::parse(text).unwrap().harness;
    let is_of =
        |patterns: &[PathPattern], path: &str| patterns.iter().any(|pattern| pattern.matches(path));
    assert!(is_of(&harness.paths, "benches/a/b.rs") && is_of(&harness.paths, "Cargo.lock"));
    assert!(!is_of(&harness.paths, "src/lib.rs") && !is_of(&harness.paths, "rust-toolchain"));
    assert!(
        is_of(&harness.toolchain, "rust-toolchain.toml")
            && !is_of(&harness.toolchain, "Cargo.lock")
    );
    insta::assert_snapshot!(mistake("[harness]\npaths = [\n  'a',\n  '../b',\n]\n"), @"
    2:9: bad path `../b`: it contains a folder `.` or `..`
    hint: paths begin at the root of the repository and are written with `/`: `benches/**`
    ");
    insta::assert_snapshot!(mistake("methodology = 'min of 5 toolchain:gcc'\n"), @"1:15: the methodology contains the word `toolchain:gcc`, which the fingerprints of `[harness]` use");
    insta::assert_snapshot!(problem("[harness]\ntoolchain = ['/a']\n"), @"2:13: bad path `/a`: it begins with `/`");
    insta::assert_snapshot!(mistake("[harness]\npath = ['a']\n"), @"
    2:1: unknown key `path`
    hint: did you mean `paths`?
    ");
}

#[test]
fn history_length_is_limited() {
    let history = |text: &str| {
        Config::parse(&format!("[history]\n{text}"))
            .unwrap()
            .history
    };
    let usual = history("");
    assert_eq!(
        (usual.last, usual.least, usual.suspects),
        (30, 10, Suspects::Inconclusive)
    );
    let own = history("last = 5\nleast = 5\nsuspects = 'fail'\n");
    assert_eq!((own.last, own.least, own.suspects), (5, 5, Suspects::Fail));
    insta::assert_snapshot!(mistake("[history]\nleast = 4\n"), @"2:9: `least` must be from 5 to 1000, not `4`");
    insta::assert_snapshot!(mistake("[history]\nlast = 1001\n"), @"2:8: `last` must be from 5 to 1000, not `1001`");
    insta::assert_snapshot!(mistake("[history]\nlast = 9\n"), @"
    2:8: `least` is 10, but only the last 9 are used
    hint: raise `last`, or lower `least`
    ");
    insta::assert_snapshot!(problem("[history]\nlast = 20\nleast = 31\n"), @"3:9: `least` is 31, but only the last 20 are used");
    insta::assert_snapshot!(mistake("[history]\nlast = -1\n"), @"2:8: invalid value: integer `-1`, expected a whole number from 0 to 4294967295");
    insta::assert_snapshot!(mistake("[history]\nsuspects = 'failing'\n"), @"
    2:12: unknown value `failing`
    hint: did you mean `fail`?
    ");
}

#[test]
fn fail_on_is_a_list_of_verdicts() {
    let fail_on = |text: &str| Config::parse(text).unwrap().deltas.fail_on;
    assert_eq!(fail_on(""), [FailOn::Regressed, FailOn::Missing]);
    assert_eq!(fail_on("deltas.fail-on = []\n"), []);
    assert_eq!(
        fail_on("deltas.fail-on = ['not-comparable', 'regressed']\n"),
        [FailOn::NotComparable, FailOn::Regressed]
    );
    insta::assert_snapshot!(mistake("[deltas]\nfail-on = ['regressed', 'mising']\n"), @"
    2:25: unknown value `mising`
    hint: did you mean `missing`?
    ");
    insta::assert_snapshot!(mistake("[deltas]\nfail-on = ['new', 'new']\n"), @"2:19: `new` is listed twice");
    insta::assert_snapshot!(mistake("[deltas]\nfail-on = 'new'\n"), @r#"2:11: invalid type: string "new", expected a list"#);
}

#[test]
fn explicit_limit_differs_from_the_default() {
    let limit = |text: &str| {
        let deltas = Config::parse(text).unwrap().deltas;
        (deltas.limit.to_string(), deltas.explicit_limit)
    };
    assert_eq!(limit(""), ("0.33".to_owned(), false));
    assert_eq!(limit("deltas.limit = 0.33\n"), ("0.33".to_owned(), true));
    assert_eq!(
        limit("deltas.tolerance = 0.1\n"),
        ("0.33".to_owned(), false)
    );
}

#[test]
fn all_trust_settings_are_in_the_effective_config() {
    let effective = Config::parse(include_str!("trust.toml"))
        .unwrap()
        .effective()
        .unwrap();
    let (_, trust) = effective.split_once("[[gates]]").unwrap();
    insta::assert_snapshot!(trust.split("\n#").next().unwrap(), @r#"

    metric = "cold*"
    rule = "limit"
    only = false
    limit = 0.5
    warn = 0.1
    floor = "0.2 ms"
    rows = "all"
    relative-to = "empty"

    [[gates]]
    metric = "latencyP9?Ms"
    rule = "limit"
    only = false
    rows = "all"
    values = "requests"

    [[gates]]
    metric = "instructions"
    rule = "count"
    only = false
    warn = 0.001
    rows = "all"

    [harness]
    paths = [
        "benches/**",
        "Cargo.lock",
    ]
    toolchain = []
    from = "each"

    [review]
    paths = []

    [history]
    last = 30
    least = 12
    suspects = "inconclusive"

    [[waivers]]
    scenario = "start"
    reason = "the new loader"
    by = "@someone"
    until = 2026-12-31

    [[waivers]]
    scenario = "par*"
    metric = "cold"
    reason = "measured on Tuesdays"
    by = "them"
    until = "2027-01-01"

    [protocol]
    warm-up = 10000
    window = 5.0
    cold = 32
    "#);
}
