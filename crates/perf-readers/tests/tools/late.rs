//! Tools whose lines start long after the part that determines how an input is read.

use std::path::{Path, PathBuf};

use perf_model::row::Row;
use perf_readers::ParseReport;

use super::{common, read, read_in_steps};

/// A build's output before the benchmarks.
fn build(lines: usize) -> String {
    "   Compiling shelf v0.1.0 (/build/shelf)\n".repeat(lines)
}

/// The folder with the tools' output.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tools")
}

pub fn fixtures(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(fixtures(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

pub fn sorted(report: &ParseReport) -> Vec<String> {
    let row = |row: &Row| format!("{row:?}");
    let mut rows: Vec<String> = report.rows.iter().map(row).collect();
    rows.sort();
    rows
}

#[test]
#[ignore = "reads all fixtures many times: `.ci/run slow`"]
fn every_tool_is_found_anywhere_in_a_log() {
    const LINES: &[&str] = &[
        "benchmarkjs",
        "criterion-text",
        "libtest",
        "divan",
        "gungraun",
        "iai",
        "go",
        "unity-log",
        "wrk",
        "wrk2",
        "hdrhistogram",
        "gnu-time",
        "benchmarkdotnet-text",
        "jmh-text",
        "nanobench",
        "mitata",
        "benchmark-ips",
        "autocannon-text",
    ];
    let mut seen = std::collections::BTreeSet::new();
    for file in fixtures(&root()) {
        let bytes = std::fs::read(&file).unwrap();
        let alone = read(&bytes);
        if !LINES.contains(&alone.inputs[0].format) {
            continue;
        }
        seen.insert(alone.inputs[0].format);
        for lines in [5000, 6650] {
            let late = read(&[build(lines).as_bytes(), &bytes].concat());
            assert_eq!(
                late.inputs[0].format,
                alone.inputs[0].format,
                "{}",
                file.display()
            );
            assert_eq!(sorted(&late), sorted(&alone), "{}", file.display());
            assert_eq!(
                late.skipped_count,
                alone.skipped_count,
                "{}",
                common::account(&late)
            );
        }
    }
    assert_eq!(seen.len(), LINES.len(), "{seen:?}");
}

/// One file per format.
#[test]
#[ignore = "reads all fixtures many times: `.ci/run slow`"]
fn formats_are_found_after_any_length_of_other_text() {
    /// Without a header, two columns and numbers could be anything.
    const HEADERLESS: [&str; 2] = ["rustls-ci-bench", "log"];
    /// Recognised by the input's first lines.
    const FIRST_LINES: [&str; 9] = [
        "benchmarkdotnet-csv",
        "gatling-log",
        "haskell-criterion-csv",
        "jmeter",
        "jmh-csv",
        "locust",
        "perf-stat-fields",
        "redis-benchmark-csv",
        "tasty-bench-csv",
    ];
    let mut seen = std::collections::BTreeSet::new();
    for file in fixtures(&root()) {
        let bytes = std::fs::read(&file).unwrap();
        let alone = read(&bytes);
        let format = alone.inputs[0].format;
        let is_left_out = HEADERLESS.contains(&format) || FIRST_LINES.contains(&format);
        if alone.rows.is_empty() || is_left_out || !seen.insert(format) {
            continue;
        }
        let late = read(&[build(6650).as_bytes(), &bytes].concat());
        assert_eq!(late.inputs[0].format, format, "{}", file.display());
        assert_eq!(sorted(&late), sorted(&alone), "{}", file.display());
        let lines = |report: &ParseReport| report.origins.iter().map(|origin| origin.line()).min();
        assert_eq!(
            lines(&late),
            lines(&alone).map(|line| line + 6650),
            "{}",
            file.display()
        );
    }
    assert!(seen.len() > 40, "{seen:?}");
}

#[test]
fn terminal_output_is_recognised_after_long_other_text() {
    let table =
        "------ benchmark: 2 tests ------\nName (time in ns)  Min  Max  Rounds  Iterations\n";
    let report = read(&[build(8000).as_bytes(), table.as_bytes()].concat());
    let hint = report.require_rows().unwrap_err().hint;
    assert!(hint.contains("--benchmark-json"), "{hint}");
}

#[test]
fn tools_and_rows_may_alternate() {
    let text = format!(
        "{0}Shelf,linux x86_64,d07f3a2,-1,27960118.25,2,5000.084\n{0}     Running benches/one.rs (target/release/deps/one-0123456789abcdef)\n\
         test parse ... bench:           5 ns/iter (+/- 1)\n{0}Book,linux x86_64,d07f3a2,-1,27960118.25,2,5000.084\n\
         pop x 1,431,759 ops/sec \u{b1}1% (93 runs sampled)\n",
        build(7000)
    );
    let report = read(text.as_bytes());
    insta::assert_snapshot!(common::account(&report), @"
    file:7001 Shelf | linux x86_64 | d07f3a2 | -1 | emitsPerSecond=27960118.25 allocatedBytesDelta=2 wallClockMs=5000.084
    file:14003 one::parse |  |  | -1 | timeNs=5 timeNs.lower=4 timeNs.upper=6
    file:21004 Book | linux x86_64 | d07f3a2 | -1 | emitsPerSecond=27960118.25 allocatedBytesDelta=2 wallClockMs=5000.084
    file:21005 pop |  |  | -1 | opsPerSecond=1431759 opsPerSecond.lower=1417441.41 opsPerSecond.upper=1446076.59
    file: 4 of 21005 lines (benchmarkjs)
    ");
    assert_eq!(read_in_steps(text.as_bytes(), 4093).origins, report.origins);
}
