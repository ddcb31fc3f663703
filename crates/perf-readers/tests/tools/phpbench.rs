//! PHPBench.

use super::account;

#[test]
fn every_iteration_is_a_process() {
    insta::assert_snapshot!(account("phpbench", "phpbench/dump.xml"));
}
