//! Text longer than its limit.

use perf_report::markdown::cut::{Limit, cut};
use proptest::prelude::*;

#[test]
fn a_text_that_fits_is_unchanged() {
    assert_eq!(cut("one\r\ntwo\n", Limit::Bytes(9), "Cut."), "one\r\ntwo\n");
    assert_eq!(cut("速い", Limit::Chars(2), "Cut."), "速い");
}

#[test]
fn whole_lines_are_kept_below_the_notice() {
    assert_eq!(
        cut("one\ntwo\nthree", Limit::Chars(12), "Cut."),
        "Cut.\n\none"
    );
    assert_eq!(
        cut("one\n\n\nthree and more", Limit::Chars(13), "Cut."),
        "Cut.\n\none"
    );
}

#[test]
fn a_single_long_line_is_cut_between_characters() {
    assert_eq!(
        cut("速い速い速い速い", Limit::Chars(7), "C"),
        "C\n\n速い速い"
    );
    assert_eq!(cut("速い速い速い速い", Limit::Bytes(10), "C"), "C\n\n速い");
}

#[test]
fn without_room_for_the_notice_nothing_is_left() {
    assert_eq!(cut("one two three", Limit::Chars(5), "Cut."), "");
}

proptest! {
    #[test]
    fn the_result_never_exceeds_its_limit(text in "(\\PC|\n){0,80}", limit in 0..60_usize, bytes in any::<bool>()) {
        let limit = if bytes { Limit::Bytes(limit) } else { Limit::Chars(limit) };
        let result = cut(&text, limit, "Cut.");
        prop_assert!(limit.holds(&result), "{result}");
        prop_assert!(result == text || result.is_empty() || result.starts_with("Cut.\n\n"));
    }
}
