//! Scenarios, metrics and scopes that only one side of a comparison contains.

use end_to_end::{Outcome, Project, Report};

use crate::HEADER;

const DELTAS: &str = "render-perf-deltas --input run.log --baseline-csv baseline.csv";

/// A row for each scenario.
fn rows(commit: &str, scenarios: &[&str]) -> String {
    scenarios
        .iter()
        .map(|key| format!("{key},linux,{commit},-1,100,0,1000.000,0\n"))
        .collect()
}

fn compared(before: &[&str], now: &[&str]) -> (Outcome, Report) {
    let project = Project::empty()
        .with(
            "baseline.csv",
            HEADER.to_owned() + &rows("0123abcd", before),
        )
        .with("run.log", rows("4567cdef", now));
    project.compare(&format!("{DELTAS} --exit-code"))
}

#[test]
fn missing_scenario_fails_and_new_one_passes() {
    let (outcome, report) = compared(&["Parse", "Gone"], &["Parse", "Fresh"]);
    assert_eq!(
        outcome.results(),
        "exit 1: changed=false regressed=false missing=1 new=1 compared=1 failed=missing"
    );
    assert_eq!(report.names("missing"), ["linux/Gone"]);
    assert_eq!(report.names("new"), ["linux/Fresh"]);
    let (outcome, _) = compared(&["Parse"], &["Parse", "Fresh"]);
    assert_eq!(
        outcome.results(),
        "exit 0: changed=false regressed=false new=1 compared=1"
    );
}

#[test]
fn nothing_compared_is_a_failure() {
    let (outcome, report) = compared(&["Old"], &["New"]);
    assert_eq!(
        outcome.results(),
        "exit 1: changed=false regressed=false missing=1 new=1 failed=nothing-compared,missing"
    );
    assert_eq!(report.verdicts(), [""; 0]);
}

#[test]
fn metric_on_one_side_is_unmeasured() {
    let project = Project::empty()
        .with(
            "baseline.csv",
            "scenario,platform,decodeNs,colour\nA,linux,100,1\nB,linux,0,\n",
        )
        .with(
            "run.log",
            "scenario,platform,decodeNs,score\nA,linux,100,7\nB,linux,5,\n",
        );
    let (outcome, report) = project.compare(DELTAS);
    assert_eq!(
        outcome.results(),
        "exit 0: changed=false regressed=false not-comparable=1 compared=1"
    );
    // A time of zero is impossible: the baseline is invalid.
    assert_eq!(
        report.differences(),
        [
            "A score unmeasured",
            "A colour unmeasured",
            "B decodeNs not-comparable"
        ]
    );
}

#[test]
fn scopes_are_compared_separately() {
    let project = Project::empty()
        .with(
            "baseline.csv",
            HEADER.to_owned()
                + "Parse,linux x64,0123abcd,-1,100,0,1,0\nParse,mac arm64,0123abcd,-1,100,0,1,0\n",
        )
        .with(
            "run.log",
            "Parse,windows x64,4567cdef,-1,100,0,1,0\nParse,linux x64,4567cdef,-1,10,0,1,0\n",
        );
    let (outcome, report) = project.compare(DELTAS);
    assert_eq!(
        outcome.results(),
        "exit 0: changed=true regressed=true missing=1 new=1 compared=1 failed=regressed,missing"
    );
    assert_eq!(report.names("missing"), ["mac arm64/Parse"]);
    assert_eq!(report.names("new"), ["windows x64/Parse"]);
    assert_eq!(report.differences(), ["Parse emitsPerSecond regressed"]);
    let one = project
        .tool(&format!("{DELTAS} --scope"))
        .arg("linux x64")
        .run();
    assert_eq!(
        one.results(),
        "exit 0: changed=true regressed=true compared=1 failed=regressed"
    );
}

#[test]
fn samples_are_compared_by_their_median() {
    let sample = |(rate, run): (i64, i64)| format!("Parse,linux,4567cdef,{run},{rate},0,1,0\n");
    let project = Project::empty()
        .with(
            "baseline.csv",
            HEADER.to_owned() + "Parse,linux,0123abcd,-1,100,0,1,0\n",
        )
        .with("run.log", [(90, 0), (99, 1), (500, 2)].map(sample).concat());
    let (_, report) = project.compare(DELTAS);
    assert_eq!(report.metric("Parse", "emitsPerSecond")["current"], 99);
    assert_eq!(report.differences(), [""; 0]);
}
