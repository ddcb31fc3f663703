//! Outputs other than the comment: job summary and messages.

use insta::assert_snapshot;

use crate::common::Case;

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
    warning: the job summary is full: the end of the report is left out
    note: the comment `perf` is updated: https://github.com/octo/quill/pull/5#issuecomment-1000001
    ");
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
