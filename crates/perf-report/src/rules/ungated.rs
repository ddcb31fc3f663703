//! Informational metrics.

use perf_verdict::NotGated;

use crate::words::{Subject, change, not_gated};

pub(super) fn reason(why: NotGated, compared: &Subject<'_>) -> String {
    let why = not_gated(why, compared.derived_from.as_deref());
    format!("{}; {why}", change::vs_baseline(compared))
}
