//! Informational metrics.

use perf_verdict::rules::ungated::NotGated;

use super::Say;
use crate::words::{Subject, change};

impl Say for NotGated {
    fn reason(&self, compared: &Subject<'_>) -> String {
        let why = match self {
            Self::Informational => "not gated (informational)",
            Self::UnknownDirection => "not gated: unknown which way is better",
        };
        format!("{}; {why}", change::vs_baseline(compared))
    }
}
