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

#[test]
fn table_without_leading_bars_is_read() {
    let table = "BenchmarkDotNet=v0.10.14, OS=Windows 10\n\n\
                 \x20            Method |     Mean |     Error |    StdDev | Allocated |\n\
                 ------------------- |---------:|----------:|----------:|----------:|\n\
                 \x20            ToBool | 2.999 ns | 0.0185 ns | 0.0144 ns |       0 B |\n\
                 \x20 'Plain, with text' | 5.742 ns | 0.1318 ns | 0.1100 ns |      24 B |";
    insta::assert_snapshot!(common::account(&read(format!("{table}\n\n// * Hints *\n").as_bytes())), @"
    file:5 ToBool |  |  | -1 | timeNs=2.999 timeNs.stddev=0.0144 allocatedBytes=0 timeNs.lower=2.9805 timeNs.upper=3.0175
    file:6 Plain, with text |  |  | -1 | timeNs=5.742 timeNs.stddev=0.11 allocatedBytes=24 timeNs.lower=5.6102 timeNs.upper=5.8738
    file: 2 of 8 lines (benchmarkdotnet-text)
    ");
    insta::assert_snapshot!(common::account(&read(table[..table.len() - 5].as_bytes())), @"
    file:5 ToBool |  |  | -1 | timeNs=2.999 timeNs.stddev=0.0144 allocatedBytes=0 timeNs.lower=2.9805 timeNs.upper=3.0175
    file:6 skipped: output is cut off in this line
    file: 1 of 6 lines (benchmarkdotnet-text)
    ");
}
