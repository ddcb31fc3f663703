//! tinybench's table on a terminal.

use super::account;

#[test]
fn margins_and_failures() {
    insta::assert_snapshot!(account("tinybench-text", "tinybench/table.txt"));
}

#[test]
fn version_2() {
    insta::assert_snapshot!(account("tinybench-text", "tinybench/table-2.txt"));
}
