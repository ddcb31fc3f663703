//! Rust's own harness.

use super::{account, common, fixture, read};

#[test]
fn failed_and_ignored_benchmarks_have_rows() {
    insta::assert_snapshot!(account("libtest", "libtest/outcomes.txt"));
}

#[test]
fn cargo_binary_disambiguates_equal_names() {
    insta::assert_snapshot!(account("libtest", "libtest/with-cargo.txt"));
    let text = "\
     Running unittests src/lib.rs (target/release/deps/one-0123456789abcdef)
test parse ... bench:           5 ns/iter (+/- 1)
     Running benches/two.rs (target/release/deps/two-0123456789abcdef)
test parse ... bench:           7 ns/iter (+/- 1)
";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @r"
    file:2 one::parse |  |  | -1 | timeNs=5 timeNs.lower=4 timeNs.upper=6
    file:4 two::parse |  |  | -1 | timeNs=7 timeNs.lower=6 timeNs.upper=8
    file: 2 of 4 lines (libtest)
    ");
}

#[test]
fn every_time_unit_becomes_nanoseconds() {
    let text = "\
test a ... bench:       3,161 ns/iter (+/- 975)
test b ... bench:        1.25 \u{b5}s/iter (+/- 0.05)
test c ... bench:           1 \u{3bc}s/iter (+/- 1)
test d ... bench:          22 ms/iter (+/- 22)
test e (with spaces) ... bench:   13,967,756.30 ns/iter (+/- 266,769.64) = 12 MB/s
";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @r"
    file:1 a |  |  | -1 | timeNs=3161 timeNs.lower=2186 timeNs.upper=4136
    file:2 b |  |  | -1 | timeNs=1250 timeNs.lower=1200 timeNs.upper=1300
    file:3 c |  |  | -1 | timeNs=1000 timeNs.lower=0 timeNs.upper=2000
    file:4 d |  |  | -1 | timeNs=22000000 timeNs.lower=0 timeNs.upper=44000000
    file:5 e (with spaces) |  |  | -1 | timeNs=13967756.3 timeNs.lower=13700986.66 timeNs.upper=14234525.94 bytesPerSecond=12000000
    file: 5 of 5 lines (libtest)
    ");
}

#[test]
fn truncated_line_is_reported_and_prose_is_not() {
    let text = "\
   Compiling shelf v0.1.0
test a ... bench:       3,161 ns/iter (+/- 975)
test b ... ignored, needs a network
test c ... ok
warning: unused variable
Shelf,linux x86_64,d07f3a2,-1,27960118.25,2,5000.084
test d ... bench:       3,1
";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 a |  |  | -1 | timeNs=3161 timeNs.lower=2186 timeNs.upper=4136
    file:6 Shelf | linux x86_64 | d07f3a2 | -1 | emitsPerSecond=27960118.25 allocatedBytesDelta=2 wallClockMs=5000.084
    file:3 b |  |  | -1 |  | skipped
    file:7 skipped: not `N ns/iter (+/- N)`
    file: 3 of 7 lines (libtest)
    ");
}

#[test]
fn rust_tools_may_share_a_log() {
    let files = [
        "libtest/outcomes.txt",
        "divan/table.txt",
        "criterion/report.txt",
        "gungraun/report.txt",
        "gungraun/summary-0.16.1.json",
        "iai/report.txt",
    ];
    let texts = files.map(fixture);
    let alone: usize = texts.iter().map(|text| read(text).rows.len()).sum();
    let together = read(&texts.join(&b"\n"[..]));
    assert_eq!(
        (together.rows.len(), together.skipped_count),
        (alone, 0),
        "{}",
        common::account(&together)
    );
}

#[test]
fn ignored_unit_tests_are_not_benchmarks() {
    let text = "\
     Running unittests src/lib.rs (target/release/deps/one-0123456789abcdef)
running 2 tests
test parses_nothing ... ignored
test parses_a_lot ... ignored
test result: ok. 0 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s
     Running benches/two.rs (target/release/deps/two-0123456789abcdef)
running 2 tests
test needs_a_server ... ignored
test parse ... bench:           7 ns/iter (+/- 1)
test result: ok. 0 passed; 0 failed; 1 ignored; 1 measured; 0 filtered out; finished in 0.31s
";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:9 two::parse |  |  | -1 | timeNs=7 timeNs.lower=6 timeNs.upper=8
    file:8 two::needs_a_server |  |  | -1 |  | skipped
    file: 2 of 10 lines (libtest)
    ");
}

#[test]
fn missing_tests_are_reported() {
    let text = "\
running 2 tests
test parse ... bench:           5 ns/iter (+/- 1)
test print ... ok
test result: ok. 1 passed; 0 failed; 0 ignored; 1 measured; 0 filtered out; finished in 0.31s
running 5 tests
.....
test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
running 3 tests
test write ... bench:           7 ns/iter (+/- 1)
";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 parse |  |  | -1 | timeNs=5 timeNs.lower=4 timeNs.upper=6
    file:9 write |  |  | -1 | timeNs=7 timeNs.lower=6 timeNs.upper=8
    file:8 skipped: 3 tests announced, 1 read
    file: 2 of 9 lines (libtest)
    ");
}

#[test]
fn other_units_are_metrics_of_their_own() {
    let text = "test a ... bench:       1,234 cycles/iter (+/- 56) = 3 MS/s\ntest b ... bench:   12 bogo/iter (+/- 1)\n\
                test c ... bench:   12 n!s/iter (+/- 1)\n";
    let report = read(text.as_bytes());
    insta::assert_snapshot!(common::account(&report), @"
    file:1 a |  |  | -1 | cycles=1234 cycles.lower=1178 cycles.upper=1290 S/s=3000000
    file:2 b |  |  | -1 | bogo=12 bogo.lower=11 bogo.upper=13
    file:3 skipped: not `N ns/iter (+/- N)`
    file: 2 of 3 lines (libtest)
    ");
    let direction = |name: &str| {
        report
            .declared
            .get(name)
            .map(|declared| declared.meaning.direction)
    };
    assert_eq!(
        direction("bogo"),
        Some(perf_model::metric::Direction::Lower)
    );
}
