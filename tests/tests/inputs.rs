//! All kinds of input: a log gives the same rows, whichever system wrote it.

use end_to_end::encode::{crlf, gzip, utf8_with_mark, utf16_be, utf16_le};
use end_to_end::markdown::{first_numbers, tables};
use end_to_end::{Outcome, Project};

use crate::HEADER;

/// A benchmark's output, with noise around it.
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
fn log_is_read_in_any_encoding() {
    let encoded = [
        ("as it is", LOG.as_bytes().to_vec()),
        ("CRLF", crlf(LOG).into_bytes()),
        (
            "without a final line end",
            LOG.trim_end().as_bytes().to_vec(),
        ),
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
        assert_eq!(
            (outcome.out(), &*outcome.stderr, outcome.code),
            (ROWS, "", Some(0)),
            "{name}"
        );
    }
}

#[test]
fn csv_is_read_in_any_encoding() {
    for content in [
        ROWS.as_bytes().to_vec(),
        utf8_with_mark(ROWS),
        utf16_le(&crlf(ROWS)),
        gzip(crlf(ROWS).as_bytes()),
    ] {
        assert_eq!(extracted(&content).out(), ROWS);
    }
}

#[test]
fn pipe_is_read_like_a_file() {
    let project = Project::empty();
    for content in [LOG.as_bytes().to_vec(), gzip(LOG.as_bytes()), utf16_le(LOG)] {
        let outcome = project
            .tool("extract-perf-baseline --input -")
            .stdin(content)
            .run();
        assert_eq!((outcome.out(), &*outcome.stderr), (ROWS, ""));
    }
    project
        .tool("extract-perf-baseline --input -")
        .stdin("just, prose\n")
        .run()
        .assert_refused("", &[]);
}

#[test]
fn inputs_are_read_in_order_and_duplicates_only_once() {
    let (first, second) = LOG.split_at(LOG.find("    at").unwrap());
    let project = Project::empty()
        .with("b.log", first)
        .with("a.log.gz", gzip(second.as_bytes()));
    for inputs in [
        "b.log a.log.gz",
        "b.log --input a.log.gz",
        "b.log b.log a.log.gz",
    ] {
        assert_eq!(
            project
                .run(&format!("extract-perf-baseline --input {inputs}"))
                .out(),
            ROWS
        );
    }
    let outcome = project
        .tool("extract-perf-baseline --input b.log -")
        .stdin(second)
        .run();
    assert_eq!(outcome.out(), ROWS);
}

#[test]
fn columns_are_found_by_name() {
    let csv = "note,wallClockMs,Run Index,scenario,decodeNs,COMMIT,platform\n\
        warm,12.5,0,\"Parse, small\",100,0123abcd,linux\n\
        ,12.25,1,\"Parse, small\",101.5,0123abcd,linux\n";
    let project = Project::empty()
        .with("rows.csv", csv)
        .with("perf-gate.toml", "rows.ignore-columns = ['note']\n");
    assert_eq!(
        project.run("extract-perf-baseline --input rows.csv").out(),
        "scenario,platform,commit,runIndex,wallClockMs,decodeNs\n\
        \"Parse, small\",linux,0123abcd,0,12.500,100\n\"Parse, small\",linux,0123abcd,1,12.250,101.5\n"
    );
}

#[test]
fn header_in_a_log_describes_the_rows_after_it() {
    let log = "bench says: scenario,platform,commit,runIndex,decodeNs,copies\n\
        [1/2] Parse,linux,0123abcd,0,120,2\n[2/2] Parse,linux,0123abcd,1,118,2\n";
    assert_eq!(
        extracted(log.as_bytes()).out(),
        "scenario,platform,commit,runIndex,decodeNs,copies\n\
        Parse,linux,0123abcd,0,120,2\nParse,linux,0123abcd,1,118,2\n"
    );
}

#[test]
fn structured_rows_may_have_their_keys_in_any_order() {
    let log = r#"12:00 {scenario:"Parse \"q\"",platform:"linux",commit:"0123abcd",runIndex:0,emitsPerSec:1.5,gcAllocations:0,wallClockMs:2.5}
    {"commit":"0123abcd", "platform": "linux", "scenario": "Parse", "decodeNs": 12, "note": "x, y", "peakBytes": null}
    two in a line: {scenario:"A",decodeNs:1} {scenario:"B",decodeNs:2}
"#;
    let rows = r#"scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,decodeNs
"Parse ""q""",linux,0123abcd,0,1.500,0,2.500,-1
Parse,linux,0123abcd,-1,-1,-1,-1,12
A,,,-1,-1,-1,-1,1
B,,,-1,-1,-1,-1,2
"#;
    assert_eq!(extracted(log.as_bytes()).out(), rows);
}

#[test]
fn rows_in_the_output_of_a_test_report_are_read() {
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
    let rows = r#"Parse_CData,linux x64,0123abcd,-1,1250.000,3,1000.000,96
Parse_Entities,"linux & more, x64",0123abcd,-1,10.500,0,1000.000,0
Parse_Second,linux,0123abcd,-1,2.000,0,1000.000,0
Parse_Structured,linux,,-1,7.000,-1,-1,-1
"#;
    let encoded = [
        xml.into(),
        crlf(xml).into_bytes(),
        utf8_with_mark(xml),
        utf16_le(xml),
        gzip(xml.as_bytes()),
    ];
    for content in encoded {
        assert_eq!(extracted(&content).out(), format!("{HEADER}{rows}"));
    }
}

#[test]
fn truncated_test_report_keeps_its_complete_rows() {
    let xml = r#"<?xml version="1.0"?>
<test-run>
  <test-case id="1001"><output><![CDATA[Parse_Whole,linux x64,0123abcd,-1,1250.000,3,1000.000,96]]></output></test-case>
  <test-case id="1002"><output><![CDATA[Parse_Open,linux x64,0123abcd,-1,1250.000,3,1000.000,96
Parse_Cut,linux x64,0123abcd,-1,12"#;
    let outcome = extracted(xml.as_bytes());
    assert_eq!(outcome.scenarios(), ["Parse_Whole", "Parse_Open"]);
    assert_eq!(outcome.warnings(), ["run.log:4", "run.log:5"]);
}

#[test]
fn broken_archive_is_an_error() {
    let packed = gzip(LOG.repeat(50).as_bytes());
    let mut damaged = packed.clone();
    damaged[packed.len() / 2] ^= 0xFF;
    for content in [&packed[..packed.len() - 20], &damaged] {
        extracted(content).assert_refused("", &["run.log"]);
    }
}

#[test]
fn metrics_and_scopes_need_no_config() {
    let log = "Stream,linux x64,0123abcd,-1,5.5,100,64\nscenario,platform,commit,runIndex,decodeNs,hits,peakBytes\n\
        Decode,linux x64,0123abcd,0,1500.5,100,2048\nDecode,linux x64,0123abcd,1,1700.5,100,4096\n\
        Encode,mac arm64,0123abcd,0,980,7,1024\n";
    let project = Project::empty().with("run.log", log);
    let outcome = project.run("render-perf-doc --input run.log --preview");
    assert_eq!(
        first_numbers(outcome.out()),
        ["Stream 5.5", "Decode n/a", "Encode 980"]
    );
    let shown: Vec<(String, usize)> = tables(outcome.out())
        .into_iter()
        .map(|table| (table.heading, table.rows[0].len()))
        .collect();
    assert_eq!(
        shown,
        [("linux x64".to_owned(), 6), ("mac arm64".to_owned(), 4)]
    );
}

#[test]
fn concatenated_files_keep_their_headers() {
    let csv = "scenario,platform,decodeNs\nA,linux,5\nscenario,platform,decodeNs\nB,linux,6\nscenario,platform,encodeNs\nC,linux,7\n";
    assert_eq!(
        extracted(csv.as_bytes()).out(),
        "scenario,platform,commit,runIndex,decodeNs,encodeNs\nA,linux,,-1,5,-1\nB,linux,,-1,6,-1\nC,linux,,-1,-1,7\n"
    );
}

#[test]
fn wrapped_structured_row_is_read_or_reported() {
    let log = "{\"level\":\"info\",\"fields\":{\"scenario\":\"Nested\",\"runIndex\":0,\"decodeNs\":5}}\n\
        {scenario:'Single',runIndex:0,decodeNs:6}\n";
    let outcome =
        extracted(format!("{log}{{scenario:\"Plain\",runIndex:0,decodeNs:7}}\n").as_bytes());
    for name in ["Nested", "Single"] {
        assert!(
            outcome.out().contains(name) || outcome.mentions(&[name]),
            "{name}: {outcome}"
        );
    }
}

#[test]
fn quoted_run_index_is_read_or_reported() {
    let outcome = extracted(
        b"{scenario:\"A\",runIndex:\"3\",decodeNs:5}\n{scenario:\"B\",runIndex:0,decodeNs:5}\n",
    );
    assert!(
        outcome.out().contains("A,,,3,5") || outcome.stderr.contains("run.log:1:"),
        "{outcome}"
    );
}
