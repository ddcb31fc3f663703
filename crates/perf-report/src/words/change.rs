//! The change of one number against the baseline.

use perf_model::row::Value;
use perf_verdict::MetricComparison;

use super::numbers::{Numbers, signed};
use crate::number::thousands;

/// Two equal numbers.
pub(crate) const NONE: &str = "no change";

/// `12.10 → 16.00 ms (+32.2% vs. the baseline)`.
pub(crate) fn vs_baseline(compared: &MetricComparison) -> String {
    vs_baseline_as(compared, signed)
}

/// The same with the percentage written by `percentage`.
pub(crate) fn vs_baseline_as(compared: &MetricComparison, percentage: impl Fn(f64) -> String) -> String {
    let change = compared.judgement.change;
    let (Some(baseline), Some(current)) = (compared.baseline, compared.current) else {
        return "not measured on both sides".to_owned();
    };
    if compared.relative_to.is_some() {
        let vs = |change| format!("{} vs. the baseline", percentage(change));
        return change.map_or_else(|| "no longer zero".to_owned(), vs);
    }
    if baseline == current {
        return NONE.to_owned();
    }
    let both = from_to(compared, baseline, current);
    match change {
        Some(change) => format!("{both} ({} vs. the baseline)", percentage(change)),
        None if baseline.as_f64() == 0.0 => format!("{both}: no longer zero"),
        None => both,
    }
}

/// `12.10 → 16.00 ms`; counts with all digits.
pub(crate) fn from_to(compared: &MetricComparison, baseline: Value, current: Value) -> String {
    if compared.metric.meaning.exact && compared.metric.format.is_none() {
        return format!("{} → {}", thousands(&baseline.to_string()), thousands(&current.to_string()));
    }
    Numbers::new(compared, &[baseline.as_f64(), current.as_f64()]).arrow_of(baseline, current)
}
