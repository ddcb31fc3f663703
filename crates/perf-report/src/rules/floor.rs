//! Changes below the minimum absolute change.

use perf_verdict::MetricComparison;
use perf_verdict::rules::floor::Finding;

use super::Say;
use crate::words::{Numbers, change};

impl Say for Finding {
    fn reason(&self, compared: &MetricComparison) -> String {
        let numbers = Numbers::new(compared, &[self.difference, self.floor]);
        format!(
            "{}; the difference of {} is below the minimum absolute change of {}",
            change::vs_baseline(compared),
            numbers.bare(self.difference),
            numbers.full(self.floor)
        )
    }

    fn rule(&self, _: &MetricComparison) -> String {
        "minimum absolute change".to_owned()
    }
}
