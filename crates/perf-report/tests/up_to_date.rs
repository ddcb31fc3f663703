//! When a page is worth rewriting.

use perf_report::up_to_date::is_up_to_date;
use proptest::prelude::*;

const OLD: &str = "\
Measured at commit `0a1b2c3d4e5f60718293a4b5c6d7e8f901234567` with 8 threads.

| Scenario      | Rate              | Allocations |
| ------------- | ----------------: | ----------- |
| Parse (1000)  | 1,000.00 rows/s   | 0           |
| Sort          | **-50.5** ms      | n/a         |
| v6000.5.2f1   | x64 i9-13900KF    | 1.5, 2.5.   |";

/// Whether the page is unchanged when `from` becomes `to`, at a tolerance of two percent.
fn ignores(from: &str, to: &str) -> bool {
    assert!(OLD.contains(from), "{from} is not in the page");
    is_up_to_date(OLD, &OLD.replacen(from, to, 1), 0.02)
}

#[test]
fn tolerance_is_inclusive() {
    assert!(ignores("1,000.00", "1,020.00"), "exactly the tolerance");
    assert!(ignores("1,000.00", "980"));
    assert!(ignores("-50.5", "-50.0"));
    assert!(ignores("1.5, 2.5.", "1.51, 2.49."));
    assert!(ignores("| 0  ", "| -0.00  "));
}

#[test]
fn larger_changes_are_news() {
    assert!(!ignores("1,000.00", "1,020.01"));
    assert!(!ignores("1,000.00", "979.99"));
    assert!(!ignores("-50.5", "50.5"));
    assert!(!ignores("| 0  ", "| 1  "), "nothing is near zero");
    assert!(!ignores("n/a", "0"));
    assert!(!ignores("1,000.00", "n/a"));
}

#[test]
fn layout_and_bold_marks_are_ignored() {
    assert!(ignores("**-50.5** ms      |", "-50.5 ms |"));
    assert!(ignores("| Sort   ", "| **Sort**"));
    assert!(ignores("| ------------- |", "| --- |"));
    assert!(is_up_to_date(&OLD.replace('\n', "\r\n"), OLD, 0.0));
    assert!(is_up_to_date(&format!("\r\n\r\n{OLD}\r\n"), OLD, 0.0));
}

#[test]
fn commits_are_ignored() {
    assert!(ignores(
        "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
        "ffffffffffffffffffffffffffffffffffffffff"
    ));
    assert!(ignores(
        "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
        "0a1b2c3"
    ));
    assert!(!ignores("0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", "main"));
    assert!(!ignores(
        "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
        "defaced"
    ));
    assert!(!ignores("8 threads", "9 threads"));
    assert!(
        !is_up_to_date("took 1000000 steps", "took 1000001 steps", 1.0),
        "a number is not a commit"
    );
    assert!(
        !is_up_to_date("box-1a2b3c4", "box-1a2b3c5", 1.0),
        "nor is part of a name"
    );
}

#[test]
fn names_and_versions_must_be_equal() {
    assert!(
        !ignores("Parse (1000)", "Parse (1001)"),
        "a first cell is a name"
    );
    assert!(!ignores("v6000.5.2f1", "v6000.5.3f1"));
    for (old, new) in [
        ("6000.5.2f1", "6000.5.3f1"),
        ("x64", "x65"),
        ("i9-13900KF", "i9-13901KF"),
        ("2026-01-30", "2026-01-31"),
        ("1000.0.1", "1000.0.2"),
        ("1000ms", "1001ms"),
        ("1000_a", "1001_a"),
        ("1e1000", "1e1001"),
        ("--1000", "--1001"),
        ("1000 ms", "1000 s"),
        ("1000%", "1000"),
    ] {
        assert!(
            !is_up_to_date(&format!("| a | {old} |"), &format!("| a | {new} |"), 0.5),
            "title {old}"
        );
        let page = |cell: &str| format!("| a | b |\n| - | - |\n| c | {cell} |");
        assert!(!is_up_to_date(&page(old), &page(new), 0.5), "{old}");
    }
}

#[test]
fn rows_columns_and_alignment_must_be_equal() {
    assert!(!is_up_to_date(OLD, &format!("{OLD}\n| New | 1 | 2 |"), 0.5));
    assert!(!is_up_to_date(
        &format!("{OLD}\n| Gone | 1 | 2 |"),
        OLD,
        0.5
    ));
    assert!(!ignores("----------------:", "-----------------"));
    assert!(!ignores("| 0           |", "|"));
    assert!(!ignores("| Sort ", "Sort "));
    let page = |cell: &str| format!("| a |\n| - |\n| c | {cell} |");
    assert!(
        !is_up_to_date(&page(r"1 \| 2"), &page("1 | 2"), 0.5),
        "an escaped pipe ends no cell"
    );
    assert!(is_up_to_date(&page(r"100 \| 2"), &page(r"101 \| 2"), 0.5));
    assert!(!is_up_to_date(
        &page("1").replace('c', r"c \| 100"),
        &page("1").replace('c', r"c \| 101"),
        0.5
    ));
}

#[test]
fn invalid_tolerance_is_zero() {
    let page = |cell: &str| format!("| a | b |\n| - | - |\n| c | {cell} |");
    for tolerance in [f64::NAN, -1.0, f64::NEG_INFINITY, 0.0] {
        assert!(!is_up_to_date(&page("100"), &page("100.1"), tolerance));
        assert!(
            is_up_to_date(&page("100"), &page("100.0"), tolerance),
            "the same number"
        );
    }
    assert!(is_up_to_date(&page("100"), &page("-7"), f64::INFINITY));
    assert!(!is_up_to_date(&page("0"), &page("1"), f64::INFINITY));
    let huge = |last: char| format!("1{}{last}", "0".repeat(400));
    assert!(
        !is_up_to_date(&page(&huge('1')), &page(&huge('2')), 0.5),
        "too large to compare but as text"
    );
    assert!(is_up_to_date(
        &page(&format!("{} of 100", huge('1'))),
        &page(&format!("{} of 101", huge('1'))),
        0.5
    ));
}

proptest! {
    #[test]
    fn a_page_equals_itself(body in "([|*\\\\ 0-9a-f.,\r\n-]|\\PC){0,60}", tolerance in any::<f64>()) {
        prop_assert!(is_up_to_date(&body, &body, tolerance));
    }

    #[test]
    fn larger_tolerance_is_never_stricter(old in "[|:*\\\\ 0-9a-f.,+\r\n-]{0,40}", new in "[|:*\\\\ 0-9a-f.,+\r\n-]{0,40}") {
        // If a smaller tolerance ignores a difference, so does a larger one.
        prop_assert!(!is_up_to_date(&old, &new, 0.01) || is_up_to_date(&old, &new, 0.5));
    }
}

#[test]
fn a_unit_is_part_of_the_value() {
    let row = |cell: &str| format!("| a | b |\n| - | - |\n| x | {cell} |");
    let same = |old: &str, new: &str| is_up_to_date(&row(old), &row(new), 0.02);
    assert!(same("1.00 K/s", "1.01 K/s") && same("100/s", "101/s") && same("50.00%", "50.50%"));
    assert!(!same("100/s", "100/min") && !same("999.90 K/s", "1.00 M/s"));
}

#[test]
fn commits_are_in_code_spans() {
    assert!(is_up_to_date("at `aaaaaaa1`.", "at `1234567`.", 0.0));
    assert!(!is_up_to_date(
        "node 22.1 (1234abcd)",
        "node 22.1 (5678abcd)",
        0.0
    ));
    assert!(!is_up_to_date(
        "at `abcdef1`, by `me`",
        "at `1234567`, by `you`",
        0.0
    ));
}
