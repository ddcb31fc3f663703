//! Changes below the minimum absolute change.

use perf_verdict::rules::floor::Finding;

use crate::words::{SentenceNumbers, Subject, change};

pub(super) fn reason(finding: &Finding, compared: &Subject<'_>) -> String {
    let numbers = SentenceNumbers::new(compared, &[finding.difference, finding.floor]);
    format!(
        "{}; the difference of {} is below the minimum absolute change of {}",
        change::vs_baseline(compared),
        numbers.bare(finding.difference),
        numbers.full(finding.floor)
    )
}
