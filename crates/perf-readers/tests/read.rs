//! The rows from each kind of input, and the report about everything else.

use crate::common::{account, read, read_with};
use perf_readers::Beginning;

#[test]
fn row_is_found_after_any_prefix() {
    let report = read(
        "Load_A,Host x64,abc1234,-1,1.5,0,2\n\
         \u{1b}[32mLoad_C\u{1b}[0m,Host x64,abc1234,-1,1.5,0,2\u{1b}[0m\n\
         <message><![CDATA[Load_D,Host x64,abc1234,-1,1.5,0,2]]></message>\n\
         \tweb-1  | Load_E[small],Host x64,,3,1.5,,2\n\
         Load_F,\"Host, \"\"x64\"\"\",abc1234,-1,1.5,0,2\n\
         note: \"Load, G\",Host x64,1234567,-1,1.5,0,2\n\
         [12:00:01,123] INFO  Load_B,Host x64,abc1234,0,1.5,0,2,7\r\n",
    );
    insta::assert_snapshot!(account(&report), @r#"
    log:1 Load_A | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:2 Load_C | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:3 Load_D | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:4 Load_E[small] | Host x64 |  | 3 | emitsPerSecond=1.5 wallClockMs=2
    log:5 Load_F | Host, "x64" | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:6 Load, G | Host x64 | 1234567 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:7 Load_B | Host x64 | abc1234 | 0 | emitsPerSecond=1.5 gcAllocations=0 wallClockMs=2 gcAllocatedBytes=7
    log: 7 of 7 lines (log)
    "#);
}

#[test]
fn a_truncated_row_is_not_one_of_a_narrower_layout() {
    let whole = "Load_A,Host x64,abc1234,0,1.5,0,2,7\n";
    let report = read(format!(
        "{whole}Load_B,Host x64,abc1234,0,1.5,0,2.\n{whole}"
    ));
    insta::assert_snapshot!(account(&report), @"
    log:1 Load_A | Host x64 | abc1234 | 0 | emitsPerSecond=1.5 gcAllocations=0 wallClockMs=2 gcAllocatedBytes=7
    log:2 skipped: 7 columns, but earlier rows have 8: the line may be cut off
    1 duplicates
    log: 2 of 3 lines (log)
    ");
}

#[test]
fn prose_and_tables_are_not_rows() {
    let report = read(
        "1,2,3,4,5,6,7\n\
         heap,1024,77,3519,12,44,9\n\
         total,,,3,4,5,6\n\
         Total time, all runs,sum of all,1,2,3,4\n\
         usage: scenario, seed, count, 1, 2, 3\n\
         \"a\",\"b\",\"1\",\"2\",\"3\",\"4\",\"5\"\n\
         Matrix: 1,0,0,0,1,0,0,0,1\n\
         add(byte*, int, string, int, int, int, int)\n\
         a, b, c, 1, 2, 3, 4\n\
         http://host/path?a=1,2,3,4,5,6,7,8\n\
         {\"level\":\"info\",\"values\":[1,2,3,4,5,6,7]}\n\
         ,,,,,,,,\n",
    );
    insta::assert_snapshot!(account(&report), @"log: 0 of 12 lines (log)");
}

#[test]
fn malformed_rows_are_reported() {
    let report = read(
        "Load_A,Host x64,abc1234,-1,NaN,0,2\n\
         Load_B,Host x64,abc1234,first,1.5,0,2\n\
         Load_C,Host x64,abc1234,-1,1.5,0,2 ms\n\
         Load_D,Host x64,abc1234,-1,1.\n\
         Load_E,Host, x64,abc1234,-1,1.5,0,2\n\
         Load_F,Host x64,abc1234,-1,-1,-1,-1\n\
         Load_G,Host x64,abc1234,-1,1e999,0,2\n\
         {scenario:\"Load_H\",runIndex:0,emitsPerSec:fast}\n\
         {scenario:\"Load_I\",runIndex:x,emitsPerSec:1,wallClockMs:2}\n\
         {scenario:\"Load_J\",platform:\"Host x64\",commit:\"abc\n\
         {scenario:\"Load_K\",emitsPerSec:-1,gcAllocations:null}\n",
    );
    insta::assert_snapshot!(account(&report), @"
    log:6 Load_F | Host x64 | abc1234 | -1 | 
    log:11 Load_K |  |  | -1 | 
    log:1 skipped: invalid number `NaN` (column `emitsPerSecond`)
    log:2 skipped: invalid run index `first`
    log:3 skipped: invalid number `2 ms` (column `wallClockMs`)
    log:4 skipped: row ends after 5 of 7 columns
    log:5 skipped: field begins with a space: quote names with a comma
    log:7 skipped: invalid number `1e999` (column `emitsPerSecond`)
    log:8 skipped: invalid number `fast` (key `emitsPerSec`)
    log:9 skipped: invalid run index `x`
    log:10 skipped: row is cut off
    log: 2 of 11 lines (log)
    ");
}

#[test]
fn structured_row_has_keys_in_any_order() {
    let report = read(
        r#"{scenario:"Load_A",platform:"Host \"x64\", wide",commit:"abc",runIndex:2,emitsPerSec:1.5,gcAllocations:0,wallClockMs:2.5}
        I/Unity: { "wallClockMs" : 2.5 , "note":"a, b", "scenario" : "Load_B" } and {scenario:"Load_C",x:1}
        {scenario:"Load_D",machineClass:"box-8c",decodeNs:100.25}
        {scenario: Load_E, x: 1}"#,
    );
    insta::assert_snapshot!(account(&report), @r#"
    log:1 Load_A | Host "x64", wide | abc | 2 | emitsPerSecond=1.5 gcAllocations=0 wallClockMs=2.5
    log:2 Load_B |  |  | -1 | wallClockMs=2.5
    log:2 Load_C |  |  | -1 | x=1
    log:3 Load_D |  |  | -1 on box-8c | decodeNs=100.25
    log: 4 of 4 lines (log)
    "#);
}

#[test]
fn header_may_stand_anywhere() {
    let csv = "\u{feff}note,Run Index,scenario,commit,decodeNs,platform,emitsPerSec,machine_class\r\n\
               x,3,\"Load, A\",abc,100.5,Host x64,,box\r\n\
               \"two\nlines\",,Load_B,abc,-1,Host x64,7,\r\n";
    let csv = csv.trim_start_matches('\u{feff}');
    insta::assert_snapshot!(account(&read_with("rows.ignore-columns = ['note']", &[("csv", csv.as_bytes())])), @"
    csv:2 Load, A | Host x64 | abc | 3 on box | decodeNs=100.5
    csv:3 Load_B | Host x64 | abc | -1 | emitsPerSecond=7
    csv: 2 of 4 lines (csv)
    ");
    let log =
        "[i] scenario,platform,commit,runIndex,p50Ms,p99Ms\n[i] Load_A,Host x64,abc,-1,1.5,2.5\n";
    insta::assert_snapshot!(account(&read(log)), @"
    log:2 Load_A | Host x64 | abc | -1 | p50Ms=1.5 p99Ms=2.5
    log: 1 of 2 lines (log)
    ");
}

#[test]
fn csv_row_of_wrong_width_is_malformed() {
    let report =
        read(b"scenario,x,x\nA,1,2\nB,1\nscenario,x,x\n,1,2\nC,one,2\nD\xff,1,2\n\nE,1,2\n");
    insta::assert_snapshot!(account(&report), @"
    log:2 A |  |  | -1 | x=1
    log:9 E |  |  | -1 | x=1
    log:1 skipped: duplicate column `x` ignored
    log:3 skipped: 2 columns, expected 3
    log:5 skipped: empty scenario
    log:6 skipped: invalid number `one` (column `x`)
    log:7 skipped: invalid UTF-8
    log: 2 of 9 lines (csv)
    ");
}

#[test]
fn rows_in_text_of_xml_are_read() {
    let report = read(
        "<?xml version=\"1.0\"?>\n<test-run>\n<output><![CDATA[Load_A,Host x64,abc1234,-1,1.5,0,2\n\
         Load_B,Host x64,abc1234,-1,1.5,0,2]]></output>\n\
         <output>Load_C,Host &lt;x64&gt; &amp; more,abc1234,-1,1.5,0,2&#10;{scenario:&quot;Load_D&quot;,x:1,y:2}</output>\n\
         <property value=\"Load_X,Host x64,abc1234,-1,1.5,0,2\"/>\n\
         <!-- Load_Y,Host x64,abc1234,-1,1.5,0,2 -->\n</test-run>\n",
    );
    insta::assert_snapshot!(account(&report), @"
    log:3 Load_A | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:4 Load_B | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:5 Load_C | Host <x64> & more | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:5 Load_D |  |  | -1 | x=1 y=2
    log: 4 of 8 lines (xml)
    ");
}

#[test]
fn truncated_xml_gives_its_complete_rows() {
    let report = read(
        "<test-run>\n<output>Load_A,Host x64,abc1234,-1,1.5,0,2</output>\n<output><![CDATA[x\nLoad_B,Host x64,abc1234,-1,1.5,0,2\n",
    );
    insta::assert_snapshot!(account(&report), @"
    log:2 Load_A | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:4 Load_B | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:3 skipped: malformed XML (syntax error: CDATA not closed: `]]>` not found before end of input): the markup after it is not read
    log: 2 of 4 lines (xml)
    ");
}

#[test]
fn duplicates_collapse_and_conflicts_stay() {
    let row = |scenario: &str, value: u32| format!("{scenario},Host x64,abc1234,-1,{value},0,2\n");
    let first = row("Load_A", 1)
        + &row("Load_B", 1)
        + &row("Load_A", 1)
        + "Load_A,Host x64,abc1234,-1,1.0,0,2.00\n";
    let second = row("Load_A", 2) + &row("Load_A", 2) + &row("Load_B", 1);
    insta::assert_snapshot!(account(&read_with("", &[("first", first.as_bytes()), ("second", second.as_bytes())])), @"
    first:1 Load_A | Host x64 | abc1234 | -1 | emitsPerSecond=1 allocatedBytesDelta=0 wallClockMs=2
    first:2 Load_B | Host x64 | abc1234 | -1 | emitsPerSecond=1 allocatedBytesDelta=0 wallClockMs=2
    second:1 Load_A | Host x64 | abc1234 | -1 | emitsPerSecond=2 allocatedBytesDelta=0 wallClockMs=2
    second:1 conflicts with first:1: Load_A
    4 duplicates
    first: 4 of 4 lines (log)
    second: 3 of 3 lines (log)
    ");
}

#[test]
fn unlisted_scenarios_are_dropped_only_on_request() {
    let log = b"Load_A,Host x64,abc1234,-1,1,0,2\nLoad_B,Host x64,abc1234,-1,1,0,2\n";
    let listed = "scenarios = [{ key = 'Load_A' }]\n[rows]\nunlisted = ";
    insta::assert_snapshot!(account(&read_with(&format!("{listed}'drop'"), &[("log", log)])), @"
    log:1 Load_A | Host x64 | abc1234 | -1 | emitsPerSecond=1 allocatedBytesDelta=0 wallClockMs=2
    unlisted: Load_B 1
    log: 1 of 2 lines (log)
    ");
    assert_eq!(
        read_with(&format!("{listed}'keep'"), &[("log", log)])
            .rows
            .len(),
        2
    );
}

#[test]
fn no_rows_error_says_what_to_do() {
    let error = |text: &[u8]| {
        let error = read(text).require_rows().unwrap_err();
        format!("{error}\nhint: {}", error.hint)
    };
    insta::assert_snapshot!(error(b"one\ntwo\n"), @"
    no rows in `log` (lines: 2)
    hint: `--explain-input` shows how lines were read; `perf-gate formats try FILE` describes a new format
    ");
    insta::assert_snapshot!(error(b""), @"
    no rows in `log` (lines: 0)
    hint: the input is empty: did the benchmark run?
    ");
    insta::assert_snapshot!(error(b"\x7fELF\0\0\n"), @"
    no rows in `log` (lines: 1)
    hint: `log` does not look like text
    ");
    insta::assert_snapshot!(error(b"Load_A,Host x64,abc1234,-1,NaN,0,2\n"), @"
    no rows in `log` (lines: 1)
    hint: the closest match is log:1: invalid number `NaN` (column `emitsPerSecond`)
    ");
    insta::assert_snapshot!(error(b"{\"results\": [{\"command\": \"ls\"}]}"), @"
    no rows in `log` (lines: 1)
    hint: the closest format is `hyperfine`: `log` has `results` with a `command`, but without `mean`
    ");
    insta::assert_snapshot!(error(b"{\"fps\": 60}"), @r#"
    no rows in `log` (lines: 1)
    hint: `log` is JSON from an unknown tool: convert it to `[{"name": …, "unit": …, "value": …}]` (format `custom`)
    "#);
    insta::assert_snapshot!(error(b"{\"fps\": [60,\n"), @"
    no rows in `log` (lines: 1)
    hint: `log` is JSON that is cut off: did the benchmark run to its end?
    ");
}

/// One or two lines of each tool's default output.
#[test]
fn terminal_output_is_answered_with_the_way_to_a_file() {
    for (printed, tool, advice) in [
        (
            "Run on (8 X 2400 MHz CPU s)\nCPU Caches:\n  L1 Data 32 KiB\n",
            "Google Benchmark",
            "--benchmark_out",
        ),
        (
            "---- benchmark: 2 tests ----\nName (time in ns)  Min  Max  Rounds  Iterations\n",
            "pytest-benchmark",
            "--benchmark-json",
        ),
        (
            "// * Summary *\n\nBenchmarkDotNet v0.14.0\n",
            "BenchmarkDotNet",
            "--exporters fulljson",
        ),
        (
            "# JMH version: 1.37\n# Warmup: 5 iterations\nIteration   1: 12.5 ns/op\n",
            "JMH",
            "-rf json",
        ),
        (
            "  execution: local\n  scenarios: (100.00%) 1 scenario, 5 max VUs\n",
            "k6",
            "--summary-export",
        ),
        (
            "Running 10s test @ http://localhost:3000\nReq/Bytes counts sampled once per second.\n",
            "autocannon",
            "--json",
        ),
        (
            "│ (index) │ Task name │ Latency avg (ns) │\n",
            "tinybench",
            "JSON.stringify(bench.tasks",
        ),
        (
            "┃       Benchmark ┃ Time (best) ┃ Rel. StdDev ┃ Run time ┃     Iters ┃\n│        test_sum │    111.19µs │      259.7% │    1.00s │     1,524 │\n",
            "pytest-codspeed",
            ".codspeed/results_*.json",
        ),
        (
            "Type     Name    # reqs      # fails |    Avg     Min     Max    Med |   req/s  failures/s\n",
            "Locust",
            "--csv",
        ),
        (
            "· Creating environments\n· Discovering benchmarks\n[  0.00%] · For shelf commit 1f2e3d4c:\n",
            "airspeed velocity",
            "results/<machine>",
        ),
        (
            "PHPBench (1.2.15) running benchmarks...\n\nSubjects: 2, Assertions: 0, Failures: 0, Errors: 0\n",
            "PHPBench",
            "--dump-file",
        ),
        (
            "----\nBenchmark           Time             CPU   Iterations\n----\nBM_Sum            100 ns          100 ns      7000000\n",
            "Google Benchmark",
            "--benchmark_out_format=json",
        ),
        (
            "Run status group 0 (all jobs):\n   READ: bw=100MiB/s (105MB/s)\n",
            "fio",
            "--output-format=json",
        ),
        (
            "benchmark name                       samples       iterations    est run time\n",
            "Catch2",
            "-r xml",
        ),
        (
            "parse: Mean +- std dev: 15.2 us +- 0.3 us\n",
            "pyperf",
            "-o bench.json",
        ),
        (
            "  Size limit: 10 kB\n  Size:       8.9 kB with all dependencies, minified\n",
            "size-limit",
            "--json",
        ),
    ] {
        let error = read(printed).require_rows().unwrap_err();
        assert!(
            error.hint.contains(&format!("`log` is {tool}")),
            "{}",
            error.hint
        );
        assert!(error.hint.contains(advice), "{}", error.hint);
        assert!(!error.to_string().contains("looked for"), "{error}");
    }
}

#[test]
fn unsupported_reports_get_a_hint_about_a_file() {
    for (printed, tool, advice) in [
        (
            "Benchmark                Time           CPU Iterations\n----\nBM_Sum   55 ns     55 ns   12919383\n",
            "Google Benchmark",
            "--benchmark_out_format=json",
        ),
        (
            "All\n  fibonacci numbers\n    fifth:     OK (2.13s)\n       63 ns ± 3.4 ns\n",
            "tasty-bench",
            "--csv",
        ),
        (
            "# Benchmark\n\nBenchmark run from 2021-10-24 06:53:49Z UTC\n\n## System\n\nBenchmark suite executing on the following system:\n",
            "Benchee's Markdown",
            "on the terminal",
        ),
        (
            "[\"criterion\",\"1.3.0.0\",[{\"reportAnalysis\":{}",
            "criterion for Haskell",
            "--csv",
        ),
    ] {
        let hint = read(printed).require_rows().unwrap_err().hint;
        assert!(
            hint.contains(&format!("`log` is {tool}")) && hint.contains(advice),
            "{hint}"
        );
    }
}

#[test]
fn unreadable_output_of_known_tools_gets_a_hint() {
    let error = |text: &str| read(text).require_rows().unwrap_err().hint;
    insta::assert_snapshot!(error("create filters: 29.280ms\napply filters: 40.983ms\n"), @"the closest format is `[[formats]]`: `log` contains lines with a name, a number and a unit: `perf-gate formats try FILE` describes them");
}

#[test]
fn input_without_rows_beside_others_is_reported() {
    let warnings = |inputs: &[(&str, &[u8])]| {
        let all = read_with("", inputs).diagnostics();
        let texts = all
            .iter()
            .flat_map(|one| std::iter::once(one.to_string()).chain(one.examples.clone()));
        texts.collect::<Vec<_>>().join("\n")
    };
    let row: (&str, &[u8]) = ("a.log", b"Load_A,Host x64,abc1234,-1,1.5,0,2\n");
    insta::assert_snapshot!(warnings(&[row, ("b.txt", b"# JMH version: 1.37\n"), ("c.txt", b"nothing\n")]), @"
    no rows in 2 of 3 inputs
    `b.txt` is JMH terminal output: run it with `-rf json -rff bench.json`
    `c.txt` has no rows (1 line)
    ");
    insta::assert_snapshot!(warnings(&[row, ("b.csv", b"scenario,x\n")]), @"");
}

#[test]
fn far_measurements_of_one_name_are_reported() {
    let input =
        |time: f64| format!("{{\"results\": [{{\"command\": \"pack\", \"mean\": {time}}}]}}");
    let warnings = |times: [f64; 3]| {
        let inputs = times.map(input);
        let inputs: Vec<(&str, &[u8])> = inputs
            .iter()
            .map(|input| ("run", input.as_bytes()))
            .collect();
        let all = read_with("", &inputs).diagnostics();
        all.iter()
            .flat_map(|one| std::iter::once(one.to_string()).chain(one.examples.clone()))
            .collect::<Vec<_>>()
            .join("\n")
    };
    insta::assert_snapshot!(warnings([1.0, 1.5, 2.5]), @"
    1 benchmark with measurements far apart, read as samples of one benchmark: give different benchmarks different names
    `pack`: timeS from 1 to 2.5
    2 rows measured again by the same tool: all are used as samples, numbered consecutively
    ");
    insta::assert_snapshot!(warnings([1.0, 1.5, 2.0]), @"2 rows measured again by the same tool: all are used as samples, numbered consecutively");
}

#[test]
fn quote_in_the_middle_of_a_field_is_reported() {
    let row = "Load_A,Standalone \"x,y\",abc1234,-1,1.5,0,2\nLoad_B,Standalone \"x,y\" z,abc1234,-1,1.5,0,2\n";
    insta::assert_snapshot!(account(&read(row)), @"
    log:1 skipped: a quote in the middle of a field: quote the whole field, and double the quotes inside
    log:2 skipped: a quote in the middle of a field: quote the whole field, and double the quotes inside
    log: 0 of 2 lines (log)
    ");
    let csv = "scenario,platform,x\nLoad_A,Standalone \"x,y\",1\nLoad_B,Standalone \"x,y\" z,2\n";
    insta::assert_snapshot!(account(&read(csv)), @r#"
    log:2 Load_A | Standalone "x,y" |  | -1 | x=1
    log:3 skipped: 4 columns, expected 3: a quote in the middle of a field: quote the whole field, and double the quotes inside
    log: 1 of 3 lines (csv)
    "#);
    // Any text may precede a quoted name.
    let rows = "Load \"x,y,x64,abc1234,-1,1.5,0,2\n\
                INFO: \"x,y\",x64,abc1234,-1,1.5,0,2\n[app] \"v,w\",x64,abc1234,-1,1.5,0,2\n";
    insta::assert_snapshot!(account(&read(rows)), @"
    log:2 x,y | x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:3 v,w | x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:1 skipped: a quote in the middle of a field: quote the whole field, and double the quotes inside
    log: 2 of 3 lines (log)
    ");
}

#[test]
fn xml_report_that_is_not_read_is_reported() {
    let report =
        "<?xml version=\"1.0\"?><testsuites>\n<testcase name=\"a\" time=\"1\"/></testsuites>\n";
    let log = "Load_A,Host x64,abc1234,-1,1.5,0,2\n";
    insta::assert_snapshot!(account(&read(format!("{log}report: {report}"))), @"
    log:1 Load_A | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:2 skipped: an XML report after other text is not read: pass it as a separate file
    log: 1 of 3 lines (log)
    ");
    let late = format!("{log}{}{report}", "built\n".repeat(40_000));
    insta::assert_snapshot!(account(&read(late)), @"
    log:1 Load_A | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:40002 skipped: an XML report after other text is not read: pass it as a separate file
    log: 1 of 40003 lines (log)
    ");
    assert_eq!(
        read(format!("{log}page: <?xml version=\"1.0\"?><html/>\n")).skipped_count,
        0
    );
}

#[test]
fn invalid_utf8_skips_only_its_row() {
    let report = read(b"caf\xe9, a, b, c, d, e, f\n\xe9\xe9: Load_A,Host x64,abc1234,-1,1,0,2\nLoad_\xe9,Host x64,abc1234,-1,1,0,2\n");
    insta::assert_snapshot!(account(&report), @"
    log:2 Load_A | Host x64 | abc1234 | -1 | emitsPerSecond=1 allocatedBytesDelta=0 wallClockMs=2
    log:3 skipped: invalid UTF-8
    log: 1 of 3 lines (log)
    ");
}

#[test]
fn named_columns_stay_without_values() {
    let text = "scenario,platform,commit,runIndex,z,a\nA,host,abc,-1,-1,2\n";
    let report = read(text);
    let named: Vec<_> = report.columns.iter().cloned().collect();
    assert_eq!(
        perf_readers::baseline::write(&report.rows, &named, &perf_config::Config::default())
            .unwrap(),
        text
    );
}

#[test]
fn unread_second_format_is_reported() {
    let document = r#"{"results": [{"command": "pack", "mean": 1.5}]}"#;
    let text = format!("test parse ... bench:       3,161 ns/iter (+/- 975)\n{document}\n");
    insta::assert_snapshot!(account(&read(&text)), @"
    log:2 pack |  |  | -1 | timeS=1.5
    log:1 skipped: also contains libtest, but only hyperfine was read: split the input
    log: 1 of 2 lines (hyperfine)
    ");
    // Scenarios in a baseline can have any name.
    let baseline = "scenario,decodeNs\ntest parse ... bench:  3 ns/iter (+/- 9),5\n";
    assert_eq!(read(baseline).skipped().count(), 0);
}

#[test]
fn log_timestamps_are_removed() {
    let plain = "goos: linux\nBenchmarkParse-2 \t 100 \t 12.5 ns/op\nPASS\n";
    let stamped: String = plain
        .lines()
        .map(|line| format!("2031-03-04T09:14:10.1234567Z {line}\n"))
        .collect::<Vec<_>>()
        .concat();
    assert_eq!(read(&stamped).rows, read(plain).rows);
    assert_eq!(read(plain).rows.len(), 1);
}

#[test]
fn metrics_of_one_scenario_in_several_inputs_are_merged() {
    let inputs: [(&str, &[u8]); 2] = [
        ("a.csv", b"scenario,instructions\nhandshake,10\n"),
        ("b.csv", b"scenario,peakBytes\nhandshake,30\n"),
    ];
    insta::assert_snapshot!(account(&read_with("", &inputs)), @"
    a.csv:2 handshake |  |  | -1 | instructions=10 peakBytes=30
    a.csv: 1 of 2 lines (csv)
    b.csv: 1 of 2 lines (csv)
    ");
}

#[test]
fn numbers_that_contradict_each_other_are_a_warning() {
    let rows = "scenario,latencyMs,latencyMs.min,latencyMs.max,latencyP99Ms\n";
    let report = read(format!(
        "{rows}right,5.25,1.5,9.75,9.5\nwrong,5.25,1.5,9.75,12.5\n"
    ));
    let warnings: Vec<String> = report
        .diagnostics()
        .iter()
        .flat_map(|found| found.examples.clone())
        .collect();
    assert_eq!(
        warnings,
        ["log:3: `wrong`: latencyP99Ms (12.5) is above latencyMs.max (9.75)"]
    );
    assert_eq!(report.rows.len(), 2);
}

#[test]
fn text_in_brackets_is_no_json() {
    let begins = |text: &str| read(text).inputs[0].begins;
    for text in [
        "[SCALE TEST] done\n",
        "[4693380.905593] Target found\n",
        "[1] 12\n",
        "{{name}} took 5 ms\n",
    ] {
        assert_eq!(begins(text), Beginning::Text, "{text}");
    }
    for text in [
        "[1, 2]",
        "[]",
        "{}",
        "[\"a\"]",
        "{ \"a\": 1 }",
        "[ {\"a\": 1}]",
    ] {
        assert_eq!(begins(text), Beginning::Json, "{text}");
    }
}
