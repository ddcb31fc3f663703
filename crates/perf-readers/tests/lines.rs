//! Rows in log lines, printed by a program or quoted by another.

use crate::common::{account, read, read_with};

const ROW: &str = "Host x64,abc1234,-1,1.5,0,2";

#[test]
fn rows_in_quoted_text_are_found() {
    let report = read(format!(
        r#"{{"log":"Load_A,{ROW}\n","stream":"stdout"}}
{{"message":"{{\"scenario\":\"Load_B\",\"x\":1}}"}}
{{"event":"row","data":{{"scenario":"Load_C","x":1}}}}
level=info msg="Load_D,{ROW}"
"Load_E","Host x64","abc1234","-1","1.5","0","2"
{{"scenario":"Load_F","x":"1.5","y":"fast"}}
{{"log":"first\nLoad_G,{ROW}\nLoad_H,\"Host, x64\",abc1234,-1,1.5,0,2\n"}}
"#
    ));
    insta::assert_snapshot!(account(&report), @"
    log:1 Load_A | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:2 Load_B |  |  | -1 | x=1
    log:3 Load_C |  |  | -1 | x=1
    log:4 Load_D | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:5 Load_E | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:6 Load_F |  |  | -1 | x=1.5
    log:7 Load_G | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:7 Load_H | Host, x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log: 8 of 7 lines (log)
    ");
}

#[test]
fn spaces_after_commas_do_not_hide_a_row() {
    let report = read(
        "Load_S, Host x64, abc1234, -1, 1.5, 0, 2\nLoad_T, \"Host, x64\", abc1234, -1, 1.5, 0, 2\n",
    );
    insta::assert_snapshot!(account(&report), @"
    log:1 Load_S | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:2 Load_T | Host, x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log: 2 of 2 lines (log)
    ");
}

#[test]
fn row_that_fits_no_layout_is_malformed() {
    let report = read(format!(
        "Load_A,{ROW},4,9\n\
         Load_B,Host x64,abc,0,1,0,1,0,9\n\
         Load_C,Host x64,local,-1,1.5,0\n\
         Load_D,Host x64,abc1234,0\n",
    ));
    insta::assert_snapshot!(account(&report), @"
    log:1 skipped: 9 columns, but no layout has 5 metrics
    log:2 skipped: 9 columns, but no layout has 5 metrics
    log:3 skipped: row ends after 6 of 7 columns
    log:4 skipped: row ends after 4 of 7 columns
    log: 0 of 4 lines (log)
    ");
}

#[test]
fn row_with_invalid_key_is_malformed() {
    let report = read(
        "Load_A,Host x64,12345,-1,1.5,0,2\n\
         Load_B,Host x64,abc1234 (dirty),-1,1.5,0,2\n\
         Load_C,,abc1234,-1,1.5,0,2\n\
         Load_D,6000.0.23,abc1234,-1,1.5,0,2\n",
    );
    insta::assert_snapshot!(account(&report), @"
    log:1 skipped: invalid commit `12345`
    log:2 skipped: invalid commit `abc1234 (dirty)`
    log:3 skipped: empty platform
    log:4 skipped: invalid platform `6000.0.23`
    log: 0 of 4 lines (log)
    ");
}

#[test]
fn scenario_keeps_its_brackets() {
    let scenarios = |prefixed: &[&str]| {
        let rows: Vec<String> = prefixed
            .iter()
            .map(|prefixed| format!("{prefixed},{ROW}\n"))
            .collect();
        let scenarios: Vec<String> = read(rows.concat())
            .rows
            .iter()
            .map(|row| row.scenario.to_string())
            .collect();
        scenarios.join(" ")
    };
    insta::assert_snapshot!(scenarios(&[
        "Sort<int>", "<out>Sort<long>", "Dict<K>.Add", "<a b=\"c d\"><out>\tList", "x</out><out>Set", "a::b",
        "Load[small]", "Load[a:b]", "bench: Map(a|b)",
    ]), @"Sort<int> Sort<long> Dict<K>.Add List Set a::b Load[small] Load[a:b] Map(a|b)");
    insta::assert_snapshot!(scenarios(&[
        "[Perf]Load_A", "##[debug]Load_B", "PERF:Load_C", "12:00:01]Load_D", "web-1|Load_E", "[x y]: Load_F",
    ]), @"Load_A Load_B Load_C Load_D Load_E Load_F");
}

#[test]
fn listed_scenario_is_found_after_any_prefix() {
    let config = "
        scenarios = [{ key = 'Parse small' }, { key = 'small' }, { key = 'net:get' }]
        [comparison]
        prefix = 'vs_'
        subject = 'ours'
        technologies = [{ key = 'ours' }, { key = 'their lib' }]
        scenarios = [{ key = 'sort' }]
    ";
    let log = [
        "INFO Parse small",
        "Encode small",
        "x:net:get",
        "> vs_their lib_sort",
        "Un_small",
    ]
    .map(|prefixed| format!("{prefixed},{ROW}\n"))
    .concat();
    insta::assert_snapshot!(account(&read_with(config, &[("log", log.as_bytes())])), @"
    log:1 Parse small | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:2 small | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:3 net:get | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:4 vs_their lib_sort | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:5 Un_small | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log: 5 of 5 lines (log)
    ");
}

#[test]
fn unquoted_comma_in_name_is_reported() {
    let log = format!(
        "Load_G,Linux,{}\nINFO,Load_H,{ROW}\nINFO, Load_I,{ROW}\n",
        ROW.replace("Host ", "")
    );
    insta::assert_snapshot!(account(&read(&log)), @"
    log:3 Load_I | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:1 skipped: `Load_G` precedes the row: quote names with a comma
    log:2 skipped: `INFO` precedes the row: quote names with a comma
    log: 1 of 3 lines (log)
    ");
    let listed = "scenarios = [{ key = 'Load_H' }]";
    assert_eq!(read_with(listed, &[("log", log.as_bytes())]).rows.len(), 2);
}

#[test]
fn row_below_a_header_is_read_or_reported() {
    let report = read(
        "bench: scenario,platform,commit,runIndex,decodeNs\nLoad_A,linux,0123abc,0,5\nLoad_B,linux,0123abc,0,1e400\n\
         Load_C,linux,123,0,5\nLoad_D,,0123abc,0,5\nLoad_E,linux,0123abc,-2,5\n",
    );
    insta::assert_snapshot!(account(&report), @"
    log:2 Load_A | linux | 0123abc | 0 | decodeNs=5
    log:3 skipped: invalid number `1e400` (column `decodeNs`)
    log:4 skipped: invalid commit `123`
    log:5 skipped: empty platform
    log:6 skipped: invalid run index `-2`
    log: 1 of 6 lines (log)
    ");
}

#[test]
fn row_is_not_read_from_its_second_column() {
    let report = read(
        "Load_A,Host x64,0123abc,first,1250.000,3,1000.000,96\nInsert 1000,Host x64,abc1234,-1,5,5,5,5\n",
    );
    insta::assert_snapshot!(account(&report), @"
    log:1 skipped: invalid run index `first`
    log:2 skipped: scenario `1000`: quote names with a space
    log: 0 of 2 lines (log)
    ");
}

#[test]
fn structured_rows_may_have_single_quotes() {
    insta::assert_snapshot!(account(&read("{scenario:'Load \"A\"','platform':'x, y',x:1}\n{scenario:\"Load_B\",x\n")), @r#"
    log:1 Load "A" | x, y |  | -1 | x=1
    log:2 skipped: row is cut off
    log: 1 of 2 lines (log)
    "#);
}
