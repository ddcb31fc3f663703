//! Budgets, as in `12.1 → 17 ms (+40.5% vs. the baseline); over the budget of 16 ms`.

use perf_verdict::rules::budget::{Bound, Finding};

use crate::words::{SentenceNumbers, Subject, and_confirmation, change};

pub(super) fn reason(finding: &Finding, compared: &Subject<'_>) -> String {
    let full = |number: f64| SentenceNumbers::new(compared, &[number]).full(number);
    let limits = limits(finding, full);
    let number = match (&finding.reference, compared.judgement.change) {
        (None, Some(_)) => change::vs_baseline(compared),
        _ => full(finding.current),
    };
    let also = if finding.was_exceeded {
        ", as the baseline was"
    } else {
        ""
    };
    let confirmed = and_confirmation(compared, finding.screening, f64::MAX);
    format!("{number}; {limits}{also}{confirmed}")
}

pub(super) fn bound(finding: &Finding, compared: &Subject<'_>) -> String {
    limits(finding, |number| {
        SentenceNumbers::new(compared, &[number]).full(number)
    })
}

fn limits(finding: &Finding, full: impl Fn(f64) -> String) -> String {
    match finding.exceeded {
        Some(Bound::Max(max)) => format!("over the budget of {}", full(max)),
        Some(Bound::Min(min)) => format!("below the budget of at least {}", full(min)),
        None => format!("within the budget of {}", budget(finding, full)),
    }
}

/// `16 ms`, `at least 5 ms`, `5 ms to 16 ms`.
fn budget(finding: &Finding, full: impl Fn(f64) -> String) -> String {
    let [max, min] = [finding.budget.max, finding.budget.min].map(|end| end.map(&full));
    match (min, max) {
        (Some(min), Some(max)) => format!("{min} to {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, max) => max.unwrap_or_default(),
    }
}
