//! A baseline that is not there yet is no error; one that is damaged must never pass for one that is not there.

use end_to_end::encode::{crlf, gzip, utf16_le};
use end_to_end::{Outcome, Project};
use insta::assert_snapshot;

const ROW: &str = "Parse,linux x64,0123abcd,-1,100.000,0,1000.000,0\n";
const HEADER: &str =
    "scenario,platform,commit,runIndex,emitsPerSecond,gcAllocations,wallClockMs,gcAllocatedBytes\n";

fn project() -> Project {
    Project::empty().with("run.log", ROW)
}

fn compared(baseline: impl AsRef<[u8]>) -> Outcome {
    project().with("base.csv", baseline).run("render-perf-deltas --input run.log --baseline-csv base.csv")
}

#[test]
fn a_missing_baseline_is_skipped_and_says_so() {
    let project = project();
    let line = "render-perf-deltas --input run.log --baseline-csv base.csv --output deltas.md --json report.json --exit-code";
    assert_snapshot!(project.run(line), @"
    exit 0
    --- stdout
    changed=false
    regressed=false
    improved=0
    inconclusive=0
    missing=0
    new=0
    not-comparable=0
    compared=0
    unmeasured=0
    waived=0
    confirm=0
    failed=
    --- stderr
    warning: No baseline to compare with: there is no base.csv yet.
    --- files
    + deltas.md
    + report.json
    ");
    assert_snapshot!(project.text("deltas.md"), @"No baseline to compare with: there is no base.csv yet.");
    assert_snapshot!(project.text("report.json"), @r#"
    {
      "version": 1,
      "skipped": "No baseline to compare with: there is no base.csv yet.",
      "changed": false,
      "regressed": false,
      "compared": 0,
      "improved": 0,
      "inconclusive": 0,
      "notComparable": 0,
      "waived": 0,
      "warned": 0,
      "missing": 0,
      "new": 0,
      "tolerance": 0.02,
      "regressionThreshold": 0.33,
      "baselineCommits": [],
      "currentCommits": [],
      "unmeasured": 0,
      "repeats": {
        "needed": 0,
        "given": 0
      },
      "tested": 0,
      "blind": [],
      "waivers": [],
      "scopes": [],
      "notes": []
    }
    "#);
}

#[test]
fn a_baseline_of_a_header_alone_is_skipped_too() {
    assert_snapshot!(compared(HEADER), @"
    exit 0
    --- stdout
    changed=false
    regressed=false
    improved=0
    inconclusive=0
    missing=0
    new=0
    not-comparable=0
    compared=0
    unmeasured=0
    waived=0
    confirm=0
    failed=
    --- stderr
    warning: No baseline to compare with: base.csv has no rows yet.
    ");
    for header in [HEADER.trim_end(), &crlf(HEADER), "scenario,decodeNs\n"] {
        let outcome = compared(header);
        assert_eq!(outcome.out(), compared(HEADER).out(), "{header:?}");
    }
}

#[test]
fn a_missing_folder_is_a_missing_baseline() {
    let outcome = project().run("render-perf-deltas --input run.log --baseline-csv docs/perf/base.csv");
    assert_snapshot!(outcome, @"
    exit 0
    --- stdout
    changed=false
    regressed=false
    improved=0
    inconclusive=0
    missing=0
    new=0
    not-comparable=0
    compared=0
    unmeasured=0
    waived=0
    confirm=0
    failed=
    --- stderr
    warning: No baseline to compare with: there is no docs/perf/base.csv yet.
    ");
}

#[test]
fn a_baseline_in_another_encoding_is_one() {
    let baseline = format!("{HEADER}{ROW}");
    let expected = compared(&baseline);
    for content in [crlf(&baseline).into_bytes(), gzip(baseline.as_bytes()), utf16_le(&baseline)] {
        assert_eq!(compared(content).out(), expected.out());
    }
    assert!(expected.out().contains("compared=1"), "{expected}");
}

#[test]
fn an_empty_baseline_is_damaged() {
    assert_snapshot!(compared(""), @"
    exit 2
    --- stderr
    error: `base.csv` is no baseline: its first line is no header with a column `scenario`
    hint: a damaged baseline must not pass for none: restore it, or write it again with `extract-perf-baseline --replace`
    ");
    assert_snapshot!(compared("\n\n"), @"
    exit 2
    --- stderr
    error: `base.csv` is no baseline: its first line is no header with a column `scenario`
    hint: a damaged baseline must not pass for none: restore it, or write it again with `extract-perf-baseline --replace`
    ");
}

#[test]
fn a_baseline_with_a_broken_row_is_damaged() {
    assert_snapshot!(compared(format!("{HEADER}{ROW}{}", ROW.replace("100.000", "1oo.000"))), @"
    exit 2
    --- stderr
    error: base.csv:3: `1oo.000` is not a number (column `emitsPerSecond`)
    hint: a damaged baseline must not pass for none: restore it, or write it again with `extract-perf-baseline --replace`
    ");
    assert_snapshot!(compared(format!("{HEADER}{}", &ROW[..40])), @"
    exit 2
    --- stderr
    error: base.csv:2: 7 columns instead of 8
    hint: a damaged baseline must not pass for none: restore it, or write it again with `extract-perf-baseline --replace`
    ");
    assert_snapshot!(compared(format!("{HEADER}<<<<<<< HEAD\n{ROW}=======\n{ROW}>>>>>>> main\n")), @"
    exit 2
    --- stderr
    error: base.csv:2: 1 columns instead of 8, and 2 more such lines
    hint: a damaged baseline must not pass for none: restore it, or write it again with `extract-perf-baseline --replace`
    ");
}

#[test]
fn a_baseline_of_something_else_is_damaged() {
    assert_snapshot!(compared("<!DOCTYPE html>\n<html><body>404: Not Found</body></html>\n"), @"
    exit 2
    --- stderr
    error: `base.csv` is no baseline: its first line is no header with a column `scenario`
    hint: a damaged baseline must not pass for none: restore it, or write it again with `extract-perf-baseline --replace`
    ");
    assert_snapshot!(compared("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"), @"
    exit 2
    --- stderr
    error: `base.csv` is no baseline: its first line is no header with a column `scenario`
    hint: a damaged baseline must not pass for none: restore it, or write it again with `extract-perf-baseline --replace`
    ");
    assert_snapshot!(compared([0u8, 159, 146, 150, 0, 0, 10, 0, 255]), @"
    exit 2
    --- stderr
    error: `base.csv` is no baseline: its first line is no header with a column `scenario`
    hint: a damaged baseline must not pass for none: restore it, or write it again with `extract-perf-baseline --replace`
    ");
    assert_snapshot!(compared("{\"rows\": []}"), @"
    exit 2
    --- stderr
    error: `base.csv` is no baseline: its first line is no header with a column `scenario`
    hint: a damaged baseline must not pass for none: restore it, or write it again with `extract-perf-baseline --replace`
    ");
    assert_snapshot!(compared(&gzip(HEADER.as_bytes())[..20]), @"
    exit 2
    --- stderr
    error: cannot read `base.csv`: gzip data ends early
    ");
}

#[test]
fn a_baseline_that_is_a_folder_is_an_error() {
    let project = project().with("base/base.csv", "");
    assert_snapshot!(project.run("render-perf-deltas --input run.log --baseline-csv base"), @"
    exit 2
    --- stderr
    error: `base` is a folder without results
    hint: looked in it and below for `new/{benchmark.json,estimates.json,sample.json}` (criterion) and `summary.json` (gungraun); name other files one by one
    ");
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_no_missing_baseline() {
    let project = project();
    std::os::unix::fs::symlink("gone.csv", project.path("base.csv")).unwrap();
    assert_snapshot!(project.run("render-perf-deltas --input run.log --baseline-csv base.csv"), @"
    exit 2
    --- stderr
    error: `base.csv` is a link to `gone.csv`, which does not exist
    ");
}

#[cfg(unix)]
#[test]
fn an_unreadable_baseline_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let project = project().with("base.csv", format!("{HEADER}{ROW}"));
    std::fs::set_permissions(project.path("base.csv"), std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(project.path("base.csv")).is_ok() {
        return; // the superuser reads everything
    }
    assert_snapshot!(project.run("render-perf-deltas --input run.log --baseline-csv base.csv"), @"
    exit 2
    --- stderr
    error: cannot read `base.csv`: Permission denied (os error 13)
    ");
}

#[test]
fn a_baseline_of_unlisted_scenarios_is_not_one_without_rows() {
    let project = project().with("base.csv", format!("{HEADER}{}", ROW.replace("Parse", "Renamed")));
    project.write("perf-gate.toml", "rows.unlisted = 'drop'\nscenarios = [{ key = 'Parse' }]\n");
    let outcome = project.run("render-perf-deltas --input run.log --baseline-csv base.csv --exit-code");
    assert!(!outcome.stderr.contains("has no rows"), "{outcome}");
    assert!(outcome.stderr.contains("`Renamed` is not in the config"), "{outcome}");
    assert_eq!(
        outcome.out(),
        "changed=false\nregressed=false\nimproved=0\ninconclusive=0\nmissing=0\nnew=1\nnot-comparable=0\n\
         compared=0\nunmeasured=0\nwaived=0\nconfirm=0\nfailed=nothing-compared\n"
    );
    assert_eq!(outcome.code, Some(1), "nothing was compared: {outcome}");
}

#[test]
fn rows_of_a_baseline_that_do_not_count_are_told() {
    let other_commit = ROW.replace("0123abcd", "89abcdef");
    let contradiction = ROW.replace("100.000", "200.000");
    for rows in [other_commit, contradiction] {
        let outcome = compared(format!("{HEADER}{ROW}{rows}"));
        assert!(outcome.out().contains("compared=1"), "{outcome}");
        assert!(outcome.stderr.contains("base"), "which rows count is said: {outcome}");
    }
}

#[test]
fn nothing_is_written_when_the_baseline_is_damaged() {
    let project = project().with("base.csv", "oops").with("deltas.md", "old").with("report.json", "old");
    let outcome = project.run(
        "render-perf-deltas --input run.log --baseline-csv base.csv --output deltas.md --json report.json",
    );
    assert_eq!((outcome.code, outcome.files.len(), outcome.out()), (Some(2), 0, ""), "{outcome}");
}

#[test]
fn a_baseline_may_come_through_a_pipe() {
    let tool = project().with("x", "");
    let outcome = tool
        .tool("render-perf-deltas --input run.log --baseline-csv -")
        .stdin(format!("{HEADER}{ROW}"))
        .run();
    assert_snapshot!(outcome, @"
    exit 0
    --- stdout
    changed=false
    regressed=false
    improved=0
    inconclusive=0
    missing=0
    new=0
    not-comparable=0
    compared=1
    unmeasured=0
    waived=0
    confirm=0
    failed=
    --- stderr
    note: No regression in 1 scenario compared.
    ");
    let outcome = tool.tool("render-perf-deltas --input run.log --baseline-csv -").stdin("").run();
    assert_snapshot!(outcome, @"
    exit 2
    --- stderr
    error: `<stdin>` is no baseline: its first line is no header with a column `scenario`
    hint: a damaged baseline must not pass for none: restore it, or write it again with `extract-perf-baseline --replace`
    ");
}
