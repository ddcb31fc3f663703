//! Numbers that must equal the baseline, as in `1,000 → 998: 2 fewer; any difference fails`.

use perf_verdict::rules::equal::Finding;

use super::exact;
use crate::words::{Subject, change};

pub(super) fn reason(finding: &Finding, compared: &Subject<'_>) -> String {
    match (compared.baseline, compared.current) {
        (Some(baseline), Some(current)) if baseline != current => {
            let both = change::from_to(compared, baseline, current);
            format!(
                "{both}: {}; any difference fails",
                exact::steps(finding.difference)
            )
        }
        _ => change::vs_baseline(compared),
    }
}
