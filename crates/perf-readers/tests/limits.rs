//! Limits, so that a baseline can store every row and no input needs much memory or time.

use crate::common::{account, read};
use perf_config::Config;
use perf_readers::baseline;

#[test]
fn row_that_a_baseline_cannot_hold_is_malformed() {
    let long = "x".repeat(1100);
    let report = read(format!(
        "{{scenario:\"\",x:1}}\n{{scenario:\" Load_A \",platform:\" h \",commit:\"\\tc\",machineClass:\" \",x:1}}\n\
         {{scenario:\"Load_B\",Platform:5,x:1}}\n{{scenario:\"Scenario\",x:1}}\n{{scenario:\"{long}\",x:1}}\n\
         {{scenario:\"Load_C\",{long}:1}}\n"
    ));
    insta::assert_snapshot!(account(&report), @"
    log:2 Load_A | h | c | -1 | x=1
    log:3 Load_B | 5 |  | -1 | x=1
    log:1 skipped: empty scenario
    log:4 skipped: invalid scenario `Scenario`: it is a column name
    log:5 skipped: a field is longer than 1024 bytes
    log:6 skipped: missing key
    log: 2 of 6 lines (log)
    ");
}

#[test]
fn row_without_values_is_a_row_in_every_format() {
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
    log:1 skipped: no metric
    log: 0 of 1 lines (log)
    ");
}

#[test]
fn metrics_per_run_are_limited() {
    let row = |row: usize| {
        let metrics: Vec<String> = (0..200)
            .map(|metric| format!("m{row}x{metric}:1"))
            .collect();
        format!("{{scenario:\"Load_{row}\",{}}}\n", metrics.join(","))
    };
    let rows: Vec<String> = (0..20).map(row).collect();
    let report = read(rows.concat());
    assert_eq!((report.rows.len(), report.skipped_count), (1, 19));
    insta::assert_snapshot!(report.skipped().next().unwrap().text, @r#"metric `m1x56` ignored: limit is 256 metrics: `{scenario:"Load_1",m1x0:1,m1x1:1,m1x2:1,m1x3:1,m1x4:1,m1x5:1,m1x6:1,m1x7:1,m1x8:`"#);
    let written = baseline::write(&report.rows, &[], &Config::default()).unwrap();
    assert_eq!(read(&written).skipped().count(), 0);
}

#[test]
fn spread_does_not_count_as_metric() {
    const ENDS: [&str; 5] = ["", ".lower", ".upper", ".stddev", ".max"];
    let columns = |metric: usize| ENDS.map(|end| format!(",m{metric}{end}")).concat();
    let columns: String = (0..260).rev().map(columns).collect();
    let report = read(format!(
        "scenario{columns}\nLoad_A{}\n",
        ",1".repeat(260 * ENDS.len())
    ));
    assert_eq!(report.rows[0].metrics.iter().count(), 256 * ENDS.len());
    insta::assert_snapshot!(account(&report).lines().nth(1).unwrap(), @"log:1 skipped: 20 columns ignored: limit is 256 metrics");
    let written = baseline::write(&report.rows, &[], &Config::default()).unwrap();
    assert_eq!(read(&written).rows, report.rows);
}

#[test]
fn columns_beyond_the_limit_are_counted() {
    let columns: Vec<String> = (0..2000).map(|column| format!(",m{column}")).collect();
    let columns = columns.concat();
    let ones = ",1".repeat(2000);
    let report = read(format!(
        "scenario{columns},machineClass\nLoad_A{ones},box\n"
    ));
    assert_eq!(report.rows[0].metrics.iter().count(), 256);
    assert_eq!(report.rows[0].machine_class.as_deref(), Some("box"));
    insta::assert_snapshot!(report.skipped().map(|skipped| &*skipped.text).collect::<String>(), @"1744 columns ignored: limit is 256 metrics");
}

#[test]
fn stray_quote_skips_only_its_line() {
    let rows: Vec<String> = (0..500).map(|row| format!("Load_{row},{row}\n")).collect();
    let rows = rows.concat();
    for (stray, closing) in [
        ("\"Stray,1\n", ""),
        ("\"Stray\"x,1\n", ""),
        ("\"Stray,1\n", "Other\",2\n"),
    ] {
        let report = read(format!("scenario,x\n{stray}{rows}{closing}"));
        let others = usize::from(!closing.is_empty());
        assert_eq!(
            (report.rows.len(), report.skipped().count()),
            (500 + others, 1),
            "{stray}"
        );
        assert_eq!(report.skipped().next().unwrap().line.unwrap(), 2);
    }
}

#[test]
fn overlong_line_is_reported_in_every_format() {
    let long = "x,1".repeat(1_000_000);
    for (before, behind) in [
        ("scenario,x\n", ""),
        ("<test-run><o>\n", "</o>"),
        ("talk\n", ""),
    ] {
        let report = read(format!(
            "{before}{long}\n{{scenario:\"Load_A\",x:1}}{behind}\n"
        ));
        assert!(
            report
                .skipped()
                .next()
                .unwrap()
                .text
                .starts_with("line is longer than "),
            "{before}"
        );
        assert_eq!(
            report.skipped().next().unwrap().line.unwrap(),
            2,
            "{before}"
        );
    }
}

#[test]
fn reason_is_truncated() {
    let report = read(format!(
        "Load_A,Host x64,abc1234,-1,{},0,2\n",
        "é".repeat(100_000)
    ));
    assert_eq!(report.skipped().next().unwrap().text.chars().count(), 258);
}

#[test]
fn malformed_row_is_quoted_verbatim() {
    let report = read("scenario,x,x\nLoad_A,\"one, two\",3\n");
    insta::assert_snapshot!(report.skipped().nth(1).unwrap().text, @r#"invalid number `one, two` (column `x`): `Load_A,"one, two",3`"#);
}

#[test]
fn rows_with_more_or_fewer_metrics_do_not_conflict() {
    let report = read(
        "{scenario:\"Load_A\",x:1,y:2}\n{scenario:\"Load_A\",y:2,x:1}\n{scenario:\"Load_A\",x:1}\n\
         {scenario:\"Load_B\",x:1}\n{scenario:\"Load_B\",z:3,x:1}\n{scenario:\"Load_B\",z:-1}\n\
         {scenario:\"Load_C\",x:1}\n{scenario:\"Load_C\",x:2,y:1}\n{scenario:\"Load_C\",y:1,x:2}\n",
    );
    insta::assert_snapshot!(account(&report), @"
    log:1 Load_A |  |  | -1 | x=1 y=2
    log:5 Load_B |  |  | -1 | z=3 x=1
    log:7 Load_C |  |  | -1 | x=1
    log:8 Load_C |  |  | -1 | x=2 y=1
    log:8 conflicts with line 7: Load_C
    5 duplicates
    log: 9 of 9 lines (log)
    ");
}

#[test]
fn less_than_sign_without_tag_is_reported() {
    let report = read(
        "<?xml version=\"1.0\"?>\n<test-run>\n<output>took < 5 ms\nLoad_A,Host x64,abc1234,-1,1.5,0,2\n</output>\n\
         <output>a <b then\nLoad_B,Host x64,abc1234,-1,1.5,0,2\n</output>\n\
         <property\n name=\"n\"\n value='Load_X,Host x64,abc1234,-1,1.5,0,2'/>\n\
         <output>Load_C,Host x64,abc1234,-1,1.5,0,2</output>\n</test-run>\n",
    );
    insta::assert_snapshot!(account(&report), @"
    log:3 skipped: malformed XML (a `<` that opens no tag): the markup after it is not read
    log: 0 of 13 lines (xml)
    ");
}

#[test]
fn blank_lines_are_skipped_in_linear_time() {
    let (many, head) = ("\n".repeat(4 * 1024 * 1024), "\n".repeat(120 * 1024));
    let row = "Load_A,Host x64,abc1234,-1,1.5,0,2\n";
    let reports = [
        format!("{many}{row}"),
        format!("{head}{{\"Load_A\":{{\"latency\":{{\"value\":1}}}}}}\n"),
        format!("x\n{head}<test-run><output>\n{row}</output></test-run>\n"),
    ]
    .map(|input| account(&read(input)));
    insta::assert_snapshot!(reports.join("\n"), @"
    log:4194305 Load_A | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log: 1 of 4194305 lines (log)
    log:122881 Load_A |  |  | -1 | latency=1
    log: 1 of 122881 lines (bmf)
    log:122883 Load_A | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    log: 1 of 122884 lines (xml)
    ");
}

#[test]
fn rows_below_an_unreadable_header_are_reported() {
    let columns = ",x".repeat(1_500_000);
    let report = read(format!("scenario{columns}\nLoad_A,1\n"));
    insta::assert_snapshot!(account(&report), @"
    log:1 skipped: line is longer than 2097152 bytes
    log:2 skipped: no header before this row
    log: 0 of 2 lines (csv)
    ");
}

#[test]
fn numbers_are_names_in_structured_rows() {
    let report = read(
        "{scenario:\"Load_A\",platform:7,commit:0123456,x:1}\n{scenario:\"Load_B\",commit:null,x:1}\n",
    );
    insta::assert_snapshot!(account(&report), @"
    log:1 Load_A | 7 | 0123456 | -1 | x=1
    log:2 Load_B |  |  | -1 | x=1
    log: 2 of 2 lines (log)
    ");
}

#[test]
fn a_baseline_holds_every_run_index_that_is_read() {
    let google = |index: i64| {
        format!(
            r#"{{"context":{{"date":"2031-03-04T09:14:10+00:00","num_cpus":2}},"benchmarks":[{{"name":"Load/repeats:9","run_name":"Load/repeats:9","run_type":"iteration","repetitions":9,"repetition_index":{index},"iterations":10,"real_time":1.5,"cpu_time":1.25,"time_unit":"ns"}}]}}"#
        )
    };
    for (index, is_read) in [
        (0, true),
        (1_200_000, true),
        (999_999_999, true),
        (1_000_000_000, false),
        (-7, false),
    ] {
        let report = read(google(index));
        assert_eq!(
            (report.rows.len(), report.skipped_count),
            (usize::from(is_read), u64::from(!is_read)),
            "{index}"
        );
        let written = baseline::write(&report.rows, &[], &Config::default()).unwrap();
        assert_eq!(read(&written).rows, report.rows, "{index}");
    }
    let report = read(google(-7));
    insta::assert_snapshot!(report.skipped().next().unwrap().text, @"invalid run index `-7`: `Load/repeats:9`");
}

#[test]
fn number_that_rounds_to_unmeasured_keeps_its_digits() {
    let rows = read("{scenario:\"Load_A\",wallClockMs:-0.99996,x:-1.0001}\n").rows;
    let written = baseline::write(&rows, &[], &Config::default()).unwrap();
    insta::assert_snapshot!(written, @r"
    scenario,platform,commit,runIndex,wallClockMs,x
    Load_A,,,-1,-0.99996,-1.0001
    ");
    assert_eq!(read(&written).rows, rows);
}

#[test]
fn row_that_would_be_a_workflow_command_is_quoted() {
    let rows =
        read("{scenario:\"::error::x\",platform:\"::y\",x:1}\n{scenario:\"a,\\n::b\",x:1}\n").rows;
    let written = baseline::write(&rows, &[], &Config::default()).unwrap();
    insta::assert_snapshot!(written, @r#"
    scenario,platform,commit,runIndex,x
    "::error::x",::y,,-1,1
    "a,
    ::b",,,-1,1
    "#);
    assert_eq!(read(&written).rows, rows);
}

#[test]
fn deeply_nested_xml_is_reported() {
    for root in [
        "test-run",
        "testsuites",
        "testResults",
        "Catch2TestRun",
        "phpbench",
        "other",
    ] {
        let text = format!(
            "<?xml version=\"1.0\"?>\n<{root}>\n{}Load_A,Host x64,abc1234,-1,1.5,0,2\n",
            "<a>\n".repeat(600)
        );
        let report = read(&text);
        assert!(
            report.skipped().any(|row| row.text.contains("nested")),
            "{}",
            account(&report)
        );
    }
}

#[test]
fn input_of_more_than_256_mb_is_an_error() {
    let config = Config::default();
    let mut collector = perf_readers::Collector::new(&config);
    let error = collector.read("log", &mut std::io::repeat(b'\n'));
    insta::assert_snapshot!(error.unwrap_err(), @"it is larger than 256 MB: keep only the result lines, for example with `grep`");
}
