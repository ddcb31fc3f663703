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

#[test]
fn summaries_on_the_terminal() {
    insta::assert_snapshot!(account("gatling-text", "gatling/console.txt"));
}
