//! JMH's table.

use super::{account, common, read};

#[test]
fn modes_and_profilers_are_metrics_of_one_scenario() {
    insta::assert_snapshot!(account("jmh-text", "jmh/table.txt"));
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

/// Results with the same name may begin with different metrics.
#[test]
fn results_far_apart_are_found_by_every_leading_metric() {
    let head = "Benchmark     Mode  Cnt    Score   Units\n";
    let text = format!(
        "{head}Codec.parse  thrpt    5    9.604   ops/s\n\n{head}Codec.parse   avgt    5    9.604   ns/op\n\n\
         {head}Codec.parse   avgt    5   99.604   ns/op\n"
    );
    let report = read(text.as_bytes());
    assert_eq!(
        report.far_apart,
        ["`Codec.parse`: timeNs from 9.604 to 99.604"]
    );
}

#[test]
fn labels_and_empty_parameters() {
    let report = common::read(
        "Benchmark      (text)  Mode  Cnt  Score   Error  Units\n\
         A.equals               avgt   10  3.232 ± 0.109  ns/op\n\
         A.equals  nonEmptyText  avgt   10  2.729 ± 0.028  ns/op  [java]  # faster\n",
    );
    insta::assert_snapshot!(common::account(&report), @"
    log:2 A.equals |  |  | -1 | timeNs=3.232 timeNs.lower=3.123 timeNs.upper=3.341
    log:3 A.equals (text=nonEmptyText, [java] # faster) |  |  | -1 | timeNs=2.729 timeNs.lower=2.701 timeNs.upper=2.757
    log: 2 of 3 lines (jmh-text)
    ");
}
