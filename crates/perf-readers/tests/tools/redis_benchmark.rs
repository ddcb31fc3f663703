//! redis-benchmark.

use super::account;

#[test]
fn reports() {
    insta::assert_snapshot!(account("redis-benchmark", "redis-benchmark/reports.txt"));
}

#[test]
fn quiet() {
    insta::assert_snapshot!(account("redis-benchmark", "redis-benchmark/quiet.txt"));
}

#[test]
fn csv() {
    insta::assert_snapshot!(account("redis-benchmark-csv", "redis-benchmark/results.csv"));
}
