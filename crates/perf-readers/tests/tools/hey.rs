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
