//! criterion: its files, and its report.

use super::{account, common, fixture, read};

#[test]
fn every_sample_is_a_row_with_its_throughput() {
    insta::assert_snapshot!(account("criterion", "criterion/joined.json"));
}

#[test]
fn older_versions_are_read() {
    insta::assert_snapshot!(account("criterion", "criterion/joined-0.3.6.json"));
}

/// As written by versions before 0.3.4.
#[test]
fn samples_without_keys_are_read() {
    let text = r#"{"group_id":"sort","function_id":"few","value_str":"16","throughput":{"Elements":4},"full_id":"sort/few/16"}
[[1,2,4],[10.0,21.0,40.0]]
[1,2,3,4]"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 sort/few/16 |  |  | 0 of launch 1 | timeNs=10 itemsPerSecond=400000000
    file:1 sort/few/16 |  |  | 1 of launch 1 | timeNs=10.5 itemsPerSecond=380952380.95238096
    file:1 sort/few/16 |  |  | 2 of launch 1 | timeNs=10 itemsPerSecond=400000000
    file: 3 of 3 lines (criterion)
    ");
}

#[test]
fn partial_folders_give_what_they_can() {
    let text = r#"{"group_id":"a","full_id":"a","throughput":null}
{"sampling_mode":"Flat","iters":[1,2],"times":[3]}
{"group_id":"b","full_id":"b","throughput":null}
{"mean":{"confidence_interval":{"lower_bound":-1,"upper_bound":1},"point_estimate":0.1},"median":null}
{"group_id":"c","full_id":"c","throughput":null}
{"sampling_mode":"Flat","iters":[0],"times":[3]}
{"mean":{"confidence_interval":{"lower_bound":1,"upper_bound":3},"point_estimate":2},"slope":null,"std_dev":{"confidence_interval":{"lower_bound":1,"upper_bound":3},"point_estimate":0.5}}
{"group_id":"d","full_id":"d","thro"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @r"
    file:5 c |  |  | -1 | timeNs=2 timeNs.lower=1 timeNs.upper=3 timeNs.stddev=0.5
    file:2 skipped: iterations and times do not match
    file:1 skipped: `a` has neither samples nor estimates
    file:3 skipped: `b` has neither samples nor estimates
    file:6 skipped: iterations and times do not match
    file:8 skipped: JSON is cut off here
    file: 1 of 8 lines (criterion)
    ");
}

#[test]
fn estimates_without_name_use_the_input_name() {
    let text = r#"{"mean":{"confidence_interval":{"lower_bound":1,"upper_bound":3},"point_estimate":2},"std_dev":
        {"confidence_interval":{"lower_bound":1,"upper_bound":3},"point_estimate":0.5},"slope":null}"#;
    let config = perf_config::Config::default();
    let mut collector = perf_readers::Collector::new(&config);
    let inputs = [
        "target/criterion/fib 10/new/estimates.json",
        r"results\fib\main\estimates.json",
        "fibs.json",
    ];
    for name in inputs {
        collector.read(name, &mut text.as_bytes()).unwrap();
    }
    let named: Vec<String> = collector
        .finish()
        .rows
        .iter()
        .map(|row| row.scenario.to_string())
        .collect();
    assert_eq!(named, ["fib 10", "fib", "fibs"]);
}

#[test]
fn report_gives_times_and_throughput_without_changes() {
    insta::assert_snapshot!(account("criterion-text", "criterion/report.txt"));
}

#[test]
fn report_with_colours_is_read() {
    let report = String::from_utf8(fixture("criterion/report.txt")).unwrap();
    let terminal: String = report
        .lines()
        .map(|line| format!("Benchmarking it: Analyzing\r\u{1b}[2K\u{1b}[32m{line}\u{1b}[0m\r\n"))
        .collect::<Vec<_>>()
        .concat();
    assert_eq!(read(terminal.as_bytes()).rows, read(report.as_bytes()).rows);
}

#[test]
fn units_are_decimal_or_binary() {
    let text = "\
tiny                    time:   [320.62 ps 323.90 ps 327.55 ps]
                        thrpt:  [1.5000 Gb/s 2.5000 Gb/s 3.5000 Gb/s]
slow                    time:   [1.0000 s 1.5000 s 2.0000 s]
                        thrpt:  [1.0000 KiB/s 2.0000 KiB/s 3.0000 KiB/s]
                        thrpt:  [12.000  elem/s 13.000  elem/s 14.000  elem/s]
                 change:
                        time:   [\u{2212}10.730% \u{2212}3.6596% +0.9047%] (p = 0.43 > 0.05)
                        thrpt:  [\u{2212}0.8966% +3.7986% +12.019%]
strange                 time:   [1.0000 laps 1.5000 laps 2.0000 laps]
cut                     time:   [1.0000 ns 1.50
";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @r"
    file:1 tiny |  |  | -1 | timeNs=0.3239 timeNs.lower=0.32062 timeNs.upper=0.32755 bitsPerSecond=2500000000 bitsPerSecond.lower=1500000000 bitsPerSecond.upper=3500000000
    file:3 slow |  |  | -1 | timeNs=1500000000 timeNs.lower=1000000000 timeNs.upper=2000000000 bytesPerSecond=2048 bytesPerSecond.lower=1024 bytesPerSecond.upper=3072 itemsPerSecond=13 itemsPerSecond.lower=12 itemsPerSecond.upper=14
    file:9 skipped: expected three durations with units
    file:10 skipped: line is cut off
    file: 2 of 10 lines (criterion-text)
    ");
}

#[test]
fn binary_disambiguates_equal_names() {
    let text = "\
     Running benches/one.rs (target/release/deps/one-0123456789abcdef)
parse                   time:   [1.0000 ns 2.0000 ns 3.0000 ns]
write                   time:   [1.0000 ns 2.0000 ns 3.0000 ns]
write                   time:   [2.0000 ns 2.5000 ns 3.0000 ns]
     Running benches/two.rs (target/release/deps/two-0123456789abcdef)
a long name
                        time:   [1.0000 ns 2.0000 ns 3.0000 ns]
parse                   time:   [4.0000 ns 5.0000 ns 6.0000 ns]
                        thrpt:  [12.000  elem/s 13.000  elem/s 14.000  elem/s]
";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 one::parse |  |  | -1 | timeNs=2 timeNs.lower=1 timeNs.upper=3
    file:3 write |  |  | 0 | timeNs=2 timeNs.lower=1 timeNs.upper=3
    file:4 write |  |  | 1 | timeNs=2.5 timeNs.lower=2 timeNs.upper=3
    file:7 a long name |  |  | -1 | timeNs=2 timeNs.lower=1 timeNs.upper=3
    file:8 two::parse |  |  | -1 | timeNs=5 timeNs.lower=4 timeNs.upper=6 itemsPerSecond=13 itemsPerSecond.lower=12 itemsPerSecond.upper=14
    1 further samples
    file: 5 of 9 lines (criterion-text)
    ");
}

#[test]
fn second_benchmark_of_a_name_keeps_its_number() {
    let benchmark = |title: &str| {
        format!(
            r#"{{"group_id":"g","function_id":"f","value_str":null,"throughput":null,"full_id":"g/f","directory_name":"g/f","title":"{title}"}}{{"sampling_mode":"Flat","iters":[1.0],"times":[{}.0]}}"#,
            title.len()
        )
    };
    let text = benchmark("g/f") + &benchmark("g/f #2") + &benchmark("g/f #a");
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 g/f |  |  | 0 | timeNs=3
    file:1 g/f #2 |  |  | 0 | timeNs=6
    file:1 g/f |  |  | 1 | timeNs=6
    1 further samples
    file: 3 of 1 lines (criterion)
    ");
}
