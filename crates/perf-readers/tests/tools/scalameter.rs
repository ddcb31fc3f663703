//! ScalaMeter.

use super::{account, common, read};

#[test]
fn parameters_memory_and_old_versions() {
    insta::assert_snapshot!(account("scalameter", "scalameter/console.txt"));
}

/// Short times have an exponent; what follows a block is the log's own.
#[test]
fn short_times_and_text_behind_a_block() {
    let text = "::Benchmark List.head::\ncores: 4\nname: OpenJDK\nParameters(size -> 10): 9.5E-4 ms\n\nTime: 3 s\n\
                scenario,platform,commit,runIndex,timeNs\nLoad,x64,abc1234,-1,1.5\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}
