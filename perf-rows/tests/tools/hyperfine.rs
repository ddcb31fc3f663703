//! hyperfine.

use super::account;

#[test]
fn every_run_is_a_sample_and_parameters_are_in_the_name() {
    insta::assert_snapshot!(account("hyperfine", "hyperfine/two-commands.json"));
}
