//! Samples from one process and from several.

use crate::common::{account, read, read_with};
use perf_config::Config;
use perf_readers::{ParseReport, baseline};

const RUN: &str =
    "goos: linux\npkg: codec\nBenchmarkA-8\t100\t18 ns/op\nBenchmarkA-8\t100\t19 ns/op\nPASS\n";

fn launches(report: &ParseReport) -> Vec<Option<u32>> {
    report
        .rows
        .iter()
        .map(|row| row.launch.map(u32::from))
        .collect()
}

#[test]
fn repetitions_in_one_process_are_one_launch() {
    assert_eq!(launches(&read(RUN)), [Some(1), Some(1)]);
    let again = RUN.replace("18 ns", "20 ns");
    let two = [Some(1), Some(1), Some(2), Some(2)];
    assert_eq!(launches(&read(format!("{RUN}{again}"))), two);
    assert_eq!(
        launches(&read_with(
            "",
            &[("a", RUN.as_bytes()), ("b", again.as_bytes())]
        )),
        two
    );
}

#[test]
fn processes_and_single_repetitions_have_no_launch_index() {
    let timed = r#"{"results": [{"command": "open", "mean": 1.5, "times": [1.0, 2.0]}]}"#;
    assert_eq!(launches(&read(timed)), [None, None]);
    let once = RUN.replace("BenchmarkA-8\t100\t19 ns/op\n", "");
    let next = once.replace("18 ns", "21 ns");
    assert_eq!(
        launches(&read_with(
            "",
            &[("a", once.as_bytes()), ("b", next.as_bytes())]
        )),
        [None, None]
    );
}

#[test]
fn launches_survive_the_baseline() {
    let again = RUN.replace("18 ns", "20 ns");
    let rows = "scenario,runIndex,x\nown,0,1\nown,1,2\n";
    let inputs =
        [("a", RUN), ("b", &again), ("c", rows)].map(|(name, text)| (name, text.as_bytes()));
    let report = read_with("", &inputs);
    let written = baseline::write(&report.rows, &[], &Config::default()).unwrap();
    insta::assert_snapshot!(written, @"
    scenario,platform,commit,runIndex,ns/op,x,launchIndex
    codec.BenchmarkA,linux,,0,18,-1,1
    codec.BenchmarkA,linux,,1,19,-1,1
    codec.BenchmarkA,linux,,2,20,-1,2
    codec.BenchmarkA,linux,,3,19,-1,2
    own,,,0,-1,1,
    own,,,1,-1,2,
    ");
    let reread = read(&written);
    assert_eq!(launches(&reread), launches(&report));
    assert_eq!(
        baseline::write(&reread.rows, &[], &Config::default()).unwrap(),
        written
    );
}

#[test]
fn a_launch_index_is_a_positive_number() {
    let report = read(
        "scenario,runIndex,launchIndex,x\na,0,,1\na,1,0,1\na,2,-1,1\n{scenario:\"a\",launchIndex:x,x:1}\n",
    );
    insta::assert_snapshot!(account(&report), @"
    log:2 a |  |  | 0 | x=1
    log:3 skipped: invalid launch index `0`
    log:4 skipped: invalid launch index `-1`
    log:5 skipped: 3 columns, expected 4
    log: 1 of 5 lines (csv)
    ");
}
