//! iai.

use super::{account, common, read};

#[test]
fn counts_are_read_without_changes() {
    insta::assert_snapshot!(account("iai", "iai/report.txt"));
}

#[test]
fn lookalike_block_is_ignored() {
    let text = "\
bench_short
  Instructions:                1735 (+0.057670%)
  L1 Accesses:                 2364
  Estimated Cycles:            2404 (No change)

  Note: this is prose
Summary
  Elapsed: 12 s
";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 bench_short |  |  | -1 | instructions=1735 l1Accesses=2364 estimatedCycles=2404
    file: 1 of 8 lines (iai)
    ");
}

#[test]
fn truncated_block_is_reported() {
    let text =
        "bench_short\n  Instructions:                1735\n  L1 Accesses:                 2364\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 skipped: result of `bench_short` is cut off
    file: 0 of 3 lines (iai)
    ");
}

#[test]
fn other_lines_are_ignored() {
    for text in [
        "Core\n  Instructions:  1735\n  Cycles:  2000\n",
        "Core\n  Instructions:  17%\n  L1 Accesses:  5\n",
    ] {
        assert_eq!(read(text.as_bytes()).inputs[0].format, "log", "{text}");
    }
    let text = "\
bench_short
  Instructions:                1735
  L1 Accesses:                 2364
  L2 Accesses:                    1
  RAM Accesses:                   1
  Estimated Cycles:            2404
Summary
  Total: 5 (of 7)
";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 bench_short |  |  | -1 | instructions=1735 l1Accesses=2364 l2Accesses=1 ramAccesses=1 estimatedCycles=2404
    file: 1 of 8 lines (iai)
    ");
}
