//! Columns from a header: in a log, in a CSV, in several headers in sequence.

use crate::common::{account, read, read_with};

#[test]
fn header_may_be_wider_than_every_layout() {
    let report = read(
        "[i] scenario,platform,commit,runIndex,p50Ms,p90Ms,p99Ms,allocs,bytes\n\
         [i] Load_A,Host x64,abc1234,0,1,2,3,4,5\n\
         [i] Load_B,Host x64,abc1234,0,1,2,3\n",
    );
    insta::assert_snapshot!(account(&report), @"
    log:2 Load_A | Host x64 | abc1234 | 0 | p50Ms=1 p90Ms=2 p99Ms=3 allocs=4 bytes=5
    log:3 skipped: row ends after 7 of 9 columns
    log: 1 of 3 lines (log)
    ");
}

#[test]
fn header_in_log_has_any_spelling_and_order() {
    let log = "# made by bench\n\
         SCENARIO,Platform,Commit,Run Index,p50_ms,P99_MS\n\
         Load_A,Host x64,abc1234,-1,1.5,2.5\n\
         12:00:01,123 INFO commit,p50Ms,scenario,platform,runIndex\n\
         12:00:01,124 INFO abc1234,1.5,Load_B,Host x64,0\n\
         decodeNs,machine_class,scenario,commit,platform,note,run-index\n\
         7,box-8c,Load_C,abc1234,Host x64,fine,3\n";
    insta::assert_snapshot!(account(&read_with("rows.ignore-columns = ['note']", &[("log", log.as_bytes())])), @"
    log:3 Load_A | Host x64 | abc1234 | -1 | p50_ms=1.5 P99_MS=2.5
    log:5 Load_B | Host x64 | abc1234 | 0 | p50Ms=1.5
    log:7 Load_C | Host x64 | abc1234 | 3 on box-8c | decodeNs=7
    log: 3 of 7 lines (log)
    ");
    let ignored = "x\nscenario,platform,commit,runIndex,date,p50Ms\nLoad_A,Host x64,abc1234,0,2026,1.5\n\
                   {scenario:\"Load_B\",date:yesterday,p50Ms:2}\n";
    insta::assert_snapshot!(account(&read_with("rows.ignore-columns = ['date']", &[("log", ignored.as_bytes())])), @"
    log:3 Load_A | Host x64 | abc1234 | 0 | p50Ms=1.5
    log:4 Load_B |  |  | -1 | p50Ms=2
    log: 2 of 4 lines (log)
    ");
}

#[test]
fn baseline_in_log_reads_as_in_file() {
    let baseline = "scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,machineClass\n\
                    Load_A,Host x64,abc1234,-1,1.5,0,2,8\n\
                    Load_B,Host x64,abc1234,-1,1.5,0,2,box-8c\n";
    let in_log = format!("$ cat perf.csv\n{baseline}Load_C,Host x64,abc1234,-1,1.5,0,2\n");
    insta::assert_snapshot!(account(&read(&in_log)), @"
    log:3 Load_A | Host x64 | abc1234 | -1 on 8 | emitsPerSecond=1.5 gcAllocations=0 wallClockMs=2
    log:4 Load_B | Host x64 | abc1234 | -1 on box-8c | emitsPerSecond=1.5 gcAllocations=0 wallClockMs=2
    log:5 Load_C | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log: 3 of 5 lines (log)
    ");
    assert_eq!(read(baseline).rows, read(&in_log).rows[..2]);
}

#[test]
fn each_table_in_a_file_has_its_own_header() {
    let report = read(
        "scenario,runIndex,p50Ms,allocs\nLoad_A,-1,1,2\n\
         scenario,runIndex,allocs,p50Ms\nLoad_B,-1,3,4\n\
         Scenario,bytes\nLoad_C,5\n",
    );
    insta::assert_snapshot!(account(&report), @"
    log:2 Load_A |  |  | -1 | p50Ms=1 allocs=2
    log:4 Load_B |  |  | -1 | allocs=3 p50Ms=4
    log:6 Load_C |  |  | -1 | bytes=5
    log: 3 of 6 lines (csv)
    ");
}

#[test]
fn duplicate_column_is_reported() {
    let report = read("scenario,platform,Platform,emitsPerSec,emitsPerSecond\nLoad_A,x,y,1,2\n");
    insta::assert_snapshot!(account(&report), @"
    log:2 Load_A | x |  | -1 | emitsPerSecond=1
    log:1 skipped: duplicate column `Platform` ignored
    log:1 skipped: duplicate column `emitsPerSecond` ignored
    log: 1 of 2 lines (csv)
    ");
}

#[test]
fn prose_about_columns_is_not_a_header() {
    let report = read("Available columns: a, scenario, b\nLoad_A,Host x64,abc1234,-1,1.5,0,2\n");
    insta::assert_snapshot!(account(&report), @"
    log:2 Load_A | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log: 1 of 2 lines (log)
    ");
}

#[test]
fn unsupported_separator_is_named() {
    let error = |text: &str| read(text).require_rows().unwrap_err().hint;
    insta::assert_snapshot!(error("scenario;platform;commit;x\nA;h;c;1\n"), @"the closest match is log:1: header is separated by `;`, expected commas");
    insta::assert_snapshot!(error("scenario\tplatform\tcommit\tx\nA\th\tc\t1\n"), @"the closest match is log:1: header is separated by tabs, expected commas");
}

#[test]
fn run_index_has_a_lower_limit_where_columns_have_no_names() {
    let rows = |run: &str| {
        let inputs = [
            format!("Load_A,Host x64,abc1234,{run},1.5,0,2\n"),
            format!("scenario,runIndex,x\nLoad_A,{run},1\n"),
            format!("{{scenario:\"Load_A\",runIndex:{run},x:1}}\n"),
        ];
        inputs.map(|input| read(input).rows.first().map(|row| row.run_index))
    };
    for (written, expected) in [
        ("1.0", [Some(1); 3]),
        ("-1", [Some(-1); 3]),
        ("999999", [Some(999_999); 3]),
        ("1000000", [None, Some(1_000_000), Some(1_000_000)]),
        ("999999999", [None, Some(999_999_999), Some(999_999_999)]),
        ("1000000000", [None; 3]),
        ("-9", [None; 3]),
        ("1.5", [None; 3]),
        ("one", [None; 3]),
    ] {
        assert_eq!(rows(written), expected, "{written}");
    }
}
