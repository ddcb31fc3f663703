//! Google Benchmark.

use super::{account, common, read};

#[test]
fn every_repetition_is_a_sample() {
    insta::assert_snapshot!(account(
        "google-benchmark",
        "google-benchmark/repetitions.json"
    ));
}

#[test]
fn one_repetition_stands_for_itself() {
    insta::assert_snapshot!(account("google-benchmark", "google-benchmark/single.json"));
}

#[test]
fn complexity_order_is_in_the_name() {
    insta::assert_snapshot!(account(
        "google-benchmark",
        "google-benchmark/complexity.json"
    ));
}

#[test]
fn statistics_alone_make_one_row() {
    insta::assert_snapshot!(account(
        "google-benchmark",
        "google-benchmark/aggregates-only.json"
    ));
}

#[test]
fn skipped_and_other_units_are_reported() {
    let text = r#"2026-01-01T00:00:00+00:00
Running ./bench
{"context": {"num_cpus": 2}, "benchmarks": [
  {"name": "A", "run_type": "iteration", "repetitions": 1, "skipped": true, "skip_message": "no AVX", "real_time": 0.0, "time_unit": "ns"},
  {"name": "B", "run_type": "iteration", "repetitions": 1, "real_time": 1.4, "cpu_time": 1.1e-3, "time_unit": "ms", "allocs_per_iter": 2.5, "hits": NaN},
  {"name": "C", "run_type": "iteration", "real_time": 1.4, "time_unit": "min"},
  {"run_type": "iteration"}
]}
done
"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:4 A |  |  | -1 |  | skipped
    file:5 B |  |  | -1 | timeNs=1400000 cpuTimeNs=1100 allocations=2.5
    file:6 skipped: unknown time unit `min`
    file:7 skipped: the entry has no `name`
    file: 2 of 9 lines (google-benchmark)
    ");
}

#[test]
fn truncated_file_is_reported_with_line() {
    let bytes = super::fixture("google-benchmark/single.json");
    let report = read(&bytes[..1500]);
    insta::assert_snapshot!(common::account(&report), @"
    file:65 skipped: JSON is cut off here
    file: 0 of 65 lines (google-benchmark)
    ");
}
