//! tinybench.

use super::{account, common, read};

#[test]
fn results_of_version_6() {
    insta::assert_snapshot!(account("tinybench", "tinybench/results.json"));
}

#[test]
fn results_of_version_3() {
    insta::assert_snapshot!(account("tinybench", "tinybench/results-3.json"));
}

#[test]
fn results_of_version_2() {
    insta::assert_snapshot!(account("tinybench", "tinybench/results-2.json"));
}

#[test]
fn aborted_and_not_run_are_outcomes() {
    let text = r#"[{"name": "a"}, {"name": "b", "result": {"state": "not-started", "timestampProviderName": "performanceNow"}},
{"name": "c", "result": {"state": "aborted-with-statistics", "latency": {"mean": 2.5}, "throughput": {"mean": 400}}},
{"name": "d", "result": {"state": "aborted"}}, {"name": "e", "result": {"error": null, "mean": 1.0, "hz": 1000}}]"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 a |  |  | -1 |  | skipped
    file:1 b |  |  | -1 |  | skipped
    file:2 c |  |  | -1 | timeMs=2.5 opsPerSecond=400
    file:3 d |  |  | -1 |  | failed
    file:3 e |  |  | -1 | timeMs=1 opsPerSecond=1000
    file: 5 of 3 lines (tinybench)
    ");
}

#[test]
fn samples_longer_than_the_head_hide_nothing() {
    let samples = vec!["0.125"; 40_000].join(",");
    for text in [
        format!(
            r#"[{{"name":"a","result":{{"state":"completed","latency":{{"critical":2.4,"mean":0.5,"samples":[{samples}]}},"period":1}}}}]"#
        ),
        format!(
            r#"[{{"name":"a","result":{{"totalTime":1.5,"hz":2,"samples":[{samples}],"mean":0.5}}}}]"#
        ),
    ] {
        let report = read(text.as_bytes());
        assert_eq!(
            (report.inputs[0].format, report.skipped_count),
            ("tinybench", 0)
        );
        assert!(report.rows.len() >= 40_000);
    }
}

#[test]
fn summaries_of_batches_are_one_document_a_line() {
    let text = r#"[{"name":"parse","result":{"latency":{"mean":0.5,"min":0.25,"max":2,"p50":0.375}}}]
[{"name":"wait #2","result":{"latency":{"mean":0.5,"min":0.25}}}]
"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 parse |  |  | -1 | timeMs=0.5 timeMs.min=0.25 timeMs.max=2 timeP50Ms=0.375
    file:2 wait #2 |  |  | -1 | timeMs=0.5 timeMs.min=0.25
    file: 2 of 2 lines (tinybench)
    ");
}
