//! JMH.

use super::{account, common, read};

#[test]
fn modes_of_a_benchmark_are_metrics_of_one_scenario() {
    insta::assert_snapshot!(account("jmh", "jmh/modes.json"));
}

#[test]
fn profilers_and_groups() {
    insta::assert_snapshot!(account("jmh", "jmh/profiled.json"));
}

#[test]
fn percentiles_of_calls() {
    insta::assert_snapshot!(account("jmh", "jmh/sampled-time.json"));
}

#[test]
fn nan_is_not_measured() {
    let text = r#"[{"benchmark": "a", "mode": "sample", "primaryMetric": {"score": 2.5, "scoreConfidence": ["-INF", "+INF"],
"scorePercentiles": {"50.0": 2.0, "100.0": "+INF"}, "scoreUnit": "us/op"}},
{"benchmark": "b", "mode": "thrpt", "primaryMetric": {"score": 2.5, "rawData": [[1.5, "NaN"], []], "scoreUnit": "ops/ns"}},
{"benchmark": "c", "mode": "thrpt", "primaryMetric": {"score": 2.5}},
{"benchmark": "d", "mode": "new", "primaryMetric": {"score": 2.5, "scoreUnit": "furlongs"}}]"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:3 b |  |  | 0 | opsPerSecond=1500000000
    file:1 a |  |  | -1 | sampledTimeNs=2500 sampledTimeP50Ns=2000
    file:5 d |  |  | -1 | furlongs=2.5
    file:3 skipped: no metric has a value
    file:4 skipped: unexpected JSON: missing field `scoreUnit`
    file: 3 of 5 lines (jmh)
    ");
}

#[test]
fn thread_count_makes_another_scenario() {
    let entry = |rest: &str, score: u8| {
        format!(
            r#"{{"benchmark": "a", "mode": "thrpt", {rest}"primaryMetric": {{"score": {score}, "scoreUnit": "ops/s", "rawData": [[{score}]]}}}}"#
        )
    };
    let entries = [
        entry("", 1),
        entry(r#""threads": 1, "params": {"size": "8"}, "#, 2),
        entry(r#""threads": 2, "params": {"size": "8"}, "#, 3),
        entry(r#""threads": 4, "#, 4),
    ];
    let text = format!("[{}]", entries.join(",\n"));
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 a |  |  | 0 | opsPerSecond=1
    file:2 a (size=8) |  |  | 0 | opsPerSecond=2
    file:3 a (size=8, threads=2) |  |  | 0 | opsPerSecond=3
    file:4 a (threads=4) |  |  | 0 | opsPerSecond=4
    file: 4 of 4 lines (jmh)
    ");
}

#[test]
fn each_document_has_its_own_summary() {
    let run = |score: f64| {
        format!(
            r#"[{{"benchmark":"a.B.c","mode":"avgt","primaryMetric":{{"score":{score},"scoreUnit":"ns/op"}}}}]"#
        )
    };
    let report = read([run(5.0), run(6.0)].join("\n").as_bytes());
    insta::assert_snapshot!(common::account(&report), @"
    file:1 a.B.c |  |  | 0 | timeNs=5
    file:2 a.B.c |  |  | 1 | timeNs=6
    1 further samples
    file: 2 of 2 lines (jmh)
    ");
}
