//! The JSON report: complete, and consistent with the result lines and the rows.

use end_to_end::markdown::tables;
use end_to_end::report::{list, text};
use end_to_end::{Outcome, Project, Report};
use serde_json::Value;

const VERDICTS: [&str; 7] = [
    "regressed",
    "inconclusive",
    "improved",
    "moved",
    "unchanged",
    "not-comparable",
    "unmeasured",
];

/// The keys of every metric.
const METRIC: [&str; 10] = [
    "metric", "unit", "better", "baseline", "current", "change", "loss", "limit", "rule", "verdict",
];

/// The keys of the report, sorted.
const REPORT: [&str; 15] = [
    "baselineCommits",
    "blind",
    "changed",
    "counts",
    "currentCommits",
    "notes",
    "regressed",
    "regressionLimit",
    "repeats",
    "scopes",
    "skipped",
    "tested",
    "tolerance",
    "version",
    "waivers",
];

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

fn reports() -> [(Outcome, Report); 2] {
    [
        ("wayfinder", "player.log editor.xml"),
        ("ferrite", "bench.log"),
    ]
    .map(|(fixture, inputs)| {
        let line = format!("render-perf-deltas --input {inputs} --baseline-csv baseline.csv");
        Project::fixture(fixture).compare(&line)
    })
}

#[test]
fn every_part_has_its_keys() {
    for (_, Report(report)) in reports() {
        assert_eq!(report["version"], 1);
        let mut found = keys(&report);
        found.sort_unstable();
        assert_eq!(found, REPORT);
        for scope in list(&report, "scopes") {
            assert_eq!(keys(scope).len(), 4, "{:?}", keys(scope));
            for scenario in list(scope, "scenarios") {
                assert_eq!(keys(scenario).len(), 4, "{:?}", keys(scenario));
                for metric in list(scenario, "metrics") {
                    assert!(
                        METRIC.iter().all(|key| keys(metric).contains(key)),
                        "{metric}"
                    );
                    assert!(VERDICTS.contains(&text(metric, "verdict")), "{metric}");
                    let is_well = ["moved", "unchanged"].contains(&text(metric, "verdict"));
                    assert!(is_well || !text(metric, "reason").is_empty(), "{metric}");
                    assert_eq!(
                        metric["limit"].is_null(),
                        metric["rule"] != "limit",
                        "{metric}"
                    );
                }
            }
        }
    }
}

#[test]
fn counts_match_the_lists_and_the_result_lines() {
    for (outcome, report) in reports() {
        let verdicts: Vec<&str> = report
            .scenarios()
            .map(|scenario| text(scenario, "verdict"))
            .collect();
        let compared = verdicts
            .iter()
            .filter(|verdict| !["not-comparable", "unmeasured"].contains(verdict));
        let improved = verdicts.iter().filter(|verdict| **verdict == "improved");
        let expected = [
            compared.count(),
            improved.count(),
            report.names("missing").len(),
            report.names("new").len(),
        ];
        let counts = &report.0["counts"];
        let count = |name: &str| usize::try_from(counts[name].as_u64().unwrap()).unwrap();
        assert_eq!(
            ["compared", "improved", "missing", "new"].map(count),
            expected
        );
        let flags = ["changed", "regressed"].map(|name| (name, &report.0[name]));
        let counted = [
            "compared",
            "improved",
            "not-comparable",
            "missing",
            "new",
            "unmeasured",
        ];
        for (name, value) in flags
            .into_iter()
            .chain(counted.map(|name| (name, &counts[name])))
        {
            assert!(
                outcome.out().contains(&format!("{name}={value}\n")),
                "{name}: {outcome}"
            );
        }
    }
}

#[test]
fn scenario_has_the_most_severe_verdict_of_its_metrics() {
    for (_, report) in reports() {
        for scenario in report.scenarios() {
            let gravity =
                |verdict: &Value| VERDICTS.iter().position(|known| verdict == known).unwrap();
            let gravest = list(scenario, "metrics")
                .iter()
                .map(|metric| gravity(&metric["verdict"]))
                .min();
            assert_eq!(gravest, Some(gravity(&scenario["verdict"])), "{scenario}");
        }
    }
}

#[test]
fn markdown_lists_every_scenario_of_the_json() {
    let project = Project::fixture("wayfinder");
    let line =
        "render-perf-deltas --input player.log --baseline-csv baseline.csv --output deltas.md";
    let (_, report) = project.compare(line);
    let tables = tables(&project.text("deltas.md"));
    let shown: Vec<&String> = tables
        .iter()
        .flat_map(|table| &table.rows[1..])
        .flatten()
        .collect();
    for scenario in report.scenarios() {
        let label = text(scenario, "label");
        let names = |cell: &&String| cell.replace("<wbr>", "").contains(label);
        assert!(shown.iter().any(names), "{label}: {shown:?}");
    }
}

#[test]
fn only_a_failure_has_a_reason() {
    let [(_, report), _] = reports();
    // Exactly 33 % less, and a thousandth of a query less than that.
    let [passed, failed] = ["FlowField_OneGoal", "FlowField_ManyGoals"]
        .map(|key| report.metric(key, "queriesPerSecond"));
    assert_eq!(
        (text(passed, "verdict"), text(failed, "verdict")),
        ("moved", "regressed")
    );
    assert!(passed["reason"].is_null() && !text(failed, "reason").is_empty());
}
