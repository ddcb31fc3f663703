//! Repeated measurements: one tool's output from several runs.

use crate::common::{account, read, read_with};
use perf_readers::ParseReport;

fn inputs(texts: &[&str]) -> ParseReport {
    const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
    let inputs: Vec<_> = NAMES
        .into_iter()
        .zip(texts.iter().map(|text| text.as_bytes()))
        .collect();
    read_with("", &inputs)
}

fn libtest(parse: u32, write: u32) -> String {
    format!(
        "test parse ... bench: {parse} ns/iter (+/- 0)\ntest write ... bench: {write} ns/iter (+/- 0)\n"
    )
}

#[test]
fn outputs_of_several_runs_are_samples() {
    // An equally fast run is also a sample.
    let report = inputs(&[&libtest(5, 70), &libtest(5, 71), &libtest(6, 71)]);
    insta::assert_snapshot!(account(&report), @"
    a:1 parse |  |  | 0 | timeNs=5 timeNs.lower=5 timeNs.upper=5
    a:2 write |  |  | 0 | timeNs=70 timeNs.lower=70 timeNs.upper=70
    b:1 parse |  |  | 1 | timeNs=5 timeNs.lower=5 timeNs.upper=5
    b:2 write |  |  | 1 | timeNs=71 timeNs.lower=71 timeNs.upper=71
    c:1 parse |  |  | 2 | timeNs=6 timeNs.lower=6 timeNs.upper=6
    c:2 write |  |  | 2 | timeNs=71 timeNs.lower=71 timeNs.upper=71
    4 further samples
    a: 2 of 2 lines (libtest)
    b: 2 of 2 lines (libtest)
    c: 2 of 2 lines (libtest)
    ");
    let log = read([libtest(5, 70), libtest(5, 71), libtest(6, 71)].join("and again\n"));
    assert_eq!((log.rows, log.repeated), (report.rows, 4));
}

#[test]
fn equal_measurements_of_several_runs_are_samples() {
    let run = |ns: u32| format!("test parse ... bench: {ns} ns/iter (+/- 0)\n");
    let runs = [18, 18, 19, 18, 18].map(run);
    let report = inputs(&[&runs[0], &runs[1], &runs[2], &runs[3], &runs[4]]);
    assert_eq!((report.rows.len(), report.duplicates), (5, 0));
    assert_eq!(read(runs.join("and again\n")).rows, report.rows);
}

#[test]
fn identical_output_with_many_digits_is_a_duplicate() {
    let run = |parse: &str| {
        format!(
            "test parse ... bench: {parse} ns/iter (+/- 0)\ntest write ... bench: 70,123 ns/iter (+/- 0)\n"
        )
    };
    let (first, second) = (run("5,123,456.25"), run("5,123,457.25"));
    let report = inputs(&[&first, &second, &second, &first]);
    let runs: Vec<i64> = report.rows.iter().map(|row| row.run_index).collect();
    assert_eq!(
        (runs, report.duplicates, report.repeated),
        (vec![0, 0, 1, 1], 4, 2)
    );
    let once = inputs(&[&first, &first]);
    assert_eq!(
        (
            once.rows.len(),
            once.rows[0].run_index,
            once.duplicates,
            once.repeated
        ),
        (2, -1, 2, 0)
    );
    let printed_again = read(format!(
        "{first}in short:\ntest parse ... bench: 5,123,456.25 ns/iter (+/- 0)\n"
    ));
    assert_eq!((printed_again.rows.len(), printed_again.duplicates), (2, 1));
}

#[test]
fn equal_counts_of_several_runs_are_samples() {
    let run = |count: u32| format!("scenario,instructions\nparse,{count}\n");
    let runs = [1_234_567_890, 1_234_567_890, 1_234_567_891].map(run);
    assert_eq!(inputs(&[&runs[0], &runs[1], &runs[2]]).rows.len(), 3);
}

#[test]
fn rows_equal_in_the_decimals_of_a_baseline_are_one() {
    let report = read(
        "open,P,c0ffee1,0,100.0004,0,5000.0004,0\n{scenario:\"open\",platform:\"P\",commit:\"c0ffee1\",runIndex:0,emitsPerSecond:100.0001,gcAllocations:0,wallClockMs:5000,gcAllocatedBytes:0}\n",
    );
    assert_eq!(
        (
            report.rows.len(),
            report.duplicates,
            report.conflicts().count()
        ),
        (1, 1, 0)
    );
}

#[test]
fn document_with_fewer_metrics_is_another_run() {
    let whole = "scenario,timeNs,memBytes\nA,5.125625,7\nB,9.125625,8\n";
    let other = inputs(&[whole, "scenario,timeNs\nA,5.125625\nB,10\n"]);
    assert_eq!((other.rows.len(), other.repeated), (4, 2));
}

#[test]
fn integer_and_float_with_equal_bits_differ() {
    let one = |value: &str| format!(r#"[{{"name": "open", "unit": "ns", "value": {value}}}]"#);
    let report = inputs(&[&one("5.5"), &one("4617878467915022336")]);
    assert_eq!(
        (
            report.rows.len(),
            report.repeated,
            report.conflicts().count()
        ),
        (2, 1, 0)
    );
}

#[test]
fn samples_of_later_runs_are_appended() {
    let run = |times: &str, user: &str| {
        format!(
            r#"{{"results": [{{"command": "open", "mean": 1.5, "user": {user}, "times": {times}}}]}}"#
        )
    };
    let (first, second) = (run("[1.0, 2.0]", "0.5"), run("[1.5, 1.75, 1.25]", "0.25"));
    let report = inputs(&[&first, &second]);
    insta::assert_snapshot!(account(&report), @"
    a:1 open |  |  | 1 | timeS=1
    a:1 open |  |  | 2 | timeS=2
    a:1 open |  |  | 0 | userS=0.5
    b:1 open |  |  | 4 | timeS=1.5
    b:1 open |  |  | 5 | timeS=1.75
    b:1 open |  |  | 6 | timeS=1.25
    b:1 open |  |  | 3 | userS=0.25
    4 further samples
    a: 3 of 1 lines (hyperfine)
    b: 4 of 1 lines (hyperfine)
    ");
    assert_eq!(read(format!("{first}\n{second}\n")).rows, report.rows);
}

#[test]
fn one_input_may_hold_several_documents() {
    let custom = |ms: u32| format!(r#"[{{"name": "open", "unit": "ms", "value": {ms}}}]"#);
    let k6 = |ms: u32| {
        format!(
            r#"{{"metrics": {{"iteration_duration": {{"avg": {ms}}}}}, "root_group": {{"checks": {{}}}}}}"#
        )
    };
    let pytest = |s: u32| {
        format!(
            r#"{{"machine_info": {{}}, "commit_info": {{}}, "benchmarks": [{{"name": "open", "stats": {{"median": {s}, "data": []}}}}]}}"#
        )
    };
    let julia = |ns: u32| {
        format!(
            r#"[{{"Julia": "1.10.2", "BenchmarkTools": "1.0.0"}},
[["BenchmarkGroup", {{"data": {{"open": ["TrialEstimate", {{"time": {ns}}}]}}}}]]]"#
        )
    };
    for document in [&custom as &dyn Fn(u32) -> String, &k6, &pytest, &julia] {
        let report = read([5, 6, 7].map(document).join("\n"));
        let runs: Vec<i64> = report.rows.iter().map(|row| row.run_index).collect();
        assert_eq!(
            (runs, report.conflicts().count()),
            (vec![0, 1, 2], 0),
            "{}",
            document(5)
        );
    }
    // In the same document, an equal name is another benchmark.
    let twice = r#"[{"name": "open", "unit": "ms", "value": 1}, {"name": "open", "unit": "ms", "value": 2}]"#;
    assert_eq!(read(twice).numbered, ["open #2".into()]);
}

#[test]
fn different_metrics_of_one_run_are_merged() {
    let time = |ms: u32| format!(r#"[{{"name": "open", "unit": "ms", "value": {ms}}}]"#);
    let size = |mb: u32| format!(r#"[{{"name": "open", "unit": "MB", "value": {mb}}}]"#);
    let report = inputs(&[&time(5), &size(70), &time(6), &size(71), &time(5)]);
    insta::assert_snapshot!(account(&report), @"
    a:1 open |  |  | 0 | timeMs=5 MB=70
    c:1 open |  |  | 1 | timeMs=6 MB=71
    e:1 open |  |  | 2 | timeMs=5
    3 further samples
    a: 1 of 1 lines (custom)
    b: 1 of 1 lines (custom)
    c: 1 of 1 lines (custom)
    d: 1 of 1 lines (custom)
    e: 1 of 1 lines (custom)
    ");
    let one = inputs(&[&time(5), &size(70)]);
    assert_eq!(
        (one.rows.len(), one.rows[0].run_index, one.merged),
        (1, -1, 1)
    );
}

#[test]
fn failed_run_is_no_sample() {
    let failed = "test parse ... FAILED\ntest write ... bench: 72 ns/iter (+/- 0)\n";
    let report = inputs(&[&libtest(5, 70), failed, &libtest(6, 71)]);
    insta::assert_snapshot!(account(&report), @"
    a:1 parse |  |  | 0 | timeNs=5 timeNs.lower=5 timeNs.upper=5
    a:2 write |  |  | 0 | timeNs=70 timeNs.lower=70 timeNs.upper=70
    b:2 write |  |  | 1 | timeNs=72 timeNs.lower=72 timeNs.upper=72
    c:1 parse |  |  | 1 | timeNs=6 timeNs.lower=6 timeNs.upper=6
    c:2 write |  |  | 2 | timeNs=71 timeNs.lower=71 timeNs.upper=71
    3 further samples
    a: 2 of 2 lines (libtest)
    b: 2 of 2 lines (libtest)
    c: 2 of 2 lines (libtest)
    ");
}

#[test]
fn different_tools_do_not_repeat_each_other() {
    let other = r#"[{"name": "parse", "unit": "ns", "value": 6}]"#;
    let report = inputs(&["test parse ... bench: 5 ns/iter (+/- 0)\n", other]);
    assert_eq!((report.repeated, report.conflicts().count()), (0, 1));
}

#[test]
fn explicit_run_index_is_kept() {
    let csv = |x: u32| format!("scenario,runIndex,x\nLoad_A,-1,{x}\n");
    assert_eq!(inputs(&[&csv(1), &csv(2)]).conflicts().count(), 1);
    let said = |x: u32| format!("{{scenario:\"Load_A\",runIndex:0,x:{x}}}\n");
    assert_eq!(inputs(&[&said(1), &said(2)]).conflicts().count(), 1);
    for unsaid in [
        "scenario,x\nLoad_A,1\n",
        "scenario,runIndex,x\nLoad_A,,1\n",
        "{scenario:\"Load_A\",x:1}\n",
    ] {
        let report = inputs(&[unsaid, &unsaid.replace('1', "2")]);
        let runs: Vec<i64> = report.rows.iter().map(|row| row.run_index).collect();
        assert_eq!(
            (runs, report.conflicts().count()),
            (vec![0, 1], 0),
            "{unsaid}"
        );
    }
    let twice = read("{scenario:\"Load_A\",x:1}\n{scenario:\"Load_A\",x:2}\n");
    assert_eq!((twice.conflicts().count(), twice.numbered.len()), (1, 0));
}
