//! Artillery.

use super::{account, fixture, read};

#[test]
fn version_2() {
    insta::assert_snapshot!(account("artillery", "artillery/report.json"));
}

#[test]
fn version_1() {
    insta::assert_snapshot!(account("artillery", "artillery/report-1.json"));
}

/// What every ten seconds print is left out.
#[test]
fn summary_on_the_terminal() {
    insta::assert_snapshot!(account("artillery-text", "artillery/console.txt"));
}

#[test]
fn summary_of_the_first_version() {
    insta::assert_snapshot!(account("artillery-text", "artillery/console-1.txt"));
}

/// What follows is the log's own.
#[test]
fn text_behind_the_summary() {
    let report = fixture("artillery/console.txt");
    let more = [&report[..], b"\nProcess completed with exit code: 1\n"].concat();
    assert_eq!(read(&more).rows, read(&report).rows);
}
