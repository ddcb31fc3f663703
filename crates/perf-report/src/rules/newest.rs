//! A lost improvement: `100 → 141 ns; the newest baseline was better than the median of 30 earlier values, 140 ns`.

use perf_verdict::rules::newest::Finding;

use crate::number::counted;
use crate::words::{SentenceNumbers, Subject, change, confirmation};

pub(super) fn reason(finding: &Finding, compared: &Subject<'_>) -> String {
    let numbers = SentenceNumbers::new(compared, &[finding.median]);
    let history = format!(
        "the newest baseline was better than the median of {}, {}",
        counted(finding.values, "earlier value"),
        numbers.full(finding.median)
    );
    let mut said = format!("{}; {history}", change::vs_baseline(compared));
    if let Some(runs) = finding.screening.suspicion() {
        let confirmation = confirmation(compared, runs, finding.effect.ln_1p());
        said = format!("{said}; {confirmation}");
    }
    if finding.may_be_luck {
        said.push_str("; that improvement may have been chance");
    }
    said
}
