//! Counts that may step a little, as in `1,000,000 → 1,005,000 (+0.5% vs. the baseline); limit +0.2%`.

use perf_model::metric::Direction;
use perf_verdict::Verdict;
use perf_verdict::rules::count::Finding;

use super::exact;
use crate::number::counted;
use crate::words::{Subject, change, power};

pub(super) fn reason(finding: &Finding, compared: &Subject<'_>) -> String {
    let (Some(baseline), Some(current)) = (compared.baseline, compared.current) else {
        return change::vs_baseline(compared);
    };
    let verdict = compared.judgement.verdict;
    let Some(growth) = finding.growth.filter(|_| compared.relative_to.is_none()) else {
        let both = change::from_to(compared, baseline, current);
        return match verdict {
            Verdict::Regressed => format!("{both}; {}", power::any_fails(compared.direction())),
            _ => change::vs_baseline(compared),
        };
    };
    let is_throughput = compared.metric.meaning.direction == Direction::Higher;
    let (growth_said, limit) = compared.signed_pair(
        growth,
        if is_throughput {
            -finding.limit
        } else {
            finding.limit
        },
    );
    let said = change::vs_baseline_as(compared, |_| growth_said.clone());
    let source = match finding.values {
        0 => String::new(),
        values => format!(" (from {})", counted(values, "earlier count")),
    };
    match verdict {
        Verdict::Regressed => {
            let step = exact::smallest_step(baseline, current);
            let step = step.map_or(String::new(), |step| format!("; {step}"));
            format!("{said}; limit {limit}{source}{step}")
        }
        Verdict::Improved => format!("{said}; beyond the usual steps{source}"),
        _ if growth == 0.0 => said,
        _ => format!("{said}; within the limit of {limit}{source}"),
    }
}
