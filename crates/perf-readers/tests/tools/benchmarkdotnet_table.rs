//! BenchmarkDotNet's table and CSV.

use super::{account, common, read};

#[test]
fn class_is_that_of_the_report() {
    insta::assert_snapshot!(account(
        "benchmarkdotnet-text",
        "benchmarkdotnet/console.log"
    ));
}

#[test]
fn jobs_and_types_are_in_the_name() {
    insta::assert_snapshot!(account(
        "benchmarkdotnet-text",
        "benchmarkdotnet/report-github.md"
    ));
}

#[test]
fn csv_has_columns_of_jobs() {
    insta::assert_snapshot!(account("benchmarkdotnet-csv", "benchmarkdotnet/report.csv"));
}

/// Projects choose the columns.
#[test]
fn table_with_hidden_columns() {
    let text = "| Method | Rows  | Mean      | Ratio | MB/s   | Allocated |\n|------- |------ |----------:|------:|-------:|----------:|\n\
                | Parse  | 50000 | 21.545 ms |  1.00 | 1350.0 |  13.48 MB |\n| Lines  | 50000 | 28.729 ms |  1.33 | 1012.4 |  99.74 MB |\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}
