//! Text that runners and terminals add to lines: the rows are the same without it.

use crate::common::{account, read, read_with};
use perf_model::row::Row;

/// Outputs whose lines are not recognised after a prefix, or would include the prefix in a name.
const OUTPUTS: [&str; 6] = [
    "goos: linux\npkg: shelf\nBenchmarkParse-8 \t 100\t 52.5 ns/op\nBenchmarkWalk-8 \t 100\t 81 ns/op\nPASS\nok  \tshelf\t1.2s\n",
    "running 2 tests\ntest parse ... bench:       3,161 ns/iter (+/- 97)\ntest walk  ... bench:       5,200 ns/iter (+/- 12)\n",
    "Benchmark   Mode  Cnt     Score    Error  Units\nShelf.parse  thrpt   10  6748.966 ± 14.342  ops/s\nShelf.walk   thrpt   10   748.966 ±  4.342  ops/s\n",
    "parse/short             time:   [153.72 ns 155.60 ns 157.89 ns]\nwalk                    time:   [26.029 µs 26.251 µs 26.505 µs]\n",
    "RegExp#test x 4,161,532 ops/sec ±0.99% (59 runs sampled)\nString#indexOf x 6,202,553 ops/sec ±1.2% (80 runs sampled)\n",
    "{\n  \"results\": [\n    { \"command\": \"parse\", \"mean\": 0.5, \"times\": [0.5] }\n  ]\n}\n",
];

const PREFIXES: [&str; 10] = [
    "2031-03-04T09:14:10.1234567Z ",
    "bench\tRun it\t2031-03-04T09:14:10.1234567Z ",
    "2031-03-04T09:14:10.123456Z 01O ",
    "[2031-03-04T09:14:10.123Z] ",
    "09:14:10 ",
    "Mar  4 09:14:10 ",
    "[info] ",
    "bench-1  | ",
    "[CI/bench]   | ",
    "2031-03-04T09:14:10.1234567Z bench-1  | [info] ",
];

fn rows(text: &str) -> Vec<Row> {
    read(text).rows
}

#[test]
fn prefix_of_a_runner_changes_no_row() {
    for output in OUTPUTS {
        let plain = rows(output);
        assert!(!plain.is_empty(), "{output}");
        for prefix in PREFIXES {
            let prefixed: Vec<String> = output
                .lines()
                .map(|line| format!("{prefix}{line}\r\n"))
                .collect();
            assert_eq!(
                rows(&prefixed.concat()),
                plain,
                "`{prefix}` before {output}"
            );
            // Runners also print their own lines.
            let among = format!("Attaching to bench-1\n{}", prefixed.concat());
            assert_eq!(
                rows(&among).len(),
                plain.len(),
                "`{prefix}` before {output}"
            );
        }
    }
}

#[test]
fn colour_changes_no_row() {
    for output in &OUTPUTS[..5] {
        let words = output.split_inclusive(char::is_whitespace);
        let coloured: Vec<String> = words
            .map(|word| format!("\u{1b}[1;32m{word}\u{1b}[0m"))
            .collect();
        assert_eq!(rows(&coloured.concat()), rows(output), "{output}");
    }
}

#[test]
fn removed_prefix_is_named() {
    let report = read(
        "hello\n\n2031-03-04T09:14:10Z RegExp#test x 4,161,532 ops/sec ±0.99% (59 runs sampled)\n",
    );
    let told: Vec<String> = report
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(told, ["log: removed a timestamp from 1 of 2 lines"]);
}

#[test]
fn part_of_all_names_is_no_prefix() {
    let named = "[parse] x 1,000 ops/sec ±1% (59 runs sampled)\n[parse] y 1,000 ops/sec ±1% (59 runs sampled)\n";
    assert_eq!(&*rows(named)[0].scenario, "[parse]");
}

#[test]
fn name_with_a_time_of_day_or_an_escape_is_malformed() {
    let report = read(
        "a\nb\nc\nd\ne 09:14:10 x x 1,000 ops/sec ±1% (59 runs sampled)\n\
         {\"scenario\":\"\\u001b[1mLoad\",\"x\":1}\n",
    );
    insta::assert_snapshot!(account(&report), @"
    log:6 skipped: a field contains an escape sequence
    log:5 skipped: the name contains a time of day: the line probably begins with a CI runner's timestamp
    log: 0 of 6 lines (benchmarkjs)
    ");
}

#[test]
fn rows_of_declared_layouts_come_in_any_order() {
    let long = "Load_A,Host x64,abc1234,0,1.5,0,2,7\n";
    let short = "Load_B,Host x64,abc1234,0,1.5,0,2\n";
    let structured =
        "{scenario:\"Load_C\",platform:\"Host x64\",commit:\"abc1234\",runIndex:0,a:1}\n";
    let config = "rows.layouts = [['a', 'b', 'c', 'd'], ['a', 'b', 'c']]";
    for lines in [
        [long, short, structured],
        [short, structured, long],
        [structured, long, short],
    ] {
        let report = read_with(config, &[("log", lines.concat().as_bytes())]);
        assert_eq!(
            (report.rows.len(), report.skipped_count),
            (3, 0),
            "{lines:?}"
        );
    }
}

#[test]
fn number_too_close_to_zero_is_refused() {
    for (text, number) in [
        ("scenario,x\nLoad_A,1e-400\n", "1e-400"),
        ("{scenario:\"Load_A\",x:0.5e-999}\n", "0.5e-999"),
        ("BenchmarkA \t 10\t 1e-400 ns/op\n", "1e-400"),
    ] {
        let report = read(text);
        assert_eq!((report.rows.len(), report.skipped_count), (0, 1), "{text}");
        assert!(
            report.skipped().next().unwrap().text.contains(number),
            "{}",
            report.skipped().next().unwrap().text
        );
    }
    assert_eq!(
        read("scenario,x\nLoad_A,1e-300\nLoad_B,0e-400\n")
            .rows
            .len(),
        2
    );
}
