//! hey and ghz, whose summaries were written after their documentation and source.

use super::account;

#[test]
fn titles_and_errors() {
    insta::assert_snapshot!(account("hey", "hey/two.txt"));
}

#[test]
fn ghz() {
    insta::assert_snapshot!(account("hey", "hey/ghz.txt"));
}

#[test]
fn ghz_json() {
    insta::assert_snapshot!(account("ghz", "hey/ghz.json"));
}

#[test]
fn command_names_the_summary() {
    let summary = "Summary:\n  Success rate:\t100.00%\n  Slowest:\t0.5 secs\n  Fastest:\t0.004 secs\n  Average:\t0.05 secs\n  Requests/sec:\t421.5\n\nResponse time distribution:\n  50.00% in 0.04 secs\n\n";
    let text = format!(
        "$ oha -c 20 http://localhost:3000/posts?token=1\n{summary}$ oha -c 20 http://localhost:3000/users\n{summary}"
    );
    insta::assert_snapshot!(super::common::account(&super::read(text.as_bytes())), @"
    file:2 oha http://localhost:3000/posts |  |  | -1 | requestsPerSecond=421.5 latencyMs=50 latencyMs.max=500 latencyMs.min=4 latencyP50Ms=40
    file:13 oha http://localhost:3000/users |  |  | -1 | requestsPerSecond=421.5 latencyMs=50 latencyMs.max=500 latencyMs.min=4 latencyP50Ms=40
    file: 2 of 22 lines (hey)
    ");
    insta::assert_snapshot!(super::common::account(&super::read(summary.as_bytes())), @"
    file:1 oha |  |  | -1 | requestsPerSecond=421.5 latencyMs=50 latencyMs.max=500 latencyMs.min=4 latencyP50Ms=40
    file: 1 of 10 lines (hey)
    ");
}
