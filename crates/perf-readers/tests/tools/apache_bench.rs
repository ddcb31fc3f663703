//! ab.

use super::account;

#[test]
fn runs_and_errors() {
    insta::assert_snapshot!(account("ab", "ab/three.txt"));
}
