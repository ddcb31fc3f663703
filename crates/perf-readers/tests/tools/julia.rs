//! BenchmarkTools.

use super::{account, common, read};

#[test]
fn samples_of_trials() {
    insta::assert_snapshot!(account("julia", "julia/trials.json"));
}

#[test]
fn estimates() {
    insta::assert_snapshot!(account("julia", "julia/estimates.json"));
}

#[test]
fn saved_trial_needs_no_group() {
    let text = r#"[{"Julia":"1.12.0","BenchmarkTools":"1.6.0"},[["Trial",{"times":[2.5,null],"gctimes":[0],"allocs":3,"memory":96}],["Parameters",{"seconds":5}]]]"#;
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 trial | Julia 1.12 |  | 0 | timeNs=2.5 gcTimeNs=0
    file:1 trial | Julia 1.12 |  | -1 | allocatedBytes=96 allocations=3
    file:1 skipped: no metric has a value
    file: 2 of 1 lines (julia)
    ");
    let of_parameters =
        read(br#"[{"Julia":"1.12.0","BenchmarkTools":"1.6.0"},[["Parameters",{"seconds":5}]]]"#);
    insta::assert_debug_snapshot!(of_parameters.inputs[0].nearest, @r#"
    Some(
        (
            "julia",
            "was saved by BenchmarkTools, but has neither `BenchmarkGroup` nor `Trial`",
        ),
    )
    "#);
}

#[test]
fn printed_group_is_read() {
    let trial =
        r#"{"times":[2.5,3],"gctimes":[0,0],"allocs":3,"memory":96,"params":{"seconds":5.0}}"#;
    let typed = format!(
        r#"["BenchmarkGroup",{{"data":{{"b":["BenchmarkGroup",{{"data":{{"c":["Trial",{trial}]}},"tags":[]}}],"a":["TrialEstimate",{{"time":5,"gctime":0,"memory":8,"allocs":1}}]}},"tags":[]}}]"#
    );
    insta::assert_snapshot!(common::account(&read(typed.as_bytes())), @"
    file:1 a |  |  | -1 | timeNs=5 gcTimeNs=0 allocatedBytes=8 allocations=1
    file:1 b/c |  |  | 0 of launch 1 | timeNs=2.5 gcTimeNs=0
    file:1 b/c |  |  | 1 of launch 1 | timeNs=3 gcTimeNs=0
    file:1 b/c |  |  | -1 | allocatedBytes=96 allocations=3
    file: 4 of 1 lines (julia)
    ");
}
