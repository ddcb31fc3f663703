//! Google Benchmark's table.

use super::{account, common, read};

#[test]
fn counters_and_failures() {
    insta::assert_snapshot!(account(
        "google-benchmark-text",
        "google-benchmark/table.txt"
    ));
}

#[test]
fn every_repetition_is_a_sample() {
    insta::assert_snapshot!(account(
        "google-benchmark-text",
        "google-benchmark/table-repetitions.txt"
    ));
}

#[test]
fn counters_may_have_columns() {
    insta::assert_snapshot!(account(
        "google-benchmark-text",
        "google-benchmark/table-tabular.txt"
    ));
}

#[test]
fn statistics_alone_make_one_row() {
    insta::assert_snapshot!(account(
        "google-benchmark-text",
        "google-benchmark/table-aggregates.txt"
    ));
}

#[test]
fn complexity_is_not_read() {
    insta::assert_snapshot!(account(
        "google-benchmark-text",
        "google-benchmark/table-complexity.txt"
    ));
}

#[test]
fn programs_tell_equal_names_apart() {
    let table = |program: &str, load: &str| {
        format!(
            "Running ./{program}\nLoad Average: {load}, 0.20, 0.30\n----\nBenchmark   Time   CPU   Iterations\n----\n\
             Sum/8   1.5 us   1.4 us   1000\n\n"
        )
    };
    let other = table("lists", "0.1") + &table("trees", "0.2");
    let same = table("lists", "0.1") + &table("lists", "0.2").replace("1.5 us", "1.6 us");
    insta::assert_snapshot!(common::account(&read(other.as_bytes())), @"
    file:6 lists: Sum/8 |  |  | -1 | timeNs=1500 cpuTimeNs=1400
    file:13 trees: Sum/8 |  |  | -1 | timeNs=1500 cpuTimeNs=1400
    file: 2 of 14 lines (google-benchmark-text)
    ");
    insta::assert_snapshot!(common::account(&read(same.as_bytes())), @"
    file:6 Sum/8 |  |  | 0 | timeNs=1500 cpuTimeNs=1400
    file:13 Sum/8 |  |  | 1 | timeNs=1600 cpuTimeNs=1400
    1 further samples
    file: 2 of 14 lines (google-benchmark-text)
    ");
}

#[test]
fn benchmarks_may_be_named_like_statistics() {
    let text = "Benchmark   Time   CPU   Iterations\nBM_mean   1.5 us   1.4 us   1000\nBM_median   2.5 us   2.4 us   900\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 BM_mean |  |  | -1 | timeNs=1500 cpuTimeNs=1400
    file:3 BM_median |  |  | -1 | timeNs=2500 cpuTimeNs=2400
    file: 2 of 3 lines (google-benchmark-text)
    ");
}

#[test]
fn statistics_in_percent_of_names_with_spaces_do_not_end_the_table() {
    let rows = |name: &str| {
        let of =
            |end: &str, unit: &str| format!("BM_A<{name}>_{end}  12.5 {unit}  12.5 {unit}  2\n");
        [
            of("mean", "us"),
            of("median", "us"),
            of("stddev", "us"),
            of("cv", "%"),
        ]
        .concat()
    };
    let header = "Benchmark                 Time      CPU   Iterations\n";
    let report = common::read(format!(
        "{header}{}{}",
        rows("int, long"),
        rows("int, char")
    ));
    let names: Vec<&str> = report.rows.iter().map(|row| &*row.scenario).collect();
    assert_eq!(names, ["BM_A<int, long>", "BM_A<int, char>"]);
}

#[test]
fn last_line_may_lack_its_end_behind_the_times() {
    let rows = "Benchmark   Time   CPU   Iterations\nSum/8   1.5 us   1.4 us   1000\nSum/9   2.5 us   2.4 us   38";
    let skipped = |text: &str| common::read(text).skipped.len();
    assert_eq!((common::read(rows).rows.len(), skipped(rows)), (2, 0));
    // Counters would follow.
    let with_counters = rows.replace("1000", "1000 items_per_second=5M/s");
    assert_eq!(
        (
            common::read(with_counters.clone()).rows.len(),
            skipped(&with_counters)
        ),
        (1, 1)
    );
}
