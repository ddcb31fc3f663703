//! JMH's table and CSV.

use super::{account, common, read};

#[test]
fn modes_and_profilers_are_metrics_of_one_scenario() {
    insta::assert_snapshot!(account("jmh-text", "jmh/table.txt"));
}

#[test]
fn csv_has_full_names() {
    insta::assert_snapshot!(account("jmh-csv", "jmh/results.csv"));
}

#[test]
fn semicolons_and_commas() {
    insta::assert_snapshot!(account("jmh-csv", "jmh/semicolons.csv"));
}

#[test]
fn blank_lines_and_zero() {
    let text = "Benchmark                 Mode  Cnt    Score    Error   Units\n\n\
                Codec.parse              thrpt    5  104.123 ±  2.345   ops/s\n\n\
                Codec.write               avgt    5    9.604 ±  0.218   ns/op\n\
                Codec.write:gc.count      avgt    5      ≈ 0           counts\n\
                Codec.skip                avgt    5   ≈ 10⁻³            ns/op\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}
