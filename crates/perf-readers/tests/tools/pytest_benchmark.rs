//! pytest-benchmark.

use super::{account, common, read};

#[test]
fn every_round_is_a_sample() {
    insta::assert_snapshot!(account("pytest-benchmark", "pytest-benchmark/samples.json"));
}

#[test]
fn statistics_alone_have_their_spread() {
    insta::assert_snapshot!(account(
        "pytest-benchmark",
        "pytest-benchmark/statistics.json"
    ));
}

#[test]
fn machine_info_may_follow_and_rounds_are_optional() {
    let text = r#"{"benchmarks": [{"name": "a", "fullname": null, "stats": {"median": 0.5, "rounds": 3, "data": [0.25, "…"], "ops": 2.0}}],
"commit_info": {"id": "abc1234", "dirty": true}, "machine_info": {"system": "Linux", "node": "secret", "cpu": {"brand": "Some CPU"}}}
{"benchmarks": [{"name": "a", "fullname": "x.py::a", "extra_info": {"peak_bytes": 5, "why": "5"}, "stats": {"rounds": 1, "data": [1]}}, 5],
"machine_info": {"machine": "arm64", "python_version": "3.14.0rc1"}}"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 a | Linux | abc1234 | -1 on some | timeS=0.5 meanOpsPerSecond=2
    file:3 x.py::a | arm64, 3.14 |  | 0 | timeS=1
    file:3 x.py::a | arm64, 3.14 |  | -1 | peak_bytes=5
    file:3 skipped: unexpected JSON: expected a benchmark
    file: 3 of 4 lines (pytest-benchmark)
    ");
}

#[test]
fn partial_samples_count_without_statistics() {
    let text = r#"{"machine_info": {}, "commit_info": {}, "benchmarks": [{"name": "a", "stats": {"rounds": 3, "data": [1, 2]}}]}"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 a |  |  | 0 of launch 1 | timeS=1
    file:1 a |  |  | 1 of launch 1 | timeS=2
    file: 2 of 1 lines (pytest-benchmark)
    ");
}
