//! The fixed limit, as in `100 → 150 ns (+50% vs. the baseline); limit +49.3%`.

use perf_verdict::Verdict;
use perf_verdict::rules::threshold::Finding;

use super::{Say, Shown};
use crate::words::{Subject, change};

impl Say for Finding {
    fn reason(&self, compared: &Subject<'_>) -> String {
        let limit = compared.change_of_drop(self.limit);
        let (said, limit) = match compared.judgement.change.zip(limit) {
            Some((change, limit)) => {
                let (change, limit) = compared.signed_pair(change, limit);
                (change::vs_baseline_as(compared, |_| change.clone()), Some(limit))
            }
            None => (change::vs_baseline(compared), limit.map(|limit| compared.signed(limit))),
        };
        match (compared.judgement.verdict, limit) {
            _ if self.drop == 0.0 => said,
            (Verdict::Regressed, Some(limit)) => format!("{said}; limit {limit}"),
            (Verdict::Improved, _) => format!("{said}; the reverse would be a regression"),
            (_, Some(limit)) if self.drop > 0.0 => format!("{said}; within the limit of {limit}"),
            _ => said,
        }
    }

    fn shown(&self, _: &Subject<'_>) -> Shown {
        Shown::Baseline
    }
}
