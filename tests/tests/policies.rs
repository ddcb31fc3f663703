//! What fails, what is excused, and that the gate shows that it can fail.

use end_to_end::{Outcome, Project};
use insta::assert_snapshot;

const BEFORE: &str = "scenario,platform,commit,runIndex,parsesPerSecond,allocations\n";

/// A row of each scenario with its throughput and allocations; empty is unmeasured.
fn rows(scenarios: &[(&str, &str, &str)]) -> String {
    let row = |(key, rate, count): &(&str, &str, &str)| format!("{key},linux,,-1,{rate},{count}\n");
    BEFORE.to_owned() + &scenarios.iter().map(row).collect::<String>()
}

fn project(before: &[(&str, &str, &str)], now: &[(&str, &str, &str)], config: &str) -> Project {
    Project::empty().with("base.csv", rows(before)).with("run.log", rows(now)).with("perf-gate.toml", config)
}

const LINE: &str = "render-perf-deltas --quiet --input run.log --baseline-csv base.csv --exit-code";

fn failed(outcome: &Outcome) -> (i32, &str) {
    let failed = outcome.out().lines().find_map(|line| line.strip_prefix("failed="));
    (outcome.code.unwrap(), failed.unwrap_or_else(|| panic!("{outcome}")))
}

#[test]
fn standard_output_has_these_lines_and_nothing_else() {
    let outcome = project(&[("Parse", "100", "0")], &[("Parse", "100", "0")], "").run(LINE);
    assert_snapshot!(outcome, @"
    exit 0
    --- stdout
    changed=false
    regressed=false
    improved=0
    inconclusive=0
    missing=0
    new=0
    not-comparable=0
    compared=1
    unmeasured=0
    waived=0
    confirm=0
    failed=
    ");
}

#[test]
fn every_verdict_fails_where_it_is_asked_to_and_nowhere_else() {
    let same = ("Same", "100", "3");
    let cases = [
        ("regressed", vec![same, ("Parse", "100", "3")], vec![same, ("Parse", "50", "3")]),
        ("missing", vec![same, ("Gone", "100", "3")], vec![same]),
        ("unmeasured", vec![same, ("Parse", "100", "3")], vec![same, ("Parse", "100", "")]),
        ("not-comparable", vec![same, ("Parse", "0", "3")], vec![same, ("Parse", "100", "3")]),
        ("new", vec![same], vec![same, ("Parse", "100", "3")]),
        ("moved", vec![same, ("Parse", "100", "3")], vec![same, ("Parse", "90", "3")]),
        ("improved", vec![same, ("Parse", "100", "3")], vec![same, ("Parse", "100", "2")]),
    ];
    for (word, before, now) in cases {
        let project = project(&before, &now, "");
        let outcome = project.run(&format!("{LINE} --fail-on {word}"));
        assert_eq!(failed(&outcome), (1, word), "{outcome}");
        let others = [
            "regressed",
            "missing",
            "inconclusive",
            "not-comparable",
            "unmeasured",
            "new",
            "moved",
            "improved",
        ];
        // What improved or regressed has moved, too, and what is unmeasured is missing.
        let also: &[&str] = match word {
            "regressed" | "improved" => &["moved"],
            "unmeasured" => &["missing"],
            "not-comparable" => &["moved", "improved"],
            _ => &[],
        };
        let others: Vec<&str> =
            others.into_iter().filter(|other| *other != word && !also.contains(other)).collect();
        let outcome = project.run(&format!("{LINE} --fail-on {}", others.join(",")));
        assert_eq!(failed(&outcome), (0, ""), "{word}: {outcome}");
        assert_eq!(failed(&project.run(&format!("{LINE} --fail-on none"))), (0, ""), "{word}");
        let usual = ["regressed", "missing", "unmeasured"].contains(&word);
        let reason = if word == "unmeasured" { "missing" } else { word };
        assert_eq!(failed(&project.run(LINE)), if usual { (1, reason) } else { (0, "") }, "{word}");
    }
}

#[test]
fn the_config_says_what_fails_and_the_command_line_has_the_last_word() {
    let (before, now) = ([("Parse", "100", "3")], [("Parse", "50", "3"), ("Fresh", "1", "1")]);
    let project = project(&before, &now, "[deltas]\nfail-on = ['new']\n");
    assert_eq!(failed(&project.run(LINE)), (1, "new"));
    assert_eq!(failed(&project.run(&format!("{LINE} --fail-on new,regressed"))), (1, "regressed,new"));
    assert_eq!(failed(&project.run(&format!("{LINE} --fail-on missing"))), (0, ""));
    project.write("perf-gate.toml", "[deltas]\nfail-on = []\n");
    assert_eq!(failed(&project.run(LINE)), (0, ""));
    let wrong = project.run(&format!("{LINE} --fail-on regresed"));
    assert_snapshot!(wrong, @"
    exit 2
    --- stderr
    error: invalid value 'regresed' for '--fail-on <LIST>': no verdict is called `regresed`
    hint: did you mean `regressed`?

    For more information, try '--help'.
    ");
}

#[test]
fn nothing_compared_fails_unless_nothing_is_to() {
    let project = project(&[("Parse", "100", "3")], &[("Print", "100", "3")], "");
    assert_eq!(failed(&project.run(&format!("{LINE} --fail-on improved"))), (1, "nothing-compared"));
    assert_eq!(failed(&project.run(LINE)), (1, "nothing-compared,missing"));
    assert_eq!(failed(&project.run(&format!("{LINE} --fail-on none"))), (0, ""));
}

#[test]
fn a_waiver_excuses_until_its_day_is_over() {
    let config =
        "[[waivers]]\nscenario = 'Parse'\nreason = 'the new grammar'\nby = 'ada'\nuntil = 2031-03-04\n";
    let project = project(
        &[("Parse", "100", "3"), ("Same", "1", "1")],
        &[("Parse", "50", "3"), ("Same", "1", "1")],
        config,
    );
    let day = |day: &str| project.run(&format!("{LINE} --today {day}"));
    assert_eq!(failed(&day("2031-03-04")), (0, ""));
    assert!(day("2031-03-04").out().contains("regressed=false\n"), "{}", day("2031-03-04"));
    assert!(day("2031-03-04").out().contains("waived=1\n"), "{}", day("2031-03-04"));
    assert_eq!(failed(&day("2031-03-05")), (1, "regressed"));
    // Whoever fails on whatever moved fails on no more than is not excused.
    assert_eq!(failed(&project.run(&format!("{LINE} --today 2031-03-04 --fail-on moved"))), (0, ""));
    assert_snapshot!(day("2031-02-30"), @"
    exit 2
    --- stderr
    error: invalid value '2031-02-30' for '--today <YYYY-MM-DD>': `2031-02-30` is no day of the calendar

    For more information, try '--help'.
    ");
}

#[test]
fn a_gate_that_lets_everything_pass_is_an_error_and_nothing_is_written() {
    let names = ["A", "B", "C", "D", "E", "F", "G"];
    let side: Vec<(&str, &str, &str)> = names.iter().map(|name| (*name, "100", "3")).collect();
    let project = project(&side, &side, "");
    let line = format!("{LINE} --regression-threshold 0.99 --output deltas.md --json report.json");
    assert_snapshot!(project.run(&line), @"
    exit 2
    --- stderr
    error: the gate proved that it cannot fail: `parsesPerSecond` of `A` would be moved at ten times the cost; `parsesPerSecond` of `B` would be moved at ten times the cost; `parsesPerSecond` of `C` would be moved at ten times the cost; `parsesPerSecond` of `D` would be moved at ten times the cost; `parsesPerSecond` of `E` would be moved at ten times the cost; and 2 more
    hint: make the limits of these metrics tighter, or take them out of `[[gates]]`
    hint: `--no-self-test` compares without this proof
    ");
    let skipped = project.run(&format!("{line} --no-self-test"));
    assert_eq!((failed(&skipped), skipped.files.len()), ((0, ""), 2), "{skipped}");
}

#[test]
fn where_nothing_can_fail_it_is_said() {
    let rows = "scenario,platform,commit,runIndex,score\nParse,linux,,-1,7\n";
    let project = Project::empty().with("base.csv", rows).with("run.log", rows);
    let outcome = project.run(&format!("{LINE} --output deltas.md"));
    assert_snapshot!(outcome.stderr, @"
    warning: nothing here can fail: no metric of these rows is gated
    hint: name metrics in `[[gates]]` of the config, or say which way they are better
    ");
    assert!(project.text("deltas.md").contains("Nothing here can fail"), "{}", project.text("deltas.md"));
}
