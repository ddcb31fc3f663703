//! Verdicts that fail, waivers, and the gate's self-test.

use end_to_end::{Outcome, Project};

const BEFORE: &str = "scenario,platform,commit,runIndex,parsesPerSecond,allocations\n";

/// A row for each scenario with its throughput and allocations; an empty string is unmeasured.
fn rows(scenarios: &[(&str, &str, &str)]) -> String {
    let row = |(key, rate, count): &(&str, &str, &str)| format!("{key},linux,,-1,{rate},{count}\n");
    BEFORE.to_owned() + &scenarios.iter().map(row).collect::<String>()
}

fn project(before: &[(&str, &str, &str)], now: &[(&str, &str, &str)], config: &str) -> Project {
    Project::empty()
        .with("base.csv", rows(before))
        .with("run.log", rows(now))
        .with("perf-gate.toml", config)
}

const LINE: &str = "render-perf-deltas --input run.log --baseline-csv base.csv --exit-code";

fn failed(outcome: &Outcome) -> (i32, &str) {
    let failed = outcome
        .out()
        .lines()
        .find_map(|line| line.strip_prefix("failed="));
    (
        outcome.code.unwrap(),
        failed.unwrap_or_else(|| panic!("{outcome}")),
    )
}

#[test]
fn standard_output_contains_exactly_the_result_lines() {
    let outcome = project(&[("Parse", "100", "0")], &[("Parse", "100", "0")], "").run(LINE);
    let lines = "changed=false\nregressed=false\nimproved=0\ninconclusive=0\nmissing=0\nnew=0\n\
        not-comparable=0\ncompared=1\nunmeasured=0\nwaived=0\nblind=0\nconfirm=0\nfailed=\n";
    assert_eq!((outcome.code, outcome.out()), (Some(0), lines), "{outcome}");
}

#[test]
fn fail_on_fails_only_for_its_verdicts() {
    let same = ("Same", "100", "3");
    let cases = [
        (
            "regressed",
            vec![same, ("Parse", "100", "3")],
            vec![same, ("Parse", "50", "3")],
        ),
        ("missing", vec![same, ("Gone", "100", "3")], vec![same]),
        (
            "unmeasured",
            vec![same, ("Parse", "100", "3")],
            vec![same, ("Parse", "100", "")],
        ),
        (
            "not-comparable",
            vec![same, ("Parse", "0", "3")],
            vec![same, ("Parse", "100", "3")],
        ),
        ("new", vec![same], vec![same, ("Parse", "100", "3")]),
        (
            "moved",
            vec![same, ("Parse", "100", "3")],
            vec![same, ("Parse", "90", "3")],
        ),
        (
            "improved",
            vec![same, ("Parse", "100", "3")],
            vec![same, ("Parse", "100", "2")],
        ),
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
        // An improvement or a regression is also a move, and an unmeasured metric is also missing.
        let also: &[&str] = match word {
            "regressed" | "improved" => &["moved"],
            "unmeasured" => &["missing"],
            "not-comparable" => &["moved", "improved"],
            _ => &[],
        };
        let others: Vec<&str> = others
            .into_iter()
            .filter(|other| *other != word && !also.contains(other))
            .collect();
        let outcome = project.run(&format!("{LINE} --fail-on {}", others.join(",")));
        assert_eq!(failed(&outcome), (0, ""), "{word}: {outcome}");
        assert_eq!(
            failed(&project.run(&format!("{LINE} --fail-on none"))),
            (0, ""),
            "{word}"
        );
        let usual = ["regressed", "missing", "unmeasured"].contains(&word);
        let reason = if word == "unmeasured" {
            "missing"
        } else {
            word
        };
        assert_eq!(
            failed(&project.run(LINE)),
            if usual { (1, reason) } else { (0, "") },
            "{word}"
        );
    }
}

#[test]
fn fail_on_option_overrides_the_config() {
    let (before, now) = (
        [("Parse", "100", "3")],
        [("Parse", "50", "3"), ("Fresh", "1", "1")],
    );
    let project = project(&before, &now, "[deltas]\nfail-on = ['new']\n");
    assert_eq!(failed(&project.run(LINE)), (1, "new"));
    assert_eq!(
        failed(&project.run(&format!("{LINE} --fail-on new,regressed"))),
        (1, "regressed,new")
    );
    assert_eq!(
        failed(&project.run(&format!("{LINE} --fail-on missing"))),
        (0, "")
    );
    project.write("perf-gate.toml", "[deltas]\nfail-on = []\n");
    assert_eq!(failed(&project.run(LINE)), (0, ""));
    project
        .run(&format!("{LINE} --fail-on regresed"))
        .assert_refused("", &["regresed", "regressed"]);
}

#[test]
fn nothing_compared_fails_unless_fail_on_is_none() {
    let project = project(&[("Parse", "100", "3")], &[("Print", "100", "3")], "");
    assert_eq!(
        failed(&project.run(&format!("{LINE} --fail-on improved"))),
        (1, "nothing-compared")
    );
    assert_eq!(failed(&project.run(LINE)), (1, "nothing-compared,missing"));
    assert_eq!(
        failed(&project.run(&format!("{LINE} --fail-on none"))),
        (0, "")
    );
}

#[test]
fn waiver_applies_until_its_last_day() {
    let config = "[[waivers]]\nscenario = 'Parse'\nreason = 'the new grammar'\nby = 'ada'\nuntil = 2031-03-04\n";
    let project = project(
        &[("Parse", "100", "3"), ("Same", "1", "1")],
        &[("Parse", "50", "3"), ("Same", "1", "1")],
        config,
    );
    let day = |day: &str| project.run(&format!("{LINE} --today {day}"));
    let waived = "exit 0: changed=true regressed=false compared=2 waived=1 blind=1";
    assert_eq!(day("2031-03-04").results(), waived);
    assert_eq!(failed(&day("2031-03-05")), (1, "regressed"));
    // Failing on any change does not override it.
    assert_eq!(
        failed(&project.run(&format!("{LINE} --today 2031-03-04 --fail-on moved"))),
        (0, "")
    );
    day("2031-02-30").assert_refused("", &["2031-02-30"]);
}

#[test]
fn waiver_with_a_maximum_excuses_no_increase_from_zero_and_nothing_missing() {
    let config = |up_to: &str| {
        format!(
            "[[waivers]]\nscenario = 'Parse'\nreason = 'x'\nby = 'ada'\nuntil = 2031-03-04\n{up_to}"
        )
    };
    let before = [("Parse", "100", "0"), ("Same", "1", "1")];
    let more = [("Parse", "100", "1000"), ("Same", "1", "1")];
    let code = |now: &[(&str, &str, &str)], up_to: &str| {
        let project = project(&before, now, &config(up_to));
        project.run(&format!("{LINE} --today 2031-03-04")).code
    };
    for now in [&more[..], &more[1..]] {
        assert_eq!(code(now, ""), Some(0));
        assert_eq!(code(now, "up-to = 0.5\n"), Some(1));
    }
}

#[test]
fn gate_that_cannot_fail_is_rejected() {
    let side = ["A", "B", "C", "D", "E", "F", "G"].map(|name| (name, "100", "3"));
    let project = project(&side, &side, "");
    project
        .run(&format!(
            "{LINE} --regression-threshold 0.99 --output deltas.md --json report.json"
        ))
        .assert_refused("", &["parsesPerSecond", "`A`", "`[[gates]]`"]);
}

#[test]
fn rows_without_a_gated_metric_warn_and_are_noted_in_the_report() {
    let rows = "scenario,platform,commit,runIndex,score\nParse,linux,,-1,7\n";
    let project = Project::empty()
        .with("base.csv", rows)
        .with("run.log", rows);
    let gate = "[[gates]]\nmetric = 'score'\nrule = 'exact'\n[metrics.score]\nbetter = 'higher'\n";
    let noted = |config: &str| {
        project.write("perf-gate.toml", config);
        let (outcome, report) = project.compare(LINE);
        (outcome.warnings().len(), report.notes())
    };
    assert_eq!((noted(""), noted(gate)), ((1, 1), (0, 0)));
}
