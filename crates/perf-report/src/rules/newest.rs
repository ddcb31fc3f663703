//! An improvement that is lost again, as in `100 → 141 ns (+41% vs. the newest baseline, which had improved on the median of
//! 30, 140 ns)`.

use perf_verdict::rules::newest::Finding;

use crate::number::counted;
use crate::words::{SentenceNumbers, Subject, change, confirmation};

pub(super) fn reason(finding: &Finding, compared: &Subject<'_>) -> String {
    let numbers = SentenceNumbers::new(compared, &[finding.median]);
    let history = format!(
        "the newest baseline had improved on {} with a median of {}",
        counted(finding.values, "earlier value"),
        numbers.full(finding.median)
    );
    let mut said = format!("{}; {history}", change::vs_baseline(compared));
    if let Some(runs) = finding.screening.suspicion() {
        let confirmation = confirmation(compared, runs, finding.effect.ln_1p());
        said = format!("{said}; {confirmation}");
    }
    if finding.may_be_luck {
        said.push_str("; luck may explain that baseline");
    }
    said
}
