//! Go.

use super::{account, common, read};

#[test]
fn repeated_lines_are_samples_and_what_failed_says_so() {
    insta::assert_snapshot!(account("go", "go/fails.txt"));
}

#[test]
fn a_verbose_run_reads_the_same() {
    insta::assert_snapshot!(account("go", "go/verbose.txt"));
}

#[test]
fn a_name_and_its_result_come_in_two_events() {
    insta::assert_snapshot!(account("go", "go/events.jsonl"));
}

#[test]
fn numbers_of_processors_that_differ_stay_in_the_names() {
    insta::assert_snapshot!(account("go", "go/processors.txt"));
}

#[test]
fn packages_stay_apart_among_other_lines_and_units_are_declared() {
    insta::assert_snapshot!(account("go", "go/mixed.log"));
    let declared = read(&super::fixture("go/mixed.log")).declared;
    let told: Vec<String> = declared
        .iter()
        .map(|(name, declared)| {
            format!("{name}: {:?}, exact {}", declared.meaning.direction, declared.meaning.exact)
        })
        .collect();
    assert_eq!(
        told,
        ["goodness: Higher, exact false", "hit-rate: Higher, exact false", "ns/op: Lower, exact false"]
    );
}

#[test]
fn prose_is_no_result() {
    let text = "goos: plan9\ngoarch: mips\nBenchmark 10 of 20\nBenchmarking x: 5\nBenchmark\nBenchmarkX 7\n\
                BenchmarkY 1 2 3\nBenchmarkZ ten 5 ns/op\n--- FAIL: TestX (0.00s)\n{\"Action\":\"none\"}\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"file: 0 of 10 lines (go)");
}

#[test]
fn interleaved_packages_keep_their_lines() {
    let event = |package: &str, output: &str| {
        format!("{{\"Action\":\"output\",\"Package\":\"{package}\",\"Output\":\"{output}\"}}\n")
    };
    let events = [
        event("a", "pkg: a\\n"),
        event("b", "pkg: b\\n"),
        event("a", "BenchmarkX-4 \\t"),
        event("b", "BenchmarkX-4 \\t"),
        event("b", " 10\\t 2 ns/op\\n"),
        event("a", " 10\\t 1 ns/op\\n"),
        "{\"Action\":\"output\",\"Packa\n".to_owned(),
        event("a", "BenchmarkY-4 \\t"),
        "{\"Action\":\"fail\",\"Package\":\"a\"}\n".to_owned(),
    ];
    insta::assert_snapshot!(common::account(&read(events.concat().as_bytes())), @"
    file:4 b.BenchmarkX |  |  | 0 | ns/op=2
    file:3 a.BenchmarkX |  |  | 0 | ns/op=1
    file:7 skipped: the event is cut off, or no JSON
    file:8 skipped: the result of `BenchmarkY-4` is missing
    file: 2 of 9 lines (go)
    ");
}
