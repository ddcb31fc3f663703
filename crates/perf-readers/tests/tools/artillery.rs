//! Artillery.

use super::account;

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
