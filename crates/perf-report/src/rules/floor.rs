//! Changes below the minimum absolute change.

use perf_verdict::rules::floor::Finding;

use super::{Say, Shown};
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

    fn shown(&self, _: &Subject<'_>) -> Shown {
        Shown::Baseline
    }

    fn rule(&self, _: &Subject<'_>) -> String {
        "minimum absolute change".to_owned()
    }
}
