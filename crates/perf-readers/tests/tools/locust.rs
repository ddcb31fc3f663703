//! Locust.

use super::{account, fixture, read};

#[test]
fn failed_requests() {
    insta::assert_snapshot!(account("locust", "locust/stats.csv"));
}

#[test]
fn other_files_say_where_the_numbers_are() {
    let error = read(&fixture("locust/history.csv")).require_rows().unwrap_err();
    assert!(error.hint.contains("*_stats.csv"), "{}", error.hint);
}
