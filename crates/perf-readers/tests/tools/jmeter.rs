//! JMeter.

use super::account_of_sums;

#[test]
fn samples_are_summed_up_by_label() {
    insta::assert_snapshot!(account_of_sums("jmeter", "jmeter/results.jtl"));
}
