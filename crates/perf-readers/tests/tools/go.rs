//! Go.

use super::{account, common, read};

#[test]
fn repeated_lines_are_samples_and_failures_are_kept() {
    insta::assert_snapshot!(account("go", "go/fails.txt"));
}

#[test]
fn verbose_output_reads_the_same() {
    insta::assert_snapshot!(account("go", "go/verbose.txt"));
}

#[test]
fn name_and_result_may_come_in_two_events() {
    insta::assert_snapshot!(account("go", "go/events.jsonl"));
}

#[test]
fn differing_gomaxprocs_stays_in_names() {
    insta::assert_snapshot!(account("go", "go/processors.txt"));
}

#[test]
fn packages_stay_apart_and_units_are_declared() {
    insta::assert_snapshot!(account("go", "go/mixed.log"));
    let declared = read(&super::fixture("go/mixed.log")).declared;
    let declarations: Vec<String> = declared
        .iter()
        .map(|(name, declared)| {
            format!(
                "{name}: {:?}, exact {}",
                declared.meaning.direction, declared.meaning.exact
            )
        })
        .collect();
    assert_eq!(
        declarations,
        [
            "goodness: Higher, exact false",
            "hit-rate: Higher, exact false",
            "ns/op: Lower, exact false"
        ]
    );
}

#[test]
fn prose_is_not_a_result() {
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
    file:7 skipped: event is cut off or not JSON
    file:8 skipped: missing result of `BenchmarkY-4`
    file: 2 of 9 lines (go)
    ");
}

#[test]
fn failure_after_first_round_is_reported() {
    let text = "pkg: a\nBenchmarkLate-2 \t--- FAIL: BenchmarkLate-2\n    a_test.go:5: too late\n\
                --- FAIL: BenchmarkFirst\nBenchmarkLeft-2 \t--- SKIP: BenchmarkLeft-2\n\
                BenchmarkLost-2 \t--- FAIL: BenchmarkOther-2\nBenchmarkChatty-2 \tnote\n--- FAIL: BenchmarkChatty\n\
                BenchmarkFine-2 \t 10\t 5 ns/op\nFAIL\ta\t0.1s\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 a.BenchmarkLate |  |  | 0 |  | failed
    file:4 a.BenchmarkFirst |  |  | 0 |  | failed
    file:5 a.BenchmarkLeft |  |  | 0 |  | skipped
    file:6 a.BenchmarkOther |  |  | 0 |  | failed
    file:8 a.BenchmarkChatty |  |  | 0 |  | failed
    file:9 a.BenchmarkFine |  |  | 0 | ns/op=5
    file:6 skipped: missing result of `BenchmarkLost-2`
    file: 6 of 10 lines (go)
    ");
}

#[test]
fn names_do_not_depend_on_other_packages() {
    let text = "pkg: a\nBenchmarkX-4 \t 10\t 1 ns/op\npkg: b\nBenchmarkX \t 10\t 2 ns/op\nBenchmarkRead/size-10 \t 10\t 3 ns/op\n\
                pkg: c\nBenchmarkRead/size-10 \t 10\t 4 ns/op\nBenchmarkRead/size-10 \t 10\t 5 ns/op\n\
                pkg: d\nBenchmarkRead/small-8 \t 10\t 6 ns/op\nBenchmarkRead/large-8 \t 10\t 7 ns/op\n\
                pkg: e\nBenchmarkX-8 \t--- FAIL: BenchmarkX-8\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 a.BenchmarkX |  |  | 0 | ns/op=1
    file:4 b.BenchmarkX |  |  | 0 | ns/op=2
    file:5 b.BenchmarkRead/size-10 |  |  | 0 | ns/op=3
    file:7 c.BenchmarkRead/size-10 |  |  | 0 of launch 1 | ns/op=4
    file:8 c.BenchmarkRead/size-10 |  |  | 1 of launch 1 | ns/op=5
    file:10 d.BenchmarkRead/small |  |  | 0 | ns/op=6
    file:11 d.BenchmarkRead/large |  |  | 0 | ns/op=7
    file:13 e.BenchmarkX |  |  | 0 |  | failed
    file: 8 of 13 lines (go)
    ");
}

#[test]
fn invalid_number_is_reported() {
    let text = "pkg: a\nBenchmarkInf \t 10\t +Inf ns/op\t 5 B/op\nBenchmarkNaN \t 10\t NaN ns/op\n\
                BenchmarkWord \t 10\t abc ns/op\nBenchmarkSpaces 10 1.2.3 ns/op\nBenchmarkNone \t 0\t NaN ns/op\n\
                BenchmarkHuge \t 10\t 1e999 ns/op\nBenchmarkProse 10 of them\n\
                BenchmarkLater \t5 of 12 and/or 7\n 10\t Inf ns/op\t 2 B/op\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 a.BenchmarkInf |  |  | 0 | B/op=5
    file:6 a.BenchmarkNone |  |  | 0 |  | skipped
    file:9 a.BenchmarkLater |  |  | 0 | B/op=2
    file:2 skipped: number is not finite: `+Inf` (unit `ns/op`)
    file:3 skipped: number is not finite: `NaN` (unit `ns/op`)
    file:4 skipped: invalid number `abc` (unit `ns/op`)
    file:5 skipped: invalid number `1.2.3` (unit `ns/op`)
    file:7 skipped: number is not finite: `1e999` (unit `ns/op`)
    file:10 skipped: number is not finite: `Inf` (unit `ns/op`)
    file: 3 of 10 lines (go)
    ");
}

#[test]
fn package_without_end_is_reported() {
    let package = |name: &str| {
        format!("goos: linux\ngoarch: arm64\npkg: {name}\nBenchmarkX-4 \t 10\t 1 ns/op\n")
    };
    let whole = |name: &str| format!("{}PASS\nok  \t{name}\t1.2s\n", package(name));
    insta::assert_snapshot!(common::account(&read((whole("a") + &package("b")).as_bytes())), @"
    file:4 a.BenchmarkX | linux/arm64 |  | 0 | ns/op=1
    file:10 b.BenchmarkX | linux/arm64 |  | 0 | ns/op=1
    file:9 skipped: output of `b` is cut off: no `PASS` or `FAIL` line
    file: 2 of 10 lines (go)
    ");
    assert_eq!(read(package("a").as_bytes()).skipped_count, 1);
    // If a filter removed the last lines of packages, it removed all of them.
    assert_eq!(
        read((package("a") + &package("b")).as_bytes()).skipped_count,
        0
    );
    let event = |output: &str| {
        format!("{{\"Action\":\"output\",\"Package\":\"a\",\"Output\":{output:?}}}\n")
    };
    let events: String = package("a").split_inclusive('\n').map(event).collect();
    assert_eq!(read(events.as_bytes()).skipped_count, 1);
    assert_eq!(
        read((events + &event("PASS\n")).as_bytes()).skipped_count,
        0
    );
}

#[test]
fn truncated_unit_line_is_reported() {
    let text = "goos: linux\ngoarch: arm64\nUnit p99 better=lower assu\nUnit p50 better=sideways\nUnit tests are next\n\
                BenchmarkX \t 10\t 1 p99\t 2 tests\n";
    let report = read(text.as_bytes());
    insta::assert_snapshot!(common::account(&report), @"
    file:6 BenchmarkX | linux/arm64 |  | 0 | p99=1 tests=2
    file:3 skipped: unknown unit attribute `assu`
    file:4 skipped: unknown unit attribute `better=sideways`
    file: 1 of 6 lines (go)
    ");
    assert_eq!(
        report
            .declared
            .keys()
            .map(|name| &**name)
            .collect::<Vec<_>>(),
        ["p99", "p50"]
    );
}

#[test]
fn configuration_lines_come_in_any_order() {
    let text = "pkg: a\ngoarch: arm64\ngoos: linux\ncpu: M1\nBenchmarkX-4 \t 10\t 1 ns/op\n\
                pkg: b\ngoos: darwin\nBenchmarkX-4 \t 10\t 1 ns/op\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:5 a.BenchmarkX | linux/arm64 |  | 0 on m1 | ns/op=1
    file:8 b.BenchmarkX | darwin |  | 0 | ns/op=1
    file: 2 of 8 lines (go)
    ");
}

#[test]
fn distinguishing_labels_are_in_names() {
    let text = "note: before\nbranch: main\ngoos: linux\npkg: a\nBenchmarkX-4 \t 10\t 1 ns/op\nBenchmarkY-4 \t 10\t 1 ns/op\nPASS\n\
                note: after\ngoos: linux\npkg: a\nBenchmarkX-4 \t 10\t 5 ns/op\nBenchmarkX-4 \t 10\t 6 ns/op\nwarning: slow\nelapsed: 3s\nPASS\n\
                bench: Load_A,Host x64,abc1234,-1,1.5,0,2\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:16 Load_A | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    file:5 a.BenchmarkX (note: before) | linux |  | 0 | ns/op=1
    file:6 a.BenchmarkY (note: before) | linux |  | 0 | ns/op=1
    file:11 a.BenchmarkX (note: after) | linux |  | 0 of launch 1 | ns/op=5
    file:12 a.BenchmarkX (note: after) | linux |  | 1 of launch 1 | ns/op=6
    file: 5 of 16 lines (go)
    ");
    // A label with a single value distinguishes nothing.
    assert_eq!(
        &*read(text.replace("after", "before").as_bytes()).rows[1].scenario,
        "a.BenchmarkX"
    );
}

#[test]
fn results_far_apart_are_reported() {
    let report = read(b"pkg: a\nBenchmarkX-4 \t 10\t 10 ns/op\nBenchmarkX-4 \t 10\t 21 ns/op\nBenchmarkX-4 \t 10\t 30 ns/op\n");
    let warnings: Vec<String> = report
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect();
    insta::assert_snapshot!(warnings.join("\n"), @"1 benchmark with measurements far apart, read as samples of one benchmark: give different benchmarks different names");
}

#[test]
fn processors_behind_a_number_are_no_part_of_a_name() {
    let of = |line: &str| {
        read(format!("pkg: a\n{line} \t 10\t 1 ns/op\n").as_bytes()).rows[0]
            .scenario
            .to_string()
    };
    assert_eq!(of("BenchmarkX/n=1-8"), "a.BenchmarkX/n=1");
    assert_eq!(of("BenchmarkX/size-10"), "a.BenchmarkX/size-10");
}
