//! sysbench.

use super::account;

#[test]
fn tests_of_all_kinds() {
    insta::assert_snapshot!(account("sysbench", "sysbench/tests.txt"));
}
