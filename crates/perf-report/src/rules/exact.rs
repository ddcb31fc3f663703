//! Exact counts, as in `1,000 → 1,001: 1 more; any increase fails`.

use perf_model::row::Value;
use perf_verdict::Verdict;
use perf_verdict::rules::exact::Finding;

use crate::number::thousands;
use crate::words::{Subject, change, percent, power};

/// The share from which one more is said to be the smallest step.
const LARGE_STEP: f64 = 0.01;

pub(super) fn reason(finding: &Finding, compared: &Subject<'_>) -> String {
    let (Some(baseline), Some(current)) = (compared.baseline, compared.current) else {
        return change::vs_baseline(compared);
    };
    if finding.difference == Value::Int(0) {
        return change::NONE.to_owned();
    }
    let both = change::from_to(compared, baseline, current);
    let is_zero = baseline.as_f64() == 0.0;
    let fails = compared.judgement.verdict == Verdict::Regressed;
    let step = smallest_step(baseline, current)
        .filter(|_| fails)
        .unwrap_or_else(|| steps(finding.difference));
    let said = if is_zero {
        both
    } else {
        format!("{both}: {step}")
    };
    match finding.explained_by {
        Some((low, high)) => {
            let [low, high] = [low, high].map(|count| thousands(&count.to_string()));
            let source = if finding.is_by_history {
                "earlier runs"
            } else {
                "process runs of the same code"
            };
            format!("{said}; {source} vary from {low} to {high}")
        }
        None if fails => format!("{said}; {}", power::any_fails(compared.direction())),
        None => said,
    }
}

/// `7 fewer`.
pub(super) fn steps(difference: Value) -> String {
    let text = difference.to_string();
    let way = if difference.as_f64() > 0.0 {
        "more"
    } else {
        "fewer"
    };
    format!("{} {way}", thousands(text.trim_start_matches('-')))
}

/// The remark that one more or one fewer is a large share of a small count; `None` for other changes.
pub(super) fn smallest_step(baseline: Value, current: Value) -> Option<String> {
    let (Value::Int(before @ 1..), Value::Int(now)) = (baseline, current) else {
        return None;
    };
    let share = 1.0 / Value::Int(before).as_f64();
    let way = if now > before { "more" } else { "fewer" };
    (before.abs_diff(now) == 1 && share >= LARGE_STEP).then(|| {
        format!(
            "1 {way} of {before} is the smallest possible step ({})",
            percent(share, 0)
        )
    })
}
