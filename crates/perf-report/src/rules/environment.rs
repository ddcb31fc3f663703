//! Environment shifts, as in `environment shift: 38 of 41 benchmarks are 20–30% slower at once`.

use perf_verdict::rules::environment::{Finding, Shift};

use super::history;
use crate::number::{counted, significant, whole};
use crate::words::Subject;

pub(super) fn reason(finding: &Finding, compared: &Subject<'_>) -> String {
    let shift = shift(&finding.shift);
    match &finding.history {
        Some(finding) => format!(
            "{shift}; this one: {}",
            history::from_median(compared, finding)
        ),
        None => shift,
    }
}

/// The shift of the other benchmarks, as a sentence.
pub(crate) fn shift(shift: &Shift) -> String {
    format!(
        "environment shift: {} of {} are {}",
        whole(shift.moved()),
        counted(shift.rows, "benchmark"),
        typical(shift)
    )
}

/// The typical change, as in `20–30% slower at once`.
pub(crate) fn typical(shift: &Shift) -> String {
    let mut ends = shift.range.map(f64::abs);
    ends.sort_unstable_by(f64::total_cmp);
    let [low, high] = ends.map(|share| significant(share * 100.0, 2));
    let range = if low == high {
        high
    } else {
        format!("{low}–{high}")
    };
    format!(
        "{range}% {} at once",
        if shift.distance > 0.0 {
            "slower"
        } else {
            "faster"
        }
    )
}
