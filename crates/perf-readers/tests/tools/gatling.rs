//! Gatling.

use super::{account, account_of_sums, fixture, read};

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

/// A name is no time, whatever digits it has.
#[test]
fn digits_in_the_name_of_a_request() {
    let log = String::from_utf8(fixture("gatling/simulation.log")).unwrap();
    let name = log
        .lines()
        .find(|line| line.starts_with("REQUEST\t"))
        .unwrap()
        .split('\t')
        .nth(2)
        .unwrap();
    let renamed = log.replace(&format!("\t{name}\t"), "\t20240101123000\t");
    let rates = |log: &str| {
        read(log.as_bytes())
            .rows
            .into_iter()
            .map(|row| row.metrics)
            .collect::<Vec<_>>()
    };
    assert_eq!(rates(&renamed), rates(&log));
    assert_ne!(renamed, log);
}
