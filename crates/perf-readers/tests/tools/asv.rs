//! airspeed velocity.

use super::account;

#[test]
fn failed_and_left_out_benchmarks() {
    insta::assert_snapshot!(account("asv", "asv/results.json"));
}

#[test]
fn every_sample_is_a_row() {
    insta::assert_snapshot!(account("asv", "asv/samples.json"));
}
