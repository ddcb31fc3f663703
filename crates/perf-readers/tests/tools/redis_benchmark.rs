//! redis-benchmark.

use super::{account, common, read};

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
    insta::assert_snapshot!(account(
        "redis-benchmark-csv",
        "redis-benchmark/results.csv"
    ));
}

#[test]
fn quiet_lines_behind_a_report_that_is_cut_off() {
    let text = "====== SET ======\n  100000 requests completed in 1.62 seconds\n  50 parallel clients\n\
                GET: 121951.22 requests per second, p50=0.223 msec\nINCR: 120481.93 requests per second\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}
