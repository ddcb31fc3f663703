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

#[test]
fn dots_that_fill_up_a_name_are_left_out() {
    let text = "lookup x 1,000 ops/sec ±1.00% (9 runs sampled)\nadd... x 2,000 ops/sec ±1.00% (9 runs sampled)\n\
                ... x 3,000 ops/sec ±1.00% (9 runs sampled)\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 lookup |  |  | -1 | opsPerSecond=1000 opsPerSecond.lower=990 opsPerSecond.upper=1010
    file:2 add |  |  | -1 | opsPerSecond=2000 opsPerSecond.lower=1980 opsPerSecond.upper=2020
    file:3 ... |  |  | -1 | opsPerSecond=3000 opsPerSecond.lower=2970 opsPerSecond.upper=3030
    file: 3 of 3 lines (benchmarkjs)
    ");
}

#[test]
fn suites_below_different_titles_are_apart() {
    let suite = |title: &str, rate: &str| {
        format!(
            "{title}\n  native x {rate} ops/sec ±0.78% (94 runs sampled)\n  plain  x 5 ops/sec ±1.00% (90 runs sampled)\nFastest is native\n\n"
        )
    };
    let text = suite("Parse \"/a\"", "3,496,593") + &suite("Parse \"/\"", "9,808,119");
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
    let twice = suite("", "3,496,593") + &suite("", "3,396,593");
    insta::assert_snapshot!(common::account(&read(twice.as_bytes())));
}

#[test]
fn other_output_between_results_is_no_title() {
    let text = "> node bench.js\nparse x 100 ops/sec ±1.00% (90 runs sampled)\nGC pause 12\n\
        parse x 102 ops/sec ±1.00% (90 runs sampled)\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 parse |  |  | 0 | opsPerSecond=100 opsPerSecond.lower=99 opsPerSecond.upper=101
    file:4 parse |  |  | 1 | opsPerSecond=102 opsPerSecond.lower=100.98 opsPerSecond.upper=103.02
    1 further samples
    file: 2 of 4 lines (benchmarkjs)
    ");
}
