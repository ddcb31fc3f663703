//! Catch2.

use super::{account, common, fixture, read};

#[test]
fn the_xml_of_version_2() {
    insta::assert_snapshot!(account("catch2", "catch2/v2.xml"));
}

#[test]
fn the_xml_of_version_3() {
    insta::assert_snapshot!(account("catch2", "catch2/v3.xml"));
}

#[test]
fn xml_of_means_alone() {
    insta::assert_snapshot!(account("catch2", "catch2/v3-no-analysis.xml"));
}

#[test]
fn versions_use_the_same_names() {
    let names = |path: &str| -> Vec<String> {
        read(&fixture(path))
            .rows
            .iter()
            .map(|row| format!("{} {:?}", row.scenario, row.outcome))
            .collect()
    };
    let expected = names("catch2/v3.xml");
    assert_eq!(expected.len(), 5);
    for path in ["catch2/v2.xml", "catch2/v3-no-analysis.xml"] {
        assert_eq!(names(path), expected, "{path}");
    }
}

#[test]
fn truncated_report_is_reported() {
    let text = "<Catch2TestRun name=\"x\"><TestCase name=\"a\"><BenchmarkResults name=\"b\"><mean value=\"1\"/>\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 skipped: report is cut off here
    file: 0 of 1 lines (catch2)
    ");
}
