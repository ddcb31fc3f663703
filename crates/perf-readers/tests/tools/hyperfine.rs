//! hyperfine.

use super::{account, common, read};

#[test]
fn every_run_is_a_sample_and_parameters_are_in_the_name() {
    insta::assert_snapshot!(account("hyperfine", "hyperfine/two-commands.json"));
}

#[test]
fn secrets_in_commands_are_hidden() {
    let text = r#"{"results": [{"command": "sync --token abc /home/ann/x", "mean": 1.5,
"parameters": {"api_key": "abc", "size": 5}}]}"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 sync --token *** ~/x (api_key=***, size=5) |  |  | -1 | timeS=1.5
    file: 1 of 2 lines (hyperfine)
    ");
}
