//! Catch2.

use super::{account, common, fixture, read};

#[test]
fn the_tables_of_version_2() {
    insta::assert_snapshot!(account("catch2", "catch2/v2.txt"));
}

#[test]
fn the_tables_of_version_3() {
    insta::assert_snapshot!(account("catch2", "catch2/v3.txt"));
}

#[test]
fn tables_of_means_alone() {
    insta::assert_snapshot!(account("catch2", "catch2/v3-no-analysis.txt"));
}

#[test]
fn the_xml_of_version_2() {
    insta::assert_snapshot!(account("catch2-xml", "catch2/v2.xml"));
}

#[test]
fn the_xml_of_version_3() {
    insta::assert_snapshot!(account("catch2-xml", "catch2/v3.xml"));
}

#[test]
fn xml_of_means_alone() {
    insta::assert_snapshot!(account("catch2-xml", "catch2/v3-no-analysis.xml"));
}

#[test]
fn table_and_xml_use_the_same_names() {
    let names = |path: &str| -> Vec<String> {
        read(&fixture(path))
            .rows
            .iter()
            .map(|row| format!("{} {:?}", row.scenario, row.outcome))
            .collect()
    };
    let expected = names("catch2/v3.xml");
    assert_eq!(expected.len(), 5);
    for path in [
        "catch2/v2.txt",
        "catch2/v3.txt",
        "catch2/v2.xml",
        "catch2/v3-no-analysis.txt",
    ] {
        assert_eq!(names(path), expected, "{path}");
    }
}

#[test]
fn lines_around_a_table_are_not_lost() {
    let text = "-----\nLoad,Host x64,abc1234,-1,1000,0,5000\n-----\nWalk\n-----\nwalks.cpp:1\n.....\n\n\
                benchmark name   samples  iterations  estimated\n   mean low high\n----------\n\
                Push,Host x64,abc1234,-1,1000,0,5000\n\n\
                short 10 5 2 m \n 1.5 m 1 m 2 m\n 0 ns 0 ns 0 ns\n\
                long one 10 5 2 s\nother: 5\n\
                next 10 5 2 s\n 1.5 s 1 s 2 s\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:2 Load | Host x64 | abc1234 | -1 | emitsPerSecond=1000 allocatedBytesDelta=0 wallClockMs=5000
    file:12 Push | Host x64 | abc1234 | -1 | emitsPerSecond=1000 allocatedBytesDelta=0 wallClockMs=5000
    file:14 Walk/short |  |  | -1 | timeNs=90000000000 timeNs.lower=60000000000 timeNs.upper=120000000000 timeNs.stddev=0
    file:18 Walk/other: 5 next |  |  | -1 | timeNs=1500000000 timeNs.lower=1000000000 timeNs.upper=2000000000
    file:17 skipped: row is cut off
    file:18 skipped: row is cut off after its mean
    file: 4 of 20 lines (catch2)
    ");
}

#[test]
fn truncated_report_is_reported() {
    let text = "<Catch2TestRun name=\"x\"><TestCase name=\"a\"><BenchmarkResults name=\"b\"><mean value=\"1\"/>\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:1 skipped: report is cut off here
    file: 0 of 1 lines (catch2-xml)
    ");
}

#[test]
fn wrapped_names_of_a_real_table() {
    insta::assert_snapshot!(account("catch2", "catch2/wrapped.txt"));
}

#[test]
fn wrapped_names_are_whole() {
    let rule = "-".repeat(79);
    let long = "a test case whose name has so many words that it needs a second line on a";
    let text = format!(
        "{rule}\n{long}\nterminal\n  {long}\n  terminal\n{rule}\na.cpp:5\n{dots}\n\n\
         benchmark name                       samples       iterations    est run time\n\
         {blank}mean          low mean      high mean\n{blank}std dev       low std dev   high std dev\n{rule}\n\
         std::vector<int>::push_back 100\nelements into an empty list            100            50     1.5 ms \n\
         {blank}     2 ns          1 ns          3 ns \n{blank}     1 ns          1 ns          1 ns \n\
         {blank}\n",
        dots = ".".repeat(79),
        blank = " ".repeat(37),
    );
    insta::assert_snapshot!(common::account(&read(text.as_bytes())), @"
    file:14 a test case whose name has so many words that it needs a second line on a terminal/a test case whose name has so many words that it needs a second line on a terminal/std::vector<int>::push_back 100 elements into an empty list |  |  | -1 | timeNs=2 timeNs.lower=1 timeNs.upper=3 timeNs.stddev=1
    file: 1 of 18 lines (catch2)
    ");
}
