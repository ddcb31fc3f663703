//! The fixed limit, as in `100 → 150 ns (+50% vs. the baseline); limit +33%`.

use perf_verdict::rules::limit::Finding;
use perf_verdict::{Verdict, finding};

use crate::words::{Subject, change, confirmation};

pub(super) fn reason(finding: &Finding, compared: &Subject<'_>) -> String {
    let limit = compared.change_of_limit(finding.limit);
    let (said, limit) = match compared.judgement.change.zip(limit) {
        Some((change, limit)) => {
            let (change, limit) = compared.signed_pair(change, limit);
            (
                change::vs_baseline_as(compared, |_| change.clone()),
                Some(limit),
            )
        }
        None => (
            change::vs_baseline(compared),
            limit.map(|limit| compared.signed(limit)),
        ),
    };
    let runs = finding::Finding::suspicion(finding).zip(finding::Finding::effect(finding));
    if let Some((runs, effect)) = runs {
        let limit = limit.map_or(String::new(), |limit| format!("; limit {limit}"));
        return format!("{said}{limit}; {}", confirmation(compared, runs, effect));
    }
    match (compared.judgement.verdict, limit) {
        _ if finding.loss == 0.0 => said,
        // Pairs with zeros.
        (Verdict::Inconclusive, _) => format!("{said}, but the launches of both sides overlap"),
        (Verdict::Regressed, Some(limit)) => format!("{said}; limit {limit}"),
        (Verdict::Improved, _) => format!("{said}; the reverse would be a regression"),
        (_, Some(limit)) if finding.loss > 0.0 => format!("{said}; within the limit of {limit}"),
        _ => said,
    }
}
