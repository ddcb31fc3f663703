//! benchmark.js.

use super::account;

#[test]
fn rates_have_their_margins() {
    insta::assert_snapshot!(account("benchmarkjs", "benchmarkjs/three.txt"));
}
