//! JMeter.

use super::{common, fixture, read, read_in_steps, survives_garbling, survives_the_baseline};

/// Where the file ends decides all sums.
#[test]
fn samples_are_summed_up_by_label() {
    let bytes = fixture("jmeter/results.jtl");
    let whole = read(&bytes);
    assert_eq!(whole.inputs[0].format, "jmeter");
    assert_eq!(read_in_steps(&bytes, 7).rows, whole.rows, "in crumbs");
    survives_the_baseline(&whole);
    survives_garbling(&bytes);
    insta::assert_snapshot!(common::account(&whole));
}
