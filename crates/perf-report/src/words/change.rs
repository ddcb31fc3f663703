//! The change of one number against the baseline.

use perf_model::row::Value;

use super::numbers::SentenceNumbers;
use super::subject::{Subject, versus};
use crate::number::thousands;

/// Two equal numbers.
pub(crate) const NONE: &str = "no change";

/// `12.1 → 16.0 ms (+32.2% vs. the baseline)`.
pub(crate) fn vs_baseline(compared: &Subject<'_>) -> String {
    vs_baseline_as(compared, |change| compared.signed(change))
}

/// The same with the percentage written by `percentage`.
pub(crate) fn vs_baseline_as(compared: &Subject<'_>, percentage: impl Fn(f64) -> String) -> String {
    let change = compared
        .judgement
        .change
        .map(|change| versus(&percentage(change), "the baseline"));
    let (Some(baseline), Some(current)) = (compared.baseline, compared.current) else {
        return "not measured on both sides".to_owned();
    };
    if compared.relative_to.is_some() {
        return change.unwrap_or_else(|| "no longer zero".to_owned());
    }
    if baseline == current {
        return NONE.to_owned();
    }
    let both = from_to(compared, baseline, current);
    match change {
        Some(change) => format!("{both} ({change})"),
        None if baseline.as_f64() == 0.0 => format!("{both}: no longer zero"),
        None => both,
    }
}

/// `12.1 → 16.0 ms`; counts with all digits.
pub(crate) fn from_to(compared: &Subject<'_>, baseline: Value, current: Value) -> String {
    if compared.metric.meaning.exact && compared.metric.format.is_none() {
        return format!(
            "{} → {}",
            thousands(&baseline.to_string()),
            thousands(&current.to_string())
        );
    }
    SentenceNumbers::new(compared, &[baseline.as_f64(), current.as_f64()])
        .arrow_of(baseline, current)
}
