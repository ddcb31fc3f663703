//! What is refused so that a baseline can hold the rest, and so that no input needs much memory or time.

mod common;

use common::{account, read};
use perf_config::Config;
use perf_readers::baseline;

#[test]
fn what_a_baseline_could_not_hold_is_no_row() {
    let long = "x".repeat(1100);
    let readout = read(format!(
        "{{scenario:\"\",x:1}}\n{{scenario:\" Load_A \",platform:\" h \",commit:\"\\tc\",machineClass:\" \",x:1}}\n\
         {{scenario:\"Load_B\",Platform:5,x:1}}\n{{scenario:\"Scenario\",x:1}}\n{{scenario:\"{long}\",x:1}}\n\
         {{scenario:\"Load_C\",{long}:1}}\n"
    ));
    insta::assert_snapshot!(account(&readout), @"
    log:2 Load_A | h | c | -1 | x=1
    log:3 Load_B |  |  | -1 | x=1
    log:1 skipped: the scenario is empty
    log:4 skipped: `Scenario` is the name of a column, not a scenario
    log:5 skipped: a text of the row is longer than 1024 bytes
    log:6 skipped: a key is missing
    log: 2 of 6 lines (log)
    ");
}

#[test]
fn a_row_of_which_nothing_was_measured_is_one_in_every_format() {
    for input in [
        "Load_A,Host x64,abc1234,-1,-1,-1,-1\n",
        "scenario,platform,commit,runIndex,x\nLoad_A,Host x64,abc1234,-1,-1\n",
        "{scenario:\"Load_A\",platform:\"Host x64\",commit:\"abc1234\",x:-1,y:null}\n",
    ] {
        let rows = read(input).rows;
        assert_eq!(rows.len(), 1, "{input}");
        let written = baseline::write(&rows, &[], &Config::default()).unwrap();
        assert_eq!(read(&written).rows, rows, "{input}");
    }
    insta::assert_snapshot!(account(&read("{scenario:\"Load_A\",note:\"starts\"}\n")), @"
    log:1 skipped: the row has no metric
    log: 0 of 1 lines (log)
    ");
}

#[test]
fn a_run_has_so_many_metrics_and_no_more() {
    let row = |row: usize| {
        let metrics: Vec<String> = (0..200).map(|metric| format!("m{row}x{metric}:1")).collect();
        format!("{{scenario:\"Load_{row}\",{}}}\n", metrics.join(","))
    };
    let rows: Vec<String> = (0..20).map(row).collect();
    let readout = read(rows.concat());
    assert_eq!((readout.rows.len(), readout.skipped_count), (1, 19));
    insta::assert_snapshot!(readout.skipped[0].reason, @"`m1x56` is one metric more than the 256 that are read");
    let written = baseline::write(&readout.rows, &[], &Config::default()).unwrap();
    assert_eq!(read(&written).skipped, []);
}

#[test]
fn a_spread_is_no_metric_more() {
    const ENDS: [&str; 5] = ["", ".lower", ".upper", ".stddev", ".max"];
    let columns = |metric: usize| ENDS.map(|end| format!(",m{metric}{end}")).concat();
    let columns: String = (0..260).rev().map(columns).collect();
    let readout = read(format!("scenario{columns}\nLoad_A{}\n", ",1".repeat(260 * ENDS.len())));
    assert_eq!(readout.rows[0].metrics.iter().count(), 256 * ENDS.len());
    insta::assert_snapshot!(account(&readout).lines().nth(1).unwrap(), @"log:1 skipped: 20 columns beyond 256 metrics are not read");
    let written = baseline::write(&readout.rows, &[], &Config::default()).unwrap();
    assert_eq!(read(&written).rows, readout.rows);
}

#[test]
fn columns_beyond_the_most_are_counted() {
    let columns: Vec<String> = (0..2000).map(|column| format!(",m{column}")).collect();
    let columns = columns.concat();
    let ones = ",1".repeat(2000);
    let readout = read(format!("scenario{columns},machineClass\nLoad_A{ones},box\n"));
    assert_eq!(readout.rows[0].metrics.iter().count(), 256);
    assert_eq!(readout.rows[0].machine_class.as_deref(), Some("box"));
    insta::assert_snapshot!(readout.skipped.iter().map(|near| &*near.reason).collect::<String>(), @"1744 columns beyond 256 metrics are not read");
}

#[test]
fn a_stray_quote_costs_its_own_line() {
    let rows: Vec<String> = (0..500).map(|row| format!("Load_{row},{row}\n")).collect();
    let rows = rows.concat();
    for (stray, closing) in [("\"Stray,1\n", ""), ("\"Stray\"x,1\n", ""), ("\"Stray,1\n", "Other\",2\n")] {
        let readout = read(format!("scenario,x\n{stray}{rows}{closing}"));
        let others = usize::from(!closing.is_empty());
        assert_eq!((readout.rows.len(), readout.skipped.len()), (500 + others, 1), "{stray}");
        assert_eq!(readout.skipped[0].origin.line, 2);
    }
}

#[test]
fn an_overlong_line_is_named_in_every_format() {
    let long = "x,1".repeat(1_000_000);
    for (before, behind) in [("scenario,x\n", ""), ("<test-run><o>\n", "</o>"), ("talk\n", "")] {
        let readout = read(format!("{before}{long}\n{{scenario:\"Load_A\",x:1}}{behind}\n"));
        assert!(readout.skipped[0].reason.starts_with("the line is longer than "), "{before}");
        assert_eq!(readout.skipped[0].origin.line, 2, "{before}");
    }
}

#[test]
fn reasons_are_short_whatever_the_field() {
    let readout = read(format!("Load_A,Host x64,abc1234,-1,{},0,2\n", "é".repeat(100_000)));
    assert_eq!(readout.skipped[0].reason.chars().count(), 201);
}

#[test]
fn what_a_near_row_was_is_shown_as_it_was_written() {
    let readout = read("scenario,x,x\nLoad_A,\"one, two\",3\n");
    insta::assert_snapshot!(readout.skipped[1].text, @r#"Load_A,"one, two",3"#);
}

#[test]
fn rows_that_say_more_or_less_of_the_same_do_not_contradict_each_other() {
    let readout = read(
        "{scenario:\"Load_A\",x:1,y:2}\n{scenario:\"Load_A\",y:2,x:1}\n{scenario:\"Load_A\",x:1}\n\
         {scenario:\"Load_B\",x:1}\n{scenario:\"Load_B\",z:3,x:1}\n{scenario:\"Load_B\",z:-1}\n\
         {scenario:\"Load_C\",x:1}\n{scenario:\"Load_C\",x:2,y:1}\n{scenario:\"Load_C\",y:1,x:2}\n",
    );
    insta::assert_snapshot!(account(&readout), @"
    log:1 Load_A |  |  | -1 | x=1 y=2
    log:5 Load_B |  |  | -1 | z=3 x=1
    log:7 Load_C |  |  | -1 | x=1
    log:8 Load_C |  |  | -1 | x=2 y=1
    log:8 contradicts log:7: Load_C
    5 duplicates
    log: 9 of 9 lines (log)
    ");
}

#[test]
fn a_sign_that_opens_no_tag_is_text() {
    let readout = read(
        "<?xml version=\"1.0\"?>\n<test-run>\n<output>took < 5 ms\nLoad_A,Host x64,abc1234,-1,1.5,0,2\n</output>\n\
         <output>a <b then\nLoad_B,Host x64,abc1234,-1,1.5,0,2\n</output>\n\
         <property\n name=\"n\"\n value='Load_X,Host x64,abc1234,-1,1.5,0,2'/>\n\
         <output>Load_C,Host x64,abc1234,-1,1.5,0,2</output>\n</test-run>\n",
    );
    insta::assert_snapshot!(account(&readout), @"
    log:4 Load_A | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:7 Load_B | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log:12 Load_C | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log: 3 of 13 lines (xml)
    ");
}

#[test]
fn any_number_of_blank_lines_is_passed() {
    let (many, head) = ("\n".repeat(4 * 1024 * 1024), "\n".repeat(120 * 1024));
    let row = "Load_A,Host x64,abc1234,-1,1.5,0,2\n";
    let told = [
        format!("{many}{row}"),
        format!("{head}{{\"Load_A\":{{\"latency\":{{\"value\":1}}}}}}\n"),
        format!("x\n{head}<test-run><output>\n{row}</output></test-run>\n"),
    ]
    .map(|input| account(&read(input)));
    insta::assert_snapshot!(told.join("\n"), @"
    log:4194305 Load_A | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log: 1 of 4194305 lines (log)
    log:122881 Load_A |  |  | -1 | latency=1
    log: 1 of 122881 lines (bmf)
    log:122883 Load_A | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log: 1 of 122884 lines (xml)
    ");
}

#[test]
fn rows_behind_a_header_that_cannot_be_read_are_named() {
    let columns = ",x".repeat(1_500_000);
    let readout = read(format!("scenario{columns}\nLoad_A,1\n"));
    insta::assert_snapshot!(account(&readout), @"
    log:1 skipped: the line is longer than 2097152 bytes
    log:2 skipped: no header names its columns
    log: 0 of 2 lines (csv)
    ");
}
