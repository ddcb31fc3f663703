//! iai.

use super::{account, common, read};

#[test]
fn counts_are_read_without_how_they_changed() {
    insta::assert_snapshot!(account("iai", "iai/report.txt"));
}

#[test]
fn what_only_looks_like_a_block_is_left_alone() {
    let text = "\
bench_short
  Instructions:                1735 (+0.057670%)
  L1 Accesses:                 2364
  Estimated Cycles:            2404 (No change)

  Note: this is prose
Summary
  Elapsed: 12 s
";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @r"
    file:1 bench_short |  |  | -1 | instructions=1735 l1Accesses=2364 estimatedCycles=2404
    file: 1 of 8 lines (iai)
    ");
}
