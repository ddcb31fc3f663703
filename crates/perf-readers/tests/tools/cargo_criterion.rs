//! cargo criterion.

use super::{account, common, read};

#[test]
fn every_sample_is_a_row_with_its_throughput() {
    insta::assert_snapshot!(account("cargo-criterion", "cargo-criterion/messages.jsonl"));
}

#[test]
fn messages_are_found_among_other_lines() {
    let text = r#"{"reason":"compiler-artifact","target":{"name":"shelf"}}
{"reason":"benchmark-complete","id":"walk","iteration_count":[2,4],"measured_values":[10,22],"unit":"cycles","throughput":[{"per_iteration":8,"unit":"bytes"}]}
{"reason":"group-complete","group_name":"walk","benchmarks":["walk"]}
{"reason":"benchmark-complete","id":"none","iteration_count":[],"measured_values":[],"unit":"ns","throughput":[]}
{"reason":"benchmark-complete","id":"odd","iteration_count":[0],"measured_values":[5],"unit":"ns","throughput":[]}
{"reason":"benchmark-complete","id":"cut","iteration_count":[1,2"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 walk |  |  | 0 of launch 1 | cycles=5
    file:2 walk |  |  | 1 of launch 1 | cycles=5.5
    file:4 skipped: a value has no iteration count
    file:5 skipped: a value has no iteration count
    file:6 skipped: JSON is cut off here
    file: 2 of 6 lines (cargo-criterion)
    ");
}
