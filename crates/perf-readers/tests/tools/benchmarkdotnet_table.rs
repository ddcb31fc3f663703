//! BenchmarkDotNet's table and CSV.

use super::account;

#[test]
fn class_is_that_of_the_report() {
    insta::assert_snapshot!(account("benchmarkdotnet-text", "benchmarkdotnet/console.log"));
}

#[test]
fn jobs_and_types_are_in_the_name() {
    insta::assert_snapshot!(account("benchmarkdotnet-text", "benchmarkdotnet/report-github.md"));
}

#[test]
fn csv_has_columns_of_jobs() {
    insta::assert_snapshot!(account("benchmarkdotnet-csv", "benchmarkdotnet/report.csv"));
}
