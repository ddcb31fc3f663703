//! pyperf.

use super::{account, common, fixture, read};

#[test]
fn one_benchmark() {
    insta::assert_snapshot!(account("pyperf", "pyperf/one.json"));
}

#[test]
fn several_benchmarks() {
    insta::assert_snapshot!(common::account(&read(&fixture("pyperf/both.json"))));
}
