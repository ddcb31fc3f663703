//! BenchmarkDotNet.

use super::account;

#[test]
fn the_full_export() {
    insta::assert_snapshot!(account("benchmarkdotnet", "benchmarkdotnet/full.json"));
}

#[test]
fn the_brief_export() {
    insta::assert_snapshot!(account("benchmarkdotnet", "benchmarkdotnet/brief.json"));
}

#[test]
fn old_version() {
    insta::assert_snapshot!(account("benchmarkdotnet", "benchmarkdotnet/old.json"));
}
