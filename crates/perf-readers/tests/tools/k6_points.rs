//! k6's points.

use super::{common, fixture, read, read_in_steps, survives_garbling, survives_the_baseline};

/// Where the file ends decides all sums.
#[test]
fn points_are_summed_up() {
    let bytes = fixture("k6/points.json");
    let whole = read(&bytes);
    assert_eq!(whole.inputs[0].format, "k6-json");
    assert_eq!(read_in_steps(&bytes, 7).rows, whole.rows, "in crumbs");
    survives_the_baseline(&whole);
    survives_garbling(&bytes);
    insta::assert_snapshot!(common::account(&whole));
}
