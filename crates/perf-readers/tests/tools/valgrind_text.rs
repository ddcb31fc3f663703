//! Valgrind's tools on the terminal.

use super::account;

#[test]
fn counts_of_every_tool() {
    insta::assert_snapshot!(account("valgrind", "valgrind/terminal.txt"));
}
