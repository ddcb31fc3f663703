//! Percentiles of too few values, as in `p99 of 800 values (needs 3,000)`.

use perf_verdict::rules::tail::Finding;

use crate::number::{fixed, thousands};
use crate::words::{Subject, change};

pub(super) fn reason(finding: &Finding, compared: &Subject<'_>) -> String {
    format!(
        "{}; not gated: {}",
        change::vs_baseline(compared),
        shortage(finding)
    )
}

fn shortage(finding: &Finding) -> String {
    let Some(needed) = finding.needed else {
        return "the maximum is a single value".to_owned();
    };
    let number = |count: u64| thousands(&count.to_string());
    let digits = fixed(finding.quantile * 100.0, 4);
    let name = digits.trim_end_matches('0').trim_end_matches('.');
    let values = finding
        .values
        .map_or_else(|| "an unknown number of".to_owned(), number);
    format!("p{name} of {values} values (needs {})", number(needed))
}
