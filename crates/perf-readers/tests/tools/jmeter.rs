//! JMeter.

use super::{account_of_sums, common, read};

#[test]
fn samples_are_summed_up_by_label() {
    insta::assert_snapshot!(account_of_sums("jmeter", "jmeter/results.jtl"));
}

/// A sample inside of another one is a part of it.
#[test]
fn log_as_xml() {
    insta::assert_snapshot!(account_of_sums("jmeter-xml", "jmeter/results.xml"));
}

#[test]
fn samples_without_times() {
    let text = "<testResults version=\"1.2\">\n<sample s=\"true\" lb=\"a\"/>\n<sample s=\"true\" lb=\"b\"/>\n</testResults>\n";
    insta::assert_snapshot!(common::account(&read(text.as_bytes())));
}
