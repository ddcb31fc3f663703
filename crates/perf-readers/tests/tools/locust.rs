//! Locust.

use super::{account, common, fixture, read};

#[test]
fn failed_requests() {
    insta::assert_snapshot!(account("locust", "locust/stats.csv"));
}

#[test]
fn other_files_say_where_the_numbers_are() {
    let error = read(&fixture("locust/history.csv"))
        .require_rows()
        .unwrap_err();
    assert!(error.hint.contains("_stats.csv"), "{}", error.hint);
}

#[test]
fn requests_of_all_rows_are_those_of_their_sum() {
    let text = "Type,Name,Request Count,Failure Count,Median Response Time,Average Response Time,Min Response Time,Max Response Time,Average Content Size,Requests/s,Failures/s\nGET,/a,10,0,5,5.5,1,9,100,2.5,0\nGET,/b,20,0,5,5.5,1,9,100,5,0\n,Aggregated,31,0,5,5.5,1,9,100,7.5,0\n";
    let report = read(text.as_bytes());
    insta::assert_snapshot!(common::account(&report), @"
    file:2 GET /a |  |  | -1 | requestsPerSecond=2.5 latencyMs=5.5 latencyMs.min=1 latencyMs.max=9 latencyP50Ms=5 contentBytes=100 errors=0
    file:3 GET /b |  |  | -1 | requestsPerSecond=5 latencyMs=5.5 latencyMs.min=1 latencyMs.max=9 latencyP50Ms=5 contentBytes=100 errors=0
    file:4 Aggregated |  |  | -1 | requestsPerSecond=7.5 latencyMs=5.5 latencyMs.min=1 latencyMs.max=9 latencyP50Ms=5 contentBytes=100 errors=0
    file:4 skipped: 31 requests announced, 30 read
    file: 3 of 4 lines (locust)
    ");
}
