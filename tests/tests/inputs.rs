//! Every way in which rows come in: one log, written by many systems, gives the same rows.

use end_to_end::encode::{crlf, gzip, utf8_with_mark, utf16_be, utf16_le};
use end_to_end::{Outcome, Project};
use insta::assert_snapshot;

/// What a bench printed, with noise around it.
const LOG: &str = "\
starting up… 3 workers, 2 queues
Parse_Small,linux x64 (Ünïcode),0123abcd,-1,1250.000,3,1000.000,96
    at Bench.Run(Int32 a, Int32 b, Int32 c, Int32 d, Int32 e, Int32 f, Int32 g)
2026-05-01T10:00:00Z INFO  Parse_Large,linux x64 (Ünïcode),0123abcd,-1,10.500,0,1000.000,0
done in 5 s, 2 rows
";

const ROWS: &str = "\
scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes
Parse_Small,linux x64 (Ünïcode),0123abcd,-1,1250.000,3,1000.000,96
Parse_Large,linux x64 (Ünïcode),0123abcd,-1,10.500,0,1000.000,0
";

fn extracted(content: &[u8]) -> Outcome {
    let project = Project::empty().with("run.log", content);
    project.run("extract-perf-baseline --input run.log")
}

#[test]
fn the_encoding_of_a_log_does_not_matter() {
    let encoded = [
        ("as it is", LOG.as_bytes().to_vec()),
        ("CRLF", crlf(LOG).into_bytes()),
        ("without a final line end", LOG.trim_end().as_bytes().to_vec()),
        ("UTF-8 with a mark", utf8_with_mark(LOG)),
        ("UTF-16 LE", utf16_le(LOG)),
        ("UTF-16 BE", utf16_be(LOG)),
        ("UTF-16 LE with CRLF", utf16_le(&crlf(LOG))),
        ("gzip", gzip(LOG.as_bytes())),
        ("gzip of UTF-16", gzip(&utf16_le(LOG))),
        (
            "two gzip files, one behind the other",
            [gzip(&LOG.as_bytes()[..100]), gzip(&LOG.as_bytes()[100..])].concat(),
        ),
    ];
    for (name, content) in encoded {
        let outcome = extracted(&content);
        assert_eq!((outcome.out(), &*outcome.stderr, outcome.code), (ROWS, "", Some(0)), "{name}");
    }
}

#[test]
fn a_csv_in_any_encoding_is_one() {
    for content in
        [ROWS.as_bytes().to_vec(), utf8_with_mark(ROWS), utf16_le(&crlf(ROWS)), gzip(crlf(ROWS).as_bytes())]
    {
        assert_eq!(extracted(&content).out(), ROWS);
    }
}

#[test]
fn a_pipe_is_read_like_a_file() {
    let project = Project::empty();
    for content in [LOG.as_bytes().to_vec(), gzip(LOG.as_bytes()), utf16_le(LOG)] {
        let outcome = project.tool("extract-perf-baseline --input -").stdin(content).run();
        assert_eq!((outcome.out(), &*outcome.stderr), (ROWS, ""));
    }
    assert_snapshot!(project.tool("extract-perf-baseline --input -").stdin("just, prose\n").run(), @"
    exit 2
    --- stderr
    error: no rows in `<stdin>` (lines: 1); looked for [formats]
    hint: `--list-formats` says what each format carries, and `rows.layouts` in perf-gate.toml describes CSV lines of another layout
    ");
}

#[test]
fn several_inputs_are_read_in_their_order() {
    let (first, second) = LOG.split_at(LOG.find("    at").unwrap());
    let project = Project::empty().with("b.log", first).with("a.log.gz", gzip(second.as_bytes()));
    for line in ["--input b.log a.log.gz", "--input b.log --input a.log.gz"] {
        assert_eq!(project.run(&format!("extract-perf-baseline {line}")).out(), ROWS);
    }
    let outcome = project.tool("extract-perf-baseline --input b.log -").stdin(second).run();
    assert_eq!(outcome.out(), ROWS);
    // A row that several inputs have is read once.
    assert_snapshot!(project.run("extract-perf-baseline --input b.log b.log a.log.gz"), @"
    exit 0
    --- stdout
    scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes
    Parse_Small,linux x64 (Ünïcode),0123abcd,-1,1250.000,3,1000.000,96
    Parse_Large,linux x64 (Ünïcode),0123abcd,-1,10.500,0,1000.000,0
    --- stderr
    note: 1 exact duplicate of rows read once
    ");
}

#[test]
fn columns_are_known_by_name_in_any_order() {
    let csv = "note,wallClockMs,Run Index,scenario,decodeNs,COMMIT,platform\n\
        warm,12.5,0,\"Parse, small\",100,0123abcd,linux\n\
        ,12.25,1,\"Parse, small\",101.5,0123abcd,linux\n";
    let project =
        Project::empty().with("rows.csv", csv).with("perf-gate.toml", "rows.ignore-columns = ['note']\n");
    assert_snapshot!(project.run("extract-perf-baseline --input rows.csv"), @r#"
    exit 0
    --- stdout
    scenario,platform,commit,runIndex,wallClockMs,decodeNs
    "Parse, small",linux,0123abcd,0,12.500,100
    "Parse, small",linux,0123abcd,1,12.250,101.5
    "#);
}

#[test]
fn a_header_in_a_log_describes_the_rows_behind_it() {
    let log = "bench says: scenario,platform,commit,runIndex,decodeNs,copies\n\
        [1/2] Parse,linux,0123abcd,0,120,2\n[2/2] Parse,linux,0123abcd,1,118,2\n";
    assert_snapshot!(extracted(log.as_bytes()), @"
    exit 0
    --- stdout
    scenario,platform,commit,runIndex,decodeNs,copies
    Parse,linux,0123abcd,0,120,2
    Parse,linux,0123abcd,1,118,2
    ");
}

#[test]
fn structured_lines_have_their_keys_in_any_order() {
    let log = r#"12:00 {scenario:"Parse \"q\"",platform:"linux",commit:"0123abcd",runIndex:0,emitsPerSec:1.5,gcAllocations:0,wallClockMs:2.5}
    {"commit":"0123abcd", "platform": "linux", "scenario": "Parse", "decodeNs": 12, "note": "x, y", "peakBytes": null}
    two in a line: {scenario:"A",decodeNs:1} {scenario:"B",decodeNs:2}
"#;
    assert_snapshot!(extracted(log.as_bytes()), @r#"
    exit 0
    --- stdout
    scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,decodeNs
    "Parse ""q""",linux,0123abcd,0,1.500,0,2.500,-1
    Parse,linux,0123abcd,-1,-1,-1,-1,12
    A,,,-1,-1,-1,-1,1
    B,,,-1,-1,-1,-1,2
    "#);
}

#[test]
fn a_test_report_has_rows_in_its_output() {
    let xml = r#"<?xml version="1.0" encoding="utf-8"?>
<test-run id="2" result="Passed">
  <!-- Fake,linux,0123abcd,-1,1,1,1,1 -->
  <test-case id="1001" name="Parse(&quot;small, medium&quot;)">
    <output><![CDATA[warming up
Parse_CData,linux x64,0123abcd,-1,1250.000,3,1000.000,96
]]></output>
  </test-case>
  <test-case id="1002">
    <output>Parse_Entities,&quot;linux &amp; more, x64&quot;,0123abcd,-1,1&#48;.5,0,1000.000,0&#10;Parse_Second,linux,0123abcd,-1,2,0,1000.000,0</output>
  </test-case>
  <test-case id="1003">
    <output>{scenario:&quot;Parse_Structured&quot;,platform:&quot;linux&quot;,emitsPerSec:7}</output>
  </test-case>
</test-run>
"#;
    assert_snapshot!(extracted(xml.as_bytes()), @r#"
    exit 0
    --- stdout
    scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes
    Parse_CData,linux x64,0123abcd,-1,1250.000,3,1000.000,96
    Parse_Entities,"linux & more, x64",0123abcd,-1,10.500,0,1000.000,0
    Parse_Second,linux,0123abcd,-1,2.000,0,1000.000,0
    Parse_Structured,linux,,-1,7.000,-1,-1,-1
    "#);
    for content in [crlf(xml).into_bytes(), utf8_with_mark(xml), utf16_le(xml), gzip(xml.as_bytes())] {
        assert_eq!(extracted(&content).out(), extracted(xml.as_bytes()).out());
    }
}

#[test]
fn a_test_report_that_ends_early_keeps_what_it_has() {
    let xml = r#"<?xml version="1.0"?>
<test-run>
  <test-case id="1001"><output><![CDATA[Parse_Whole,linux x64,0123abcd,-1,1250.000,3,1000.000,96]]></output></test-case>
  <test-case id="1002"><output><![CDATA[Parse_Open,linux x64,0123abcd,-1,1250.000,3,1000.000,96
Parse_Cut,linux x64,0123abcd,-1,12"#;
    assert_snapshot!(extracted(xml.as_bytes()), @"
    exit 0
    --- stdout
    scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes
    Parse_Whole,linux x64,0123abcd,-1,1250.000,3,1000.000,96
    Parse_Open,linux x64,0123abcd,-1,1250.000,3,1000.000,96
    --- stderr
    warning: run.log:4: not well-formed XML (syntax error: CDATA not closed: `]]>` not found before end of input): the rest is read as plain lines
    warning: run.log:5: the row ends after 5 of 7 columns: `Parse_Cut,linux x64,0123abcd,-1,12` is not read
    ");
}

#[test]
fn a_broken_archive_is_an_error_and_not_half_a_result() {
    let packed = gzip(LOG.repeat(50).as_bytes());
    assert_snapshot!(extracted(&packed[..packed.len() - 20]), @"
    exit 2
    --- stderr
    error: cannot read `run.log`: gzip data ends early
    ");
    let mut damaged = packed.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xFF;
    assert_eq!(extracted(&damaged).code, Some(2));
}

#[test]
fn without_a_config_metrics_and_scopes_are_known_by_name() {
    let log = "Stream,linux x64,0123abcd,-1,5.5,100,64\nscenario,platform,commit,runIndex,decodeNs,hits,peakBytes\n\
        Decode,linux x64,0123abcd,0,1500.5,100,2048\nDecode,linux x64,0123abcd,1,1700.5,100,4096\n\
        Encode,mac arm64,0123abcd,0,980,7,1024\n";
    let project = Project::empty().with("run.log", log);
    assert_snapshot!(project.run("render-perf-doc --input run.log --preview"), @"
    exit 0
    --- stdout
    <!-- Generated by render-perf-doc from benchmark rows; edits to this region are overwritten.
         To refresh it: render-perf-doc --region PERFORMANCE --doc THIS-FILE --input BENCHMARK-OUTPUT -->

    Measured: commit `0123abcd`.

    Runner: hardware not recorded

    ### linux x64

    | Scenario | Throughput | Allocated bytes | decodeNs | hits | Peak  |
    | -------- | ---------- | --------------- | -------- | ---- | ----- |
    | Stream   | 5.50/s     | 100 B           | n/a      | n/a  | n/a   |
    | Decode   | n/a        | n/a             | 1.60 µs  | 100  | 3 KiB |

    ### mac arm64

    | Scenario | decodeNs | hits | Peak  |
    | -------- | -------- | ---- | ----- |
    | Encode   | 980 ns   | 7    | 1 KiB |
    ");
}

#[test]
fn files_that_were_written_one_behind_the_other_have_each_their_header() {
    let csv = "scenario,platform,decodeNs\nA,linux,5\nscenario,platform,decodeNs\nB,linux,6\nscenario,platform,encodeNs\nC,linux,7\n";
    assert_eq!(
        extracted(csv.as_bytes()).out(),
        "scenario,platform,commit,runIndex,decodeNs,encodeNs\nA,linux,,-1,5,-1\nB,linux,,-1,6,-1\nC,linux,,-1,-1,7\n"
    );
}

#[test]
fn a_structured_row_is_read_or_named_however_it_is_wrapped() {
    let log = "{\"level\":\"info\",\"fields\":{\"scenario\":\"Nested\",\"runIndex\":0,\"decodeNs\":5}}\n\
        {scenario:'Single',runIndex:0,decodeNs:6}\n";
    let outcome = extracted(format!("{log}{{scenario:\"Plain\",runIndex:0,decodeNs:7}}\n").as_bytes());
    for name in ["Nested", "Single"] {
        let said = [outcome.out(), &outcome.stderr].concat();
        assert!(said.contains(name), "{name} is dropped in silence: {outcome}");
    }
}

#[test]
fn a_run_index_in_quotes_is_one_or_is_named() {
    let outcome =
        extracted(b"{scenario:\"A\",runIndex:\"3\",decodeNs:5}\n{scenario:\"B\",runIndex:0,decodeNs:5}\n");
    assert!(outcome.out().contains("A,,,3,5") || outcome.stderr.contains("run.log:1:"), "{outcome}");
}
