//! ab.

use super::{account, fixture, read};

#[test]
fn runs_and_errors() {
    insta::assert_snapshot!(account("ab", "ab/three.txt"));
}

/// The text after the percentiles belongs to the log.
#[test]
fn text_behind_the_percentiles() {
    let report = fixture("ab/three.txt");
    let more = [&report[..], b"\nCoverage 85% 12 files\n"].concat();
    assert_eq!(read(&more).rows, read(&report).rows);
}
