//! Informational metrics.

use perf_verdict::rules::ungated::NotGated;

use super::{Say, Shown};
use crate::words::{Subject, change};

impl Say for NotGated {
    fn reason(&self, compared: &Subject<'_>) -> String {
        let why = match (self, &compared.derived_from) {
            (Self::Derived, Some(name)) => format!("not gated: another form of `{name}`"),
            (Self::UserTime, _) => "not gated: the user time is, as it varies less".to_owned(),
            (Self::UnknownDirection, _) => "not gated: unknown which way is better".to_owned(),
            _ => "not gated (informational)".to_owned(),
        };
        format!("{}; {why}", change::vs_baseline(compared))
    }

    fn shown(&self, _: &Subject<'_>) -> Shown {
        Shown::Baseline
    }
}
