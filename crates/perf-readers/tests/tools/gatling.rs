//! Gatling.

use super::account;

#[test]
fn requests_in_groups() {
    insta::assert_snapshot!(account("gatling", "gatling/stats.json"));
}

#[test]
fn all_requests() {
    insta::assert_snapshot!(account("gatling", "gatling/global_stats.json"));
}
