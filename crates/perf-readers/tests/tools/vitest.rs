//! vitest.

use super::{account, common, read};

#[test]
fn statistics() {
    insta::assert_snapshot!(account("vitest", "vitest/statistics.json"));
}

#[test]
fn times_of_all_runs_are_samples() {
    let text = r#"{"files": [{"filepath": "/project/a.bench.ts", "groups": [{"fullName": "a.bench.ts > b", "benchmarks":
[{"name": "c", "hz": 400.0, "mean": 2.5, "median": 2.0, "p75": 3.0, "samples": [2.0, 3.0]}, {"name": "d", "samples": []}]}]}]}"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 a.bench.ts > b > c |  |  | 0 of launch 1 | timeMs=2
    file:2 a.bench.ts > b > c |  |  | 1 of launch 1 | timeMs=3
    file:2 a.bench.ts > b > c |  |  | -1 | timeP75Ms=3 opsPerSecond=400
    file:2 a.bench.ts > b > d |  |  | -1 |  | failed
    file: 4 of 2 lines (vitest)
    ");
}
