//! The JSON report: complete, and of one mind with everything else that is said.

use end_to_end::Project;
use end_to_end::markdown::tables;
use serde_json::Value;

const VERDICTS: [&str; 7] =
    ["regressed", "inconclusive", "improved", "moved", "unchanged", "not comparable", "unmeasured"];

/// What is told of every metric, whatever the data are.
const ALWAYS: [&str; 11] = [
    "metric", "unit", "better", "baseline", "current", "change", "drop", "limit", "rule", "verdict", "reason",
];

/// The report of a fixture, its Markdown and its standard output.
fn reported(fixture: &str, inputs: &str) -> (Value, String, String) {
    let project = Project::fixture(fixture);
    let line = format!(
        "render-perf-deltas --input {inputs} --baseline-csv baseline.csv --output deltas.md --json report.json"
    );
    let outcome = project.run(&line);
    let report = serde_json::from_str(&project.text("report.json")).unwrap();
    (report, project.text("deltas.md"), outcome.out().to_owned())
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().unwrap_or_else(|| panic!("no list `{name}` in {value}"))
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn fixtures() -> [(Value, String, String); 2] {
    [reported("wayfinder", "player.log editor.xml"), reported("ferrite", "bench.log")]
}

#[test]
fn every_part_has_every_key() {
    for (report, ..) in fixtures() {
        assert_eq!(report["version"], 1);
        let expected = [
            "baselineCommits",
            "blind",
            "changed",
            "compared",
            "currentCommits",
            "improved",
            "inconclusive",
            "missing",
            "new",
            "notComparable",
            "notes",
            "regressed",
            "regressionThreshold",
            "repeats",
            "scopes",
            "skipped",
            "tested",
            "tolerance",
            "unmeasured",
            "version",
            "waived",
            "waivers",
            "warned",
        ];
        let mut found = keys(&report);
        found.sort_unstable();
        assert_eq!(found, expected);
        for scope in list(&report, "scopes") {
            assert_eq!(keys(scope).len(), 4, "{:?}", keys(scope));
            for scenario in list(scope, "scenarios") {
                assert_eq!(keys(scenario).len(), 4, "{:?}", keys(scenario));
                for metric in list(scenario, "metrics") {
                    for key in ALWAYS {
                        assert!(keys(metric).contains(&key), "{key}: {metric}");
                    }
                    assert!(VERDICTS.contains(&metric["verdict"].as_str().unwrap()), "{metric}");
                    assert!(!metric["reason"].as_str().unwrap().is_empty(), "{metric}");
                    assert_eq!(metric["limit"].is_null(), metric["rule"] != "threshold", "{metric}");
                }
            }
        }
    }
}

#[test]
fn the_counts_are_those_of_the_lists_and_of_the_result_lines() {
    for (report, _, lines) in fixtures() {
        let (mut missing, mut new, mut compared, mut improved) = (0, 0, 0, 0);
        for scope in list(&report, "scopes") {
            missing += list(scope, "missing").len();
            new += list(scope, "new").len();
            let verdicts: Vec<&str> = list(scope, "scenarios")
                .iter()
                .map(|scenario| scenario["verdict"].as_str().unwrap())
                .collect();
            compared +=
                verdicts.iter().filter(|verdict| !["not comparable", "unmeasured"].contains(verdict)).count();
            improved += verdicts.iter().filter(|verdict| **verdict == "improved").count();
        }
        let count = |name: &str| usize::try_from(report[name].as_u64().unwrap()).unwrap();
        assert_eq!(["compared", "improved", "missing", "new"].map(count), [compared, improved, missing, new]);
        for name in ["changed", "regressed", "compared", "improved", "missing", "new", "unmeasured"] {
            assert!(lines.contains(&format!("{name}={}\n", report[name])), "{name}: {lines}");
        }
    }
}

#[test]
fn a_scenario_has_the_gravest_verdict_of_its_metrics() {
    for (report, ..) in fixtures() {
        for scenario in list(&report, "scopes").iter().flat_map(|scope| list(scope, "scenarios")) {
            let gravity = |verdict: &Value| VERDICTS.iter().position(|known| verdict == known).unwrap();
            let gravest = list(scenario, "metrics").iter().map(|metric| gravity(&metric["verdict"])).min();
            assert_eq!(gravest, Some(gravity(&scenario["verdict"])), "{scenario}");
        }
    }
}

#[test]
fn the_numbers_are_those_of_the_rows() {
    let (report, ..) = reported("wayfinder", "player.log editor.xml");
    let rows = Project::fixture("wayfinder").text("rows.csv");
    let row = |scenario: &str| -> Vec<f64> {
        let line = rows
            .lines()
            .find(|line| line.starts_with(&format!("{scenario},Unity 6000.2.1f1 Player")))
            .unwrap();
        line.split(',').skip(4).map(|cell| cell.parse().unwrap()).collect()
    };
    let columns = ["queriesPerSecond", "gcAllocations", "wallClockMs", "gcAllocatedBytes"];
    for scenario in list(&list(&report, "scopes")[0], "scenarios") {
        let row = row(scenario["scenario"].as_str().unwrap());
        for metric in list(scenario, "metrics") {
            let column = columns.iter().position(|name| metric["metric"] == *name).unwrap();
            assert_eq!(
                metric["current"].as_f64().unwrap_or(-1.0).to_bits(),
                row[column].to_bits(),
                "{metric}"
            );
        }
    }
}

#[test]
fn the_report_and_the_table_have_the_same_scenarios_and_verdicts() {
    for (report, markdown, _) in fixtures() {
        let tables = tables(&markdown);
        for scope in list(&report, "scopes").iter().filter(|scope| !list(scope, "scenarios").is_empty()) {
            // What matters, and what is folded away.
            let of_scope = tables.iter().filter(|table| scope["scope"] == *table.heading);
            let mut shown: Vec<[String; 2]> = of_scope
                .flat_map(|table| &table.rows[1..])
                .map(|row| [row[0].clone(), row.last().unwrap().replace('*', "")])
                .collect();
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let mut reported: Vec<[String; 2]> = list(scope, "scenarios")
                .iter()
                .map(|scenario| [text(&scenario["label"]), text(&scenario["verdict"])])
                .collect();
            shown.sort();
            reported.sort();
            assert_eq!(shown, reported);
        }
    }
}

#[test]
fn the_reason_of_a_pass_is_not_that_of_a_failure() {
    let (report, ..) = reported("wayfinder", "player.log editor.xml");
    let throughput = |key: &str| {
        let scenarios = list(&list(&report, "scopes")[0], "scenarios");
        scenarios.iter().find(|scenario| scenario["scenario"] == key).unwrap()["metrics"][0].clone()
    };
    // Exactly 33 % less, and a thousandth of a query more than that.
    let (passed, failed) = (throughput("FlowField_OneGoal"), throughput("FlowField_ManyGoals"));
    assert_eq!((&passed["verdict"], &failed["verdict"]), (&"moved".into(), &"regressed".into()));
    assert_ne!(passed["reason"], failed["reason"]);
}
