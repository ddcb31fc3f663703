//! What confirmation runs say of a suspect, and what the chosen limit allows.

use perf_verdict::{Confirmation, MetricComparison, Rule, Verdict};

use super::numbers::{change_of, change_of_drop, signed_pair};

/// The state of the confirmation, and what to do where it is incomplete; `effect` is a distance of costs.
pub(crate) fn confirmation(compared: &MetricComparison, runs: Confirmation, effect: f64) -> String {
    let Confirmation { confirmed, repeats, needed } = runs;
    let verdict = compared.judgement.verdict;
    let all = format!("{repeats} confirmation runs");
    if runs.is_refuted() {
        return format!("not confirmed: {} of {all} within the limit", repeats - confirmed);
    }
    if let Some(allowed) = allowed(compared, effect).filter(|_| verdict == Verdict::Moved) {
        return allowed;
    }
    if needed == 0 && repeats == 0 {
        return "too large to need a confirmation run".to_owned();
    }
    if runs.is_complete() {
        return format!("confirmed in {confirmed} of {all}");
    }
    if verdict == Verdict::Regressed {
        return "unconfirmed, but configured to fail".to_owned();
    }
    let rerun = match needed.saturating_sub(repeats) {
        0 | 1 => "re-run and pass the output".to_owned(),
        2 => "re-run twice and pass the outputs".to_owned(),
        more => format!("re-run {more} times and pass the outputs"),
    };
    let state = match repeats {
        0 => "unconfirmed".to_owned(),
        _ => format!("confirmed in {confirmed} of {all} (needs {needed})"),
    };
    format!("{state}: {rerun} with --confirm")
}

/// That a suspect effect is within the limit that the user chose; `None` without a fixed limit.
pub(crate) fn allowed(compared: &MetricComparison, effect: f64) -> Option<String> {
    let Rule::Threshold(limit) = compared.judgement.rule else { return None };
    let direction = compared.metric.meaning.direction;
    Some(match change_of_drop(direction, limit) {
        Some(limit) => {
            let (_, limit) = signed_pair(change_of(direction, effect), limit);
            format!("within the chosen limit of {limit}")
        }
        None => "the chosen limit allows any loss".to_owned(),
    })
}
