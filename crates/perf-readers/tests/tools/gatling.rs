//! Gatling.

use super::{account, account_of_sums};

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

/// The rate is of the whole time in whole seconds, as in Gatling's report.
#[test]
fn requests_of_a_log() {
    insta::assert_snapshot!(account_of_sums("gatling-log", "gatling/simulation.log"));
}

#[test]
fn log_of_the_second_version() {
    insta::assert_snapshot!(account_of_sums("gatling-log", "gatling/simulation-2.log"));
}
