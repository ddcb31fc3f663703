//! Benchee, whose tables were written after its documentation and source.

use super::{account, common, fixture, read};

#[test]
fn times_of_inputs() {
    insta::assert_snapshot!(account("benchee", "benchee/times.txt"));
}

#[test]
fn memory_and_reductions_are_metrics_of_the_same_jobs() {
    insta::assert_snapshot!(common::account(&read(&fixture("benchee/table.txt"))));
}
