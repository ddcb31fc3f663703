//! Documents after other text.

mod common;

use common::{account, read};

#[test]
fn log_before_xml_report_is_read() {
    let xml = "<?xml version=\"1.0\"?>\n<testsuites><testsuite name=\"s\">\n<testcase name=\"opens\" time=\"0.25\"/>\n\
                  </testsuite></testsuites>\n";
    let report = read(format!(
        "starting, 2 workers\nShelf,linux x64,d07f3a2,-1,1.5,0,2\n{xml}done\n"
    ));
    insta::assert_snapshot!(account(&report), @"
    log:2 Shelf | linux x64 | d07f3a2 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log: 1 of 7 lines (xml)
    ");
    let report = read(format!("starting\n{xml}done\n"));
    insta::assert_snapshot!(account(&report), @"
    log:4 s opens |  |  | -1 | timeS=0.25
    log: 1 of 6 lines (junit)
    ");
    // Other XML is text in a log.
    let quoted = "<settings>\n</settings>\nShelf,linux x64,d07f3a2,-1,1.5,0,2\n";
    assert_eq!(
        read(format!("reading\n<?xml version=\"1.0\"?>\n{quoted}")).inputs[0].format,
        "log"
    );
}

#[test]
fn log_before_csv_table_is_read() {
    let table = "scenario,decodeNs,label\nParse,12.5,3\n\"Print, all\",7,4\n";
    let report = read(format!(
        "   Compiling shelf v0.1.0\n{{scenario:\"Early\",decodeNs:3}}\nnow the scenario, its label and more:\n{table}\nFinished in 3 s\nParse,oops,1\n"
    ));
    insta::assert_snapshot!(account(&report), @"
    log:2 Early |  |  | -1 | decodeNs=3
    log:5 Parse |  |  | -1 | decodeNs=12.5 label=3
    log:6 Print, all |  |  | -1 | decodeNs=7 label=4
    log:9 skipped: invalid number `oops` (column `decodeNs`)
    log: 3 of 9 lines (csv)
    ");
    for text in [
        "hint\nscenario,decodeNs\nand so on, twice\n",
        "hint\nthe scenario, decodeNs\nParse,12\n",
        "hint\nscenario,platform,commit,runIndex,decodeNs\nParse,linux x64,d07f3a2,0,12\n",
    ] {
        assert_eq!(read(text).inputs[0].format, "log", "{text}");
    }
}

#[test]
fn tool_output_before_csv_table_is_reported() {
    let report = read("test parse ... bench: 5 ns/iter (+/- 1)\nscenario,decodeNs\nParse,12.5\n");
    insta::assert_snapshot!(account(&report), @"
    log:3 Parse |  |  | -1 | decodeNs=12.5
    log:1 skipped: also contains libtest, but only csv was read: split the input
    log: 1 of 3 lines (csv)
    ");
}

#[test]
fn csv_with_xml_like_names_is_csv() {
    let report =
        read("scenario,runIndex,timeNs\n<test-run>/parse,-1,5\n<testsuites><testsuite/>,-1,6\n");
    insta::assert_snapshot!(account(&report), @"
    log:2 <test-run>/parse |  |  | -1 | timeNs=5
    log:3 <testsuites><testsuite/> |  |  | -1 | timeNs=6
    log: 2 of 3 lines (csv)
    ");
}
