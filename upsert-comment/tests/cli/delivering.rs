//! Outputs other than the comment: job summary, annotations and messages.

use insta::assert_snapshot;

use crate::common::{self, Case};

/// A JSON report with this number of regressions.
fn report(regressions: usize) -> String {
    let labels: Vec<String> = (1..=regressions)
        .map(|at| format!("S{at}, 100 %: odd\n::error::x"))
        .collect();
    let all: Vec<_> = labels
        .iter()
        .map(|label| (label.as_str(), "speed", "40 % less"))
        .collect();
    common::report("Player", &all)
}

#[test]
fn job_summary_contains_whole_report() {
    let case = Case::new();
    assert_eq!(case.post("one\n", "").summary, "one\n");
    assert_eq!(case.post("two\n", "").summary, "one\n\n\ntwo\n");
    assert_eq!(
        case.post("three\n", "--no-summary").summary,
        "one\n\n\ntwo\n"
    );
}

#[test]
fn nearly_full_job_summary_gets_shortened_report() {
    let case = Case::new();
    case.write("summary.md", &"x".repeat(1024 * 1024 - 200));
    let rows = "| S | unchanged |\n".repeat(100);
    let outcome = case.post(&format!("Fine.\n\n| S | V |\n| - | - |\n{rows}"), "");
    assert!(outcome.summary.len() <= 1024 * 1024);
    assert!(outcome.summary.contains("\n\nFine.\n\n"));
    assert_eq!((outcome.code, outcome.action()), (Some(0), "created"));
    assert_snapshot!(outcome.stderr, @"
    warning: the job summary is full: the end of the report is left out
    note: the comment `perf` is created: https://github.com/octo/quill/pull/5#issuecomment-1000001
    ");
    case.write("summary.md", &"x".repeat(1024 * 1024));
    let outcome = case.post("Fine.", "");
    assert_snapshot!(outcome.stderr, @"
    warning: the job summary is full: the report is left out
    note: the comment `perf` is updated: https://github.com/octo/quill/pull/5#issuecomment-1000001
    ");
}

#[test]
fn regressions_are_annotated_up_to_the_limit() {
    let case = Case::new();
    case.write("report.json", &report(2));
    assert_snapshot!(case.post("x", "--annotate warning --report report.json --quiet"), @r"
    exit 0
    --- stdout
    ::warning title=S1%2C 100 %25%3A odd\n%3A%3Aerror%3A%3Ax regressed::speed: 40 %25 less
    ::warning title=S2%2C 100 %25%3A odd\n%3A%3Aerror%3A%3Ax regressed::speed: 40 %25 less
    comment-url=https://github.com/octo/quill/pull/5#issuecomment-1000001
    comment-id=1000001
    action=created
    ");
    case.write("report.json", &report(30));
    let outcome = case.post("x", "--annotate error --report report.json");
    let annotations: Vec<&str> = outcome
        .stdout
        .lines()
        .filter(|line| line.starts_with("::error "))
        .collect();
    assert_eq!(
        (annotations.len(), annotations[9]),
        (
            10,
            "::error title=More regressions::21 more: see the report"
        )
    );
}

/// Like `--report <(…)` in a shell.
#[cfg(unix)]
#[test]
fn report_can_be_read_from_a_pipe() {
    let case = Case::new();
    let pipe = case.path("pipe");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let writer = std::thread::spawn(move || std::fs::write(pipe, report(30)));
    let outcome = case.post("x", "--annotate error --report pipe");
    assert_eq!(
        (outcome.code, outcome.stdout.matches("::error ").count()),
        (Some(0), 10)
    );
    writer.join().unwrap().unwrap();
}

#[test]
fn wrong_usage_fails_before_any_request() {
    let case = Case::new();
    assert_snapshot!(case.run("--key perf"), @"
    exit 2
    --- stderr
    error: no report to post
    hint: pass it with `--body-file`, or delete the comment with `--mode delete`
    ");
    std::fs::write(case.path("latin.md"), b"# Speed\nschnell gepr\xfcft\n").unwrap();
    assert_snapshot!(case.run("--key perf --body-file latin.md"), @"
    exit 2
    --- stderr
    error: `latin.md` is not UTF-8: line 2, byte offset 20
    ");
    assert_snapshot!(case.run("--key perf --body-file none.md"), @"
    exit 2
    --- stderr
    error: `none.md` does not exist
    ");
    assert_snapshot!(case.post(" \n", ""), @"
    exit 2
    --- stderr
    error: nothing to post: `report.md` is empty
    hint: delete the comment with `--mode delete` when there is nothing to report
    ");
    case.write("report.json", "{}");
    assert_snapshot!(case.post("x", "--report report.json --annotate warning"), @"
    exit 2
    --- stderr
    error: invalid report `report.json`: missing field `version` at line 1 column 2
    ");
    for arguments in [
        "--key a/b",
        "--key perf --pr 0",
        "--key perf --repo octo",
        "--key perf --head main",
        "",
    ] {
        assert_eq!(
            case.run(&format!("{arguments} --body-file report.md")).code,
            Some(2),
            "{arguments}"
        );
    }
    assert_eq!((case.writes(), case.bodies()), (vec![], vec![]));
}
