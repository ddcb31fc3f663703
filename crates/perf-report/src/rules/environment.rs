//! Environment shifts, as in `environment shift: 38 of 41 benchmarks are slower at once (median 1.9× their noise)`.

use perf_verdict::rules::environment::{Finding, Shift};

use super::{Say, history};
use crate::number::{significant, thousands};
use crate::words::{Subject, counted};

impl Say for Finding {
    fn reason(&self, compared: &Subject<'_>) -> String {
        let shift = shift(&self.shift);
        match &self.history {
            Some(finding) => format!("{shift}; this one: {}", history::from_median(compared, finding)),
            None => shift,
        }
    }

    fn rule(&self, _: &Subject<'_>) -> String {
        "environment shift".to_owned()
    }
}

/// What the other benchmarks did.
pub(crate) fn shift(shift: &Shift) -> String {
    format!(
        "environment shift: {} of {} are {} at once (median {}× their noise)",
        thousands(&shift.moved().to_string()),
        counted(shift.rows, "benchmark"),
        if shift.distance > 0.0 { "slower" } else { "faster" },
        significant(shift.distance.abs(), 2)
    )
}
