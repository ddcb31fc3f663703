//! Files of Valgrind's tools.

use super::account;

#[test]
fn callgrind() {
    insta::assert_snapshot!(account("callgrind", "valgrind/callgrind.out"));
}

#[test]
fn cachegrind() {
    insta::assert_snapshot!(account("callgrind", "valgrind/cachegrind.out"));
}

#[test]
fn dhat() {
    insta::assert_snapshot!(account("dhat", "valgrind/dhat.json"));
}
