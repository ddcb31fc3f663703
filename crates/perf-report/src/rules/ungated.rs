//! Informational metrics.

use perf_verdict::MetricComparison;
use perf_verdict::rules::ungated::NotGated;

use super::Say;
use crate::words::change;

impl Say for NotGated {
    fn reason(&self, compared: &MetricComparison) -> String {
        let why = match self {
            Self::Informational => "not gated (informational)",
            Self::UserTime => "not gated: the command does not wait, so its user time is",
            Self::UnknownDirection => "not gated: unknown which way is better",
        };
        format!("{}; {why}", change::vs_baseline(compared))
    }
}
