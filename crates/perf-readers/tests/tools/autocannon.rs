//! autocannon.

use super::{account, common, read};

#[test]
fn url_names_the_scenario() {
    insta::assert_snapshot!(account("autocannon", "autocannon/root.json"));
}

#[test]
fn title_names_the_scenario() {
    insta::assert_snapshot!(account("autocannon", "autocannon/titled.json"));
}

#[test]
fn no_response() {
    insta::assert_snapshot!(account("autocannon", "autocannon/refused.json"));
}

#[test]
fn url_is_shown_without_credentials() {
    let text = r#"Running 2s test @ http://me:secret@example.org/a?b=1
{"url":"http://me:secret@example.org/a?token=b@c","connections":10,"latency":{"mean":2.5,"p50":2,"p2_5":1,"p97_5":3.5},"requests":{"mean":5},"throughput":{},"errors":1,"non2xx":2}"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 http://example.org/a (10 connections) |  |  | -1 | requestsPerSecond=5 latencyMs=2.5 latencyP50Ms=2 latencyP97.5Ms=3.5 errors=1 httpErrors=2
    file: 1 of 2 lines (autocannon)
    ");
}
