//! Histories from other services.

use perf_config::Config;
use perf_readers::{Collector, ParseReport};

use super::common;

fn read(text: &str) -> ParseReport {
    let config = Config::default();
    let mut collector = Collector::of_history(&config);
    collector.read("file", &mut text.as_bytes()).unwrap();
    collector.finish()
}

fn rows(report: &ParseReport) -> String {
    let row = |row: &perf_model::row::Row| {
        let date = row
            .measured_at
            .map_or_else(|| "-".to_owned(), perf_model::date::text);
        let metrics = row
            .metrics
            .iter()
            .map(|(name, value)| format!(" {name}={value}"))
            .collect::<Vec<_>>()
            .concat();
        format!(
            "{date} {} | {} | {} | {}{metrics}",
            row.commit, row.platform, row.scenario, row.run_index
        )
    };
    report.rows.iter().map(row).collect::<Vec<_>>().join("\n")
}

/// Two suites as github-action-benchmark stores them.
const ENTRIES: &str = r#"{
  "lastUpdate": 1700000000000,
  "repoUrl": "https://example.org/a/b",
  "entries": {
    "Rust": [
      {"commit": {"id": "aaa", "message": "one"}, "date": 1700000000000, "tool": "cargo", "benches": [
        {"name": "parse", "value": 250, "range": "± 3", "unit": "ns/iter"},
        {"name": "load", "value": 1.5, "range": "± 0.1", "unit": "us/iter"}]},
      {"commit": {"id": "bbb"}, "date": 1700000060000, "tool": "cargo", "benches": [
        {"name": "parse", "value": 260, "unit": "ns/iter"},
        {"name": "broken", "value": null, "unit": "ns/iter"}]}
    ],
    "Own": [
      {"commit": {"id": "aaa"}, "date": 1700000030000, "tool": "customBiggerIsBetter", "benches": [
        {"name": "serve", "value": 900, "unit": "req/s"},
        {"name": "serve", "value": 12, "unit": "widgets"}]}
    ]
  }
}"#;

#[test]
fn data_js_is_read_with_its_tools() {
    let script = format!("window.BENCHMARK_DATA = {ENTRIES}");
    let report = read(&script);
    assert_eq!(report.inputs[0].format, "github-action-benchmark");
    insta::assert_snapshot!(rows(&report), @"
    2023-11-14T22:13:20Z aaa | Rust | parse | -1 timeNs=250
    2023-11-14T22:13:20Z aaa | Rust | load | -1 timeNs=1500
    2023-11-14T22:13:50Z aaa | Own | serve | -1 requestsPerSecond=900 widgets=12
    2023-11-14T22:14:20Z bbb | Rust | parse | -1 timeNs=260
    ");
    let declared = report
        .declared
        .iter()
        .map(|(name, said)| format!("{name}: {:?}", said.meaning.direction));
    assert_eq!(declared.collect::<Vec<_>>(), ["widgets: Higher"]);
    assert_eq!((report.skipped_count, read(ENTRIES).rows), (0, report.rows));
}

#[test]
fn single_suite_is_not_a_platform() {
    let one = ENTRIES.split("    ],\n    \"Own\"").next().unwrap();
    let report = read(&format!("{one}]}}}}"));
    assert!(
        report.rows.len() == 3 && report.rows.iter().all(|row| row.platform.is_empty()),
        "{}",
        rows(&report)
    );
}

#[test]
fn other_units_of_time_become_those_of_the_reader() {
    let entry = |tool: &str, unit: &str| {
        let text = format!(
            r#"{{"entries": {{"a": [{{"commit": {{"id": "c"}}, "date": 1, "tool": "{tool}",
               "benches": [{{"name": "x", "value": 1.5, "unit": "{unit}"}}]}}]}}}}"#
        );
        let row = read(&text).rows.remove(0);
        row.metrics
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect::<Vec<_>>()
            .concat()
    };
    for (tool, unit, expected) in [
        ("googlecpp", "ms/iter", "timeNs=1500000"),
        ("go", r"ns/op\t     80 B/op", "timeNs=1.5"),
        ("pytest", "iter/sec", "timeS=0.6666666666666666"),
        ("benchmarkjs", "ops/sec", "opsPerSecond=1.5"),
        ("customSmallerIsBetter", "ms", "timeMs=1.5"),
    ] {
        assert_eq!(entry(tool, unit), expected, "{tool} {unit}");
    }
}

#[test]
fn the_output_of_one_run_is_never_a_history() {
    let config = Config::default();
    let mut collector = Collector::new(&config);
    collector.read("file", &mut ENTRIES.as_bytes()).unwrap();
    assert!(collector.finish().rows.is_empty());
}

/// The response of `bencher perf`: a benchmark on one testbed, with two measures.
const PERF: &str = r#"{
  "project": {"uuid": "p", "name": "Project", "slug": "project"},
  "start_time": null,
  "end_time": null,
  "results": [
    {"branch": {"name": "main", "slug": "main"}, "testbed": {"name": "ci", "slug": "ci"},
     "benchmark": {"name": "parse", "slug": "parse"},
     "measure": {"name": "Latency", "slug": "latency", "units": "nanoseconds (ns)"},
     "metrics": [
       {"report": "r", "iteration": 0, "start_time": "2031-03-04T10:00:00Z", "end_time": "2031-03-04T10:01:00Z",
        "version": {"number": 1, "hash": "aaa"}, "metric": {"value": 250.5, "lower_value": 240.0, "upper_value": null},
        "threshold": null, "boundary": null, "alert": null},
       {"report": "s", "iteration": 0, "start_time": "2031-03-05T10:00:00Z", "end_time": "2031-03-05T10:01:00Z",
        "version": {"number": 2, "hash": null}, "metric": {"value": 260.0}}]},
    {"branch": {"name": "main"}, "testbed": {"name": "ci"}, "benchmark": {"name": "parse"},
     "measure": {"name": "File Size", "slug": "file-size"},
     "metrics": [{"iteration": 0, "start_time": "2031-03-04T10:00:00Z", "version": {"number": 1, "hash": "aaa"},
                  "metric": {"value": 42.0}}]},
    {"branch": {"name": "topic"}, "testbed": {"name": "ci"}, "benchmark": {"name": "parse"},
     "measure": {"name": "Latency", "slug": "latency"}, "metrics": []}
  ]
}"#;

#[test]
fn benchers_export_is_a_history_of_one_branch() {
    let report = read(PERF);
    assert_eq!(report.inputs[0].format, "bencher");
    insta::assert_snapshot!(rows(&report), @"
    2031-03-04T10:00:00Z aaa |  | parse | -1 latency=250.5 file-size=42
    2031-03-05T10:00:00Z version 2 |  | parse | -1 latency=260
    ");
    insta::assert_snapshot!(common::account(&report), @"
    file:6 parse |  | aaa | -1 | latency=250.5 file-size=42
    file:6 parse |  | version 2 | -1 | latency=260
    file:19 skipped: branch `topic`: only one branch is read (`main`)
    file: 2 of 22 lines (bencher)
    ");
}

#[test]
fn values_in_csv_are_a_history() {
    let text = "\u{feff}suite,name,unixMs,commit,value,unit,range\n\
        Go,fib,2000,bbb,12.5,ns/op\t 4 more,±1\n\
        Rust,fib,1000,aaa,3e2,ns/iter,\"+/- 2,802\"\n\
        Rust,other,1000,aaa,,ns/iter,\n\
        Go,fib,soon,ccc,1,ns/op,\n\
        Go,fib,3000\n";
    let report = read(text);
    insta::assert_snapshot!(rows(&report), @"
    1970-01-01T00:00:01Z aaa | Rust | fib | -1 timeNs=300
    1970-01-01T00:00:02Z bbb | Go | fib | -1 timeNs=12.5
    ");
    insta::assert_snapshot!(common::account(&report), @"
    file:3 fib | Rust | aaa | -1 | timeNs=300
    file:2 fib | Go | bbb | -1 | timeNs=12.5
    file:5 skipped: malformed row: `unixMs` is not a whole number
    file:6 skipped: 3 columns, expected 7
    file: 2 of 6 lines (values-csv)
    ");
}
