//! Findings: input without a measurement must not look measured.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write;
use std::time::{Duration, Instant};

use perf_config::Config;
use perf_model::finding::FindingKind::{
    self, Ambiguous, Failed, PartlyFailed, TooFewResults, UnknownUnit, Unreadable,
};
use perf_model::metric::GateRule;
use perf_model::row::{Outcome, Value};
use perf_model::suite::Definitions;
use perf_readers::{Collector, ParseReport};

fn read(text: &str) -> ParseReport {
    let config = Config::default();
    let mut collector = Collector::new(&config);
    collector.read("file", &mut text.as_bytes()).unwrap();
    collector.finish()
}

fn kinds(text: &str) -> Vec<FindingKind> {
    let findings = read(text).findings;
    findings.iter().map(|finding| finding.kind).collect()
}

/// A metric's values, by benchmark.
fn values(text: &str, metric: &str) -> Vec<(String, f64)> {
    let mut values = Vec::new();
    for row in read(text).rows {
        if let Some(value) = row.metrics.get(metric) {
            values.push((row.scenario.to_string(), value.as_f64()));
        }
    }
    values
}

fn named(values: &[(&str, f64)]) -> Vec<(String, f64)> {
    let values = values.iter();
    values
        .map(|(name, value)| ((*name).to_owned(), *value))
        .collect()
}

fn hyperfine(exit_codes: &str) -> String {
    format!(
        r#"{{"results": [{{"command": "decode", "mean": 0.1, "stddev": 0.1, "user": 0.1, "system": 0.1,
        "times": [0.1, 0.02, 0.11], "exit_codes": {exit_codes}}}]}}"#
    )
}

#[test]
fn failed_process_run_is_no_sample() {
    let report = read(&hyperfine("[0, 139, 0]"));
    assert_eq!(report.findings[0].kind, PartlyFailed);
    assert_eq!(report.findings[0].benchmark.as_deref(), Some("decode"));
    assert_eq!(report.findings[0].text, "1 of 3 process runs failed");
    assert_eq!(
        values(&hyperfine("[0, 139, 0]"), "timeS"),
        named(&[("decode", 0.1), ("decode", 0.11)])
    );
}

#[test]
fn benchmark_without_successful_process_run_has_no_number() {
    for text in [
        &*hyperfine("[1, 1, null]"),
        "scenario,timeMs,outcome\ndecode,20,failed\n",
        "{scenario:\"decode\",timeMs:20,outcome:\"failed\"}\n",
    ] {
        let report = read(text);
        let rows = &report.rows;
        assert_eq!(rows.len(), 1, "{text}");
        assert_eq!(rows[0].outcome, Outcome::Failed, "{text}");
        assert!(rows[0].metrics.is_empty(), "{text}");
        assert_eq!(kinds(text), [Failed], "{text}");
    }
}

#[test]
fn failed_go_package_is_a_finding() {
    let log = "goos: linux\npkg: p\nBenchmarkA-8\t100\t50 ns/op\n";
    assert_eq!(kinds(&format!("{log}PASS\nok  \tp\t1s\n")), []);
    for end in ["FAIL\nexit status 1\nFAIL\tp\t1s\nFAIL\n", "FAIL\n"] {
        assert_eq!(kinds(&format!("{log}{end}")), [Failed], "{end}");
    }
}

#[test]
fn bare_fail_of_another_binary_is_a_finding() {
    let failed = "goos: linux\npkg: p\n--- FAIL: BenchmarkA\nFAIL\nexit status 1\nFAIL\tp\t1s\n";
    let passed = "goos: linux\npkg: q\nBenchmarkB-8\t100\t50 ns/op\nPASS\nok  \tq\t1s\n";
    assert_eq!(kinds(&format!("{failed}{passed}FAIL\n")), [Failed]);
    let binary = "goos: linux\npkg: r\nBenchmarkC-8\t100\t50 ns/op\nFAIL\n";
    for outputs in [
        format!("{failed}FAIL\n{binary}"),
        format!("{failed}{passed}FAIL\n{binary}"),
        format!("{binary}{failed}{passed}FAIL\n"),
        format!("{failed}{binary}"),
        "pkg: p\n--- FAIL: BenchmarkA\nFAIL\nFAIL\n".to_owned(),
    ] {
        assert_eq!(kinds(&outputs), [Failed, Failed], "{outputs}");
    }
}

#[test]
fn equal_names_in_a_document_are_numbered() {
    let twice = r#"[{"name": "x", "unit": "ns", "value": 5}, {"name": "x", "unit": "ns", "value": 5},
        {"name": "x", "unit": "ns", "value": 7}, {"name": "y", "unit": "ns", "value": 1}]"#;
    let expected = [("x", 5.0), ("x #2", 5.0), ("x #3", 7.0), ("y", 1.0)];
    assert_eq!(values(twice, "timeNs"), named(&expected));
    assert_eq!(read(twice).numbered.len(), 2);
}

#[test]
fn many_results_of_one_name_take_linear_time() {
    const MANY: u32 = 50_000;
    let mut csv = "scenario,timeNs\n".to_owned();
    let (mut differing, mut equal) = (Vec::new(), Vec::new());
    for number in 0..MANY {
        writeln!(csv, "x,{}", number + 100).unwrap();
        differing.push(format!(
            r#"{{"name": "x", "unit": "ns", "value": {}}}"#,
            number + 100
        ));
        equal.push(r#"{"name": "x", "unit": "ns", "value": 5}"#);
    }
    let start = Instant::now();
    // In a project's own rows, equal names are samples without a run index, not different benchmarks.
    let report = read(&csv);
    assert_eq!(report.conflicts().count(), 1);
    assert_eq!((report.findings.len(), report.numbered.len()), (1, 0));
    assert_eq!(report.findings[0].kind, Ambiguous);
    assert_eq!(report.findings[0].text, "conflicts with line 2");
    let single = r#"{"name": "y", "unit": "ns", "value": 5}"#;
    for end in [String::new(), format!(",{single}")] {
        let text = format!("[{}{end}]", differing.join(","));
        assert_eq!(read(&text).numbered.len(), MANY as usize - 1);
    }
    assert_eq!(read(&format!("[{}]", equal.join(","))).rows.len(), 1);
    let elapsed = start.elapsed();
    assert!(elapsed < Duration::from_secs(30), "{elapsed:?}");
}

#[test]
fn number_of_a_name_is_free() {
    let text = r#"[{"name": "x", "unit": "ns", "value": 5}, {"name": "x #2", "unit": "ns", "value": 6},
        {"name": "x", "unit": "ns", "value": 7}, {"name": "x", "unit": "ns", "value": 8}]"#;
    let expected = [("x", 5.0), ("x #2", 6.0), ("x #3", 7.0), ("x #4", 8.0)];
    assert_eq!(values(text, "timeNs"), named(&expected));
}

#[test]
fn document_printed_twice_and_written_run_indices_stay() {
    let one = r#"{"name": "x", "unit": "ns", "value": 5}"#;
    assert_eq!(values(&format!("[{one}, {one}]"), "timeNs").len(), 1);
    let samples = "scenario,runIndex,timeNs\nx,0,5\nx,1,6\n";
    assert_eq!(values(samples, "timeNs"), named(&[("x", 5.0), ("x", 6.0)]));
    let contradiction = "scenario,runIndex,timeNs\nx,0,5\nx,0,6\n";
    assert_eq!(kinds(contradiction), [Ambiguous]);
}

#[test]
fn text_between_a_name_and_its_result_is_passed() {
    let text = "running 2 tests\ntest a ... Criterion.rs ERROR: no such file\nbench:  1,024 ns/iter (+/- 9)\n\
        test b ... hello bench:  50 ns/iter (+/- 9)\n\ntest result: ok. 0 passed; 2 measured; 0 filtered out\n";
    assert_eq!(values(text, "timeNs"), named(&[("a", 1024.0), ("b", 50.0)]));
    assert_eq!(kinds(text), []);
}

#[test]
fn fewer_results_than_announced_are_a_finding() {
    let text = "running 2 tests\ntest a ... bench:  50 ns/iter (+/- 9)\n\ntest result: ok. 0 passed; 2 measured\n";
    assert_eq!(kinds(text), [TooFewResults]);
    let above = format!(
        "{}Global total time: 00:00:30 (30.1 sec), executed benchmarks: 2\n",
        benchmark_dot_net("900.3", "4.62")
    );
    assert_eq!(kinds(&above), [TooFewResults]);
    let vanished = "running 1 test\ntest a ... bench:  50 ns/iter (+/- 9)\ntest b ... crash\ntest result: ok. 1 measured\n";
    assert_eq!(kinds(vanished), [Unreadable]);
}

#[test]
fn more_results_than_announced_are_no_finding() {
    let text = "running 1 test\ntest a ... bench:  50 ns/iter (+/- 9)\ntest b ... bench:  50 ns/iter (+/- 9)\n\n\
        test result: ok. 0 passed; 1 measured\n";
    assert_eq!(kinds(text), []);
    let locust = "Type,Name,Request Count,Failure Count,Average Response Time\nGET,/,20,0,5\n,Aggregated,19,0,5\n";
    assert_eq!(kinds(locust), []);
    assert_eq!(kinds(&locust.replace(",19,", ",21,")), [TooFewResults]);
}

#[test]
fn each_finding_is_said_once() {
    let go = "goos: linux\npkg: p\nBenchmarkA-8\t100\t50 ns/op\nFAIL\n";
    for (text, said) in [
        (&*hyperfine("[0, 139, 0]"), "1 of 3 process runs failed"),
        (&*hyperfine("[1, 1, 1]"), "decode"),
        (
            r#"[{"name": "x", "unit": "points", "value": 1}]"#,
            "unknown unit `points`",
        ),
        ("scenario,runIndex,timeNs\nx,0,5\nx,0,6\n", "file:3"),
        (go, "a test binary failed"),
        (
            "running 2 tests\ntest a ... bench:  50 ns/iter (+/- 9)\n\ntest result: ok. 0 passed; 2 measured\n",
            "2 benchmarks announced",
        ),
    ] {
        let report = read(text);
        assert_eq!(report.findings.len(), 1, "{text}");
        let told: Vec<String> = report
            .diagnostics()
            .iter()
            .map(|told| format!("{told:?}"))
            .collect();
        assert_eq!(told.join("\n").matches(said).count(), 1, "{told:#?}");
    }
}

#[test]
fn name_in_the_last_column_may_contain_bars() {
    let text = "| ns/op | op/s | err% | total | benchmark\n|---:|---:|---:|---:|:---\n\
        | 17.5 | 56,148.33 | 0.2% | 0.01 | `compare | exchange`\n";
    assert_eq!(
        values(text, "timeNs"),
        named(&[("compare | exchange", 17.5)])
    );
}

fn benchmark_dot_net(mean: &str, error: &str) -> String {
    format!("| Method | Mean | Error |\n|--- |---:|---:|\n| Parse | {mean} ns | {error} ns |\n")
}

#[test]
fn decimal_commas_are_a_finding() {
    let text = benchmark_dot_net("1,800.6", "4.62");
    assert_eq!(values(&text, "timeNs"), named(&[("Parse", 1800.6)]));
    for (mean, error) in [
        ("1.800,6", "4,62"),
        ("1\u{a0}800,6", "4,62"),
        ("900,3", "0,625"),
        ("900,3", "4.62"),
        ("1,800", "7,513"),
    ] {
        let text = benchmark_dot_net(mean, error);
        assert_eq!(values(&text, "timeNs"), []);
        assert_eq!(kinds(&text), [Ambiguous], "{mean}");
    }
}

#[test]
fn decimal_point_is_doubtful_beside_decimal_commas() {
    for (ratio, expected) in [("1.00", &[][..]), ("1,00", &[Ambiguous])] {
        let text = format!(
            "| Method | Mean | Error | Ratio |\n|--- |---:|---:|---:|\n| Parse | 1.129 ns | 4.621 ns | {ratio} |\n"
        );
        assert_eq!(kinds(&text), expected, "{ratio}");
    }
}

#[test]
fn errors_that_a_tool_does_not_print_are_zero() {
    let wrk = "Running 1s test @ http://a\n  2 threads and 10 connections\n  20 requests in 1.00s, 1.00MB read\n\
        Requests/sec: 20.00\nTransfer/sec: 1.00MB\n";
    let row = &read(wrk).rows[0];
    for counter in ["errors", "httpErrors"] {
        assert_eq!(row.metrics.get(counter), Some(Value::Int(0)), "{counter}");
    }
}

#[test]
fn units_of_time_are_spelled_in_many_ways() {
    for (unit, metric, expected) in [
        ("usec", "timeUs", 1.5),
        ("\u{3bc}s", "timeUs", 1.5),
        ("\u{b5}s/op", "timeUs", 1.5),
        ("msec", "timeMs", 1.5),
        ("nsec/iter", "timeNs", 1.5),
        ("min", "timeS", 90.0),
        ("h", "timeS", 5400.0),
    ] {
        let text = format!(r#"[{{"name": "x", "unit": "{unit}", "value": 1.5}}]"#);
        assert_eq!(values(&text, metric), named(&[("x", expected)]), "{unit}");
        assert_eq!(kinds(&text), [], "{unit}");
    }
}

#[test]
fn unknown_unit_is_a_finding_until_its_direction_is_declared() {
    let text = r#"[{"name": "x", "unit": "points", "value": 1}]"#;
    assert_eq!(kinds(text), [UnknownUnit]);
    let config = Config::parse("metrics.points.better = 'higher'").unwrap();
    let mut collector = Collector::new(&config);
    collector.read("file", &mut text.as_bytes()).unwrap();
    assert_eq!(collector.finish().findings, []);
}

#[test]
fn text_before_the_header_is_known() {
    let header = "scenario,platform,commit,runIndex,timeMs\nx,,,-1,5\n";
    for (before, expected) in [("", None), ("\n\n", None), ("hello\n", Some(2))] {
        let report = read(&format!("{before}{header}"));
        let found = report.text_before_header().map(|(_, header)| header);
        assert_eq!(found, expected, "{before}");
    }
}

#[test]
fn column_without_a_unit_is_explained() {
    let report = read("benchmark,foo\nparse,100\nencode,200\n");
    let hint = report.require_rows().unwrap_err().hint;
    assert!(hint.contains("closest format is `csv`"), "{hint}");
    assert!(hint.contains("contains a column without a unit"), "{hint}");
}

#[test]
fn percentiles_have_units_of_many_spellings() {
    for unit in ["p99Ms", "p99_msec", "p99_usec", "latency_p99_nsec"] {
        let text = format!("benchmark,{unit}\nparse,100\n");
        assert_eq!(values(&text, unit), named(&[("parse", 100.0)]));
        let metric = Config::default().metric(unit);
        assert_eq!(metric.default_gate, Some(GateRule::Limit), "{unit}");
    }
}

#[test]
fn columns_with_units_need_no_scenario() {
    assert_eq!(
        values("benchmark,time_ns\nparse,100\nencode,200\n", "time_ns"),
        named(&[("parse", 100.0), ("encode", 200.0)])
    );
}
