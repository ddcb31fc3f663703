//! Informational metrics.

use perf_verdict::NotGated;

use super::Say;
use crate::words::{Subject, change, not_gated};

impl Say for NotGated {
    fn reason(&self, compared: &Subject<'_>) -> String {
        let why = not_gated(*self, compared.derived_from.as_deref());
        format!("{}; {why}", change::vs_baseline(compared))
    }
}
