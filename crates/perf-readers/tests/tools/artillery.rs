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
