//! JUnit XML reports.

use super::{account, common, read};

#[test]
fn nextest() {
    insta::assert_snapshot!(account("junit", "junit/nextest.xml"));
}

#[test]
fn pytest() {
    insta::assert_snapshot!(account("junit", "junit/pytest.xml"));
}

#[test]
fn jest_repeats_the_full_name() {
    insta::assert_snapshot!(account("junit", "junit/jest.xml"));
}

#[test]
fn suites_disambiguate_tests_without_class() {
    insta::assert_snapshot!(account("junit", "junit/node.xml"));
}

#[test]
fn surefire_groups_thousands_and_repeats_failures() {
    insta::assert_snapshot!(account("junit", "junit/surefire.xml"));
}

/// The report for these test cases.
fn report(cases: &str) -> String {
    let text = format!(
        "\u{feff}<?xml version=\"1.0\"?>\n<!-- a > b -->\n<testsuites>\n{cases}\n</testsuites>\n"
    );
    common::account(&read(text.as_bytes()))
}

#[test]
fn printed_rows_take_precedence_over_durations() {
    let case = "<testcase name=\"a\" time=\"1.5\"><system-out>Load_A,Host x64,abc1234,-1,1.5,0,2</system-out></testcase>";
    insta::assert_snapshot!(report(case), @"
    file:4 Load_A | Host x64 | abc1234 | -1 | emitsPerSecond=1.5 allocatedBytesDelta=0 wallClockMs=2
    file: 1 of 5 lines (xml)
    ");
}

#[test]
fn equal_names_are_samples_and_missing_times_are_reported_once() {
    insta::assert_snapshot!(report(
        "<testsuite name=\"outer\"><testsuite name=\"inner\">
        <testcase name=\"a\" time=\"1\"/>
        <testcase name=\"a\" time=\"1.25\"/>
        <testcase name=\"b\"/>
        <testcase name=\"c\"/>
        <testcase name=\"d\" time=\"soon\"/>
        <testcase name=\"e\" time=\"-0.5\"/>
        <testcase name=\"f\" status=\"notrun\" time=\"0\"/>
        </testsuite></testsuite>"
    ), @"
    file:5 outer inner a |  |  | 0 of launch 1 | timeS=1
    file:6 outer inner a |  |  | 1 of launch 1 | timeS=1.25
    file:11 outer inner f |  |  | -1 |  | skipped
    file:9 skipped: invalid number `soon`
    file:10 skipped: no metric has a value
    file:7 skipped: 2 test cases without a time, first one here
    file: 3 of 13 lines (junit)
    ");
}

#[test]
fn truncated_report_is_reported() {
    let text = "<testsuite name=\"s\"><testcase name=\"a\" time=\"1\"/>\n<testcase name=\"b\" time=\"2\">\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 s a |  |  | -1 | timeS=1
    file:2 skipped: report is cut off here
    file: 1 of 2 lines (junit)
    ");
}

#[test]
fn repeated_byte_order_mark_is_skipped() {
    let text = "\u{feff}\u{feff} <testsuite name=\"s\">\n<testcase name=\"a\" time=\"1\"/>\n</testsuite>\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 s a |  |  | -1 | timeS=1
    file: 1 of 3 lines (junit)
    ");
}

#[test]
fn tests_that_are_announced_and_not_listed_are_reported() {
    let suite = |tests: usize| {
        format!("<testsuite tests=\"{tests}\"><testcase name=\"a\" time=\"1.5\"/></testsuite>")
    };
    let skipped = |suites: &str| {
        let text = format!("<?xml version=\"1.0\"?>\n<testsuites>\n{suites}\n</testsuites>\n");
        let report = read(text.as_bytes());
        report
            .skipped()
            .map(|skipped| skipped.text.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(skipped(&suite(1)), Vec::<String>::new());
    assert_eq!(skipped(&suite(3).repeat(2)), ["6 tests announced, 2 read"]);
}
