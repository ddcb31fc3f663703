//! perf stat.

use super::account;

#[test]
fn report() {
    insta::assert_snapshot!(account("perf-stat", "perf-stat/report.txt"));
}

#[test]
fn fields() {
    insta::assert_snapshot!(account("perf-stat-fields", "perf-stat/runs.csv"));
}

#[test]
fn json() {
    insta::assert_snapshot!(account("perf-stat-fields", "perf-stat/run.jsonl"));
}
