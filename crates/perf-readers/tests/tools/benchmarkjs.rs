//! benchmark.js.

use super::{account, common, read};

#[test]
fn rates_have_their_margins() {
    insta::assert_snapshot!(account("benchmarkjs", "benchmarkjs/three.txt"));
}

#[test]
fn margins_are_read_in_other_encodings() {
    let text = b"Compiling: \nplain x 1,000 ops/sec +-10.00% (93 runs sampled)\n\
                 latin x 2,000 ops/sec \xb110.00% (93 runs sampled)\n\
                 odd x 3,000 ops/sec ~10.00% (93 runs sampled)\n\
                 3,000 ops/sec \xc2\xb110.00% (93 runs sampled)\n5 packets were (never sampled)\nthrows: \n";
    insta::assert_snapshot!(common::account(&read(text)), @"
    file:2 plain |  |  | -1 | opsPerSecond=1000 opsPerSecond.lower=900 opsPerSecond.upper=1100
    file:3 latin |  |  | -1 | opsPerSecond=2000 opsPerSecond.lower=1800 opsPerSecond.upper=2200
    file:4 skipped: not `name x N ops/sec ±N%`
    file:5 skipped: not `name x N ops/sec ±N%`
    file: 2 of 7 lines (benchmarkjs)
    ");
}
