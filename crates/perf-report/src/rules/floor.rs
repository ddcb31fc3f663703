//! Changes below the minimum absolute change.

use perf_verdict::rules::floor::Finding;

use super::Say;
use crate::words::{Numbers, Subject, change};

impl Say for Finding {
    fn reason(&self, compared: &Subject<'_>) -> String {
        let numbers = Numbers::new(compared, &[self.difference, self.floor]);
        format!(
            "{}; the difference of {} is below the minimum absolute change of {}",
            change::vs_baseline(compared),
            numbers.bare(self.difference),
            numbers.full(self.floor)
        )
    }
}
