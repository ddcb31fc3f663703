//! Tool output as runners and terminals change it: the rows stay the same.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;

use crate::common::read;

const OUTPUTS: &[&str] = &[
    "ab/three.txt",
    "autocannon/table.txt",
    "benchee/table.txt",
    "benchmark-ips/report.txt",
    "benchmarkdotnet/console.log",
    "benchmarkjs/three.txt",
    "criterion/report.txt",
    "divan/table.txt",
    "gatling/console.txt",
    "gnu-time/two.txt",
    "go/processors.txt",
    "gungraun/report.txt",
    "hey/two.txt",
    "iai/report.txt",
    "jmh/table.txt",
    "libtest/with-cargo.txt",
    "mitata/table.txt",
    "nanobench/tables.md",
    "pgbench/runs.txt",
    "redis-benchmark/reports.txt",
    "vegeta/report.txt",
];

/// Prefixes that are added to every line.
const PREFIXES: [&str; 13] = [
    "2031-03-04T09:14:10.1234567Z ",
    "bench\tRun it\t2031-03-04T09:14:10.1234567Z ",
    "2031-03-04T09:14:10.123456Z 01O ",
    "[2031-03-04T09:14:10.123Z] ",
    "2031-03-04 09:14:10,123 ",
    "09:14:10 ",
    "[09:14:10] ",
    "Mar  4 09:14:10 ",
    "[info] ",
    "[INFO] ",
    "bench-1  | ",
    "[CI/bench]   | ",
    "2031-03-04T09:14:10.1234567Z bench-1  | [info] ",
];

type Change = fn(&str) -> String;

/// Other changes to every line.
const CHANGES: [(&str, Change); 5] = [
    ("spaces at the end", |line| format!("{line}   \n")),
    ("line ends of Windows", |line| format!("{line}\r\n")),
    ("colour of a line", |line| {
        format!("\u{1b}[32m{line}\u{1b}[0m\n")
    }),
    ("colour of words", |line| {
        let words = line
            .split_inclusive(' ')
            .map(|word| format!("\u{1b}[1;38;5;12m{word}\u{1b}[39m"));
        words.collect::<String>() + "\n"
    }),
    ("links and erased lines", |line| {
        format!("\u{1b}[0K\u{1b}]8;;https://host\u{7}{line}\u{1b}]8;;\u{7}\n")
    }),
];

fn text(path: &str) -> String {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tools");
    std::fs::read_to_string(tools.join(path)).unwrap()
}

#[test]
fn perturbed_output_has_the_same_rows() {
    let mut differing = Vec::new();
    for output in OUTPUTS {
        let text = text(output);
        let plain = read(&text).rows;
        assert!(!plain.is_empty(), "{output}");
        let mut check = |name: &str, perturbed: &str| {
            let rows = read(perturbed).rows;
            if rows != plain {
                differing.push(format!(
                    "{output} with {name}: {} of {} rows",
                    rows.len(),
                    plain.len()
                ));
            }
        };
        for prefix in PREFIXES {
            let lines = text.lines().map(|line| format!("{prefix}{line}\n"));
            check(&format!("`{prefix}`"), &lines.collect::<String>());
        }
        for (name, change) in CHANGES {
            check(name, &text.lines().map(change).collect::<String>());
        }
    }
    assert_eq!(differing, Vec::<String>::new());
}
