//! Mixtures, as in `6 of 24 launches are 10× slower than the others (0 of 24 in the baseline), which the median hides`.

use perf_verdict::rules::mixture::Mixture;

use crate::words::{Subject, change};

pub(super) fn reason(finding: &Mixture, compared: &Subject<'_>) -> String {
    let (base_far, base) = finding.base;
    let base = format!("{base_far} of {base} in the baseline");
    let median = change::vs_baseline(compared);
    format!(
        "{} ({base}), which the median hides: {median}",
        far_launches(finding, compared)
    )
}

/// `6 of 24 launches are 10× slower than the others`.
pub(crate) fn far_launches(found: &Mixture, compared: &Subject<'_>) -> String {
    let (far, all) = found.current;
    let what = if found.is_iterations {
        "iterations"
    } else {
        "launches"
    };
    let effect = compared.effect(found.distance);
    if effect.contains('×') {
        format!("{far} of {all} {what} are {effect} than the others")
    } else {
        format!("{far} of {all} {what} differ by {effect} from the others")
    }
}
