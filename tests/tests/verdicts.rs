//! `render-perf-deltas`: the rules at their limits.

use end_to_end::{Outcome, Project};

use crate::HEADER;

/// A row for each scenario with its throughput and allocations.
fn rows(commit: &str, scenarios: &[(&str, &str, i64)]) -> String {
    let row = |(key, rate, allocations): &(&str, &str, i64)| {
        format!("{key},linux x64,{commit},-1,{rate},{allocations},1000.000,0\n")
    };
    scenarios.iter().map(row).collect()
}

fn project(before: &[(&str, &str, i64)], now: &[(&str, &str, i64)]) -> Project {
    Project::empty()
        .with(
            "baseline.csv",
            HEADER.to_owned() + &rows("0123abcd", before),
        )
        .with("run.log", rows("4567cdef", now))
}

const DELTAS: &str = "render-perf-deltas --input run.log --baseline-csv baseline.csv";

fn compared(before: &[(&str, &str, i64)], now: &[(&str, &str, i64)], options: &str) -> Outcome {
    project(before, now).run(&format!("{DELTAS} {options}"))
}

#[test]
fn limit_is_exclusive() {
    // (100 − 67) / 100 is 33%; 66.999 is the next lower number that a baseline can store.
    for (before, now, options, regressed) in [
        ("100", "67", "", false),
        ("100", "66.999", "", true),
        ("50000", "37499", "--regression-threshold 0.25", true),
        ("50000", "37499", "--regression-threshold 0.26", false),
        ("50000", "37499", "--regression-threshold 0", true),
    ] {
        let outcome = compared(
            &[("Parse", before, 0)],
            &[("Parse", now, 0)],
            &format!("--exit-code {options}"),
        );
        let expected = if regressed {
            "exit 1: changed=true regressed=true compared=1 failed=regressed"
        } else {
            "exit 0: changed=true regressed=false compared=1"
        };
        assert_eq!(outcome.results(), expected, "{before} {now} {options}");
    }
}

#[test]
fn tolerance_is_exclusive() {
    for (now, options, changed) in [
        ("51", "", false),
        ("49", "", false),
        ("51.001", "", true),
        ("48.999", "", true),
        ("54.999", "--tolerance 0.1", false),
    ] {
        let outcome = compared(&[("Parse", "50", 0)], &[("Parse", now, 0)], options);
        let expected = format!("exit 0: changed={changed} regressed=false compared=1");
        assert_eq!(outcome.results(), expected, "{now} {options}");
    }
}

#[test]
fn exact_count_ignores_the_tolerance() {
    let (outcome, report) = project(
        &[
            ("More", "100", 0),
            ("Less", "100", 1000),
            ("Same", "100", 7),
            ("Unmeasured", "100", -1),
        ],
        &[
            ("More", "100", 1),
            ("Less", "100", 999),
            ("Same", "100", 7),
            ("Unmeasured", "100", 3),
        ],
    )
    .compare(&format!("{DELTAS} --tolerance 0.5"));
    assert_eq!(
        outcome.results(),
        "exit 0: changed=true regressed=true improved=1 compared=4 failed=regressed"
    );
    assert_eq!(
        report.differences(),
        [
            "More gcAllocations regressed",
            "Less gcAllocations improved",
            "Unmeasured gcAllocations unmeasured"
        ]
    );
    assert_eq!(report.metric("More", "gcAllocations")["decidedBy"], "exact");
}

#[test]
fn regression_changes_the_exit_code_only_on_request() {
    let (before, now) = ([("Parse", "100", 0)], [("Parse", "1", 0)]);
    assert_eq!(compared(&before, &now, "").code, Some(0));
    assert_eq!(compared(&before, &now, "--exit-code").code, Some(1));
    assert_eq!(
        compared(&now, &before, "--exit-code").code,
        Some(0),
        "an improvement"
    );
}

#[test]
fn zero_is_measured_but_no_reference_for_percentages() {
    let (outcome, report) = project(
        &[("Dead", "100", 0), ("Alive", "0", 0), ("Still", "0", 0)],
        &[("Dead", "0", 0), ("Alive", "100", 0), ("Still", "0", 0)],
    )
    .compare(DELTAS);
    assert_eq!(
        outcome.results(),
        "exit 0: changed=true regressed=true not-comparable=1 compared=3 failed=regressed"
    );
    assert_eq!(
        report.differences(),
        [
            "Dead emitsPerSecond regressed",
            "Alive emitsPerSecond not-comparable"
        ]
    );
}

#[test]
fn report_on_standard_output_equals_the_file() {
    let project = project(&[("Parse", "100", 0)], &[("Parse", "50", 0)]);
    let results = "exit 0: changed=true regressed=true compared=1 failed=regressed";
    let outcome = project.run(&format!("{DELTAS} --output - --json report.json"));
    assert_eq!((&*outcome.results(), outcome.files.len()), (results, 1));
    assert_eq!(
        outcome.stderr.lines().count(),
        14,
        "one line for each failed benchmark, and the result lines: {outcome}"
    );
    assert_eq!(
        project
            .run(&format!("{DELTAS} --output deltas.md"))
            .results(),
        results
    );
    assert_eq!(outcome.out(), project.text("deltas.md"));
}
