//! hey, and ghz's JSON. The outputs are modelled on their documentation and source.

use super::account;

#[test]
fn titles_and_errors() {
    insta::assert_snapshot!(account("hey", "hey/two.txt"));
}

#[test]
fn ghz_json() {
    insta::assert_snapshot!(account("ghz", "hey/ghz.json"));
}

#[test]
fn command_names_the_summary() {
    let summary = "Summary:\n  Slowest:\t0.5 secs\n  Fastest:\t0.004 secs\n  Average:\t0.05 secs\n  Requests/sec:\t421.5\n\nLatency distribution:\n  50% in 0.04 secs\n\n";
    let text = format!(
        "$ hey -c 20 http://localhost:3000/posts?token=1\n{summary}$ hey -c 20 http://localhost:3000/users\n{summary}"
    );
    insta::assert_snapshot!(super::common::account(&super::read(text.as_bytes())), @"
    file:2 hey http://localhost:3000/posts |  |  | -1 | requestsPerSecond=421.5 latencyMs=50 latencyMs.max=500 latencyMs.min=4 latencyP50Ms=40
    file:12 hey http://localhost:3000/users |  |  | -1 | requestsPerSecond=421.5 latencyMs=50 latencyMs.max=500 latencyMs.min=4 latencyP50Ms=40
    file: 2 of 20 lines (hey)
    ");
}
