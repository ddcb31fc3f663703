//! JMH's table and CSV.

use super::account;

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
