//! How each rule's finding is said: one file for each rule, and the dispatch to it.

mod budget;
mod common;
mod count;
pub(crate) mod environment;
mod equal;
mod exact;
mod floor;
mod history;
mod obstacle;
mod pairs;
mod ratchet;
pub(crate) mod samples;
mod tail;
mod threshold;
pub(crate) mod trend;
mod ungated;

use perf_config::HistoryPolicy;
use perf_verdict::{MetricComparison, Reason};

use crate::words::power;

/// A finding in words, as plain text without a full stop.
pub(crate) trait Say {
    /// Why the metric got its verdict.
    fn reason(&self, compared: &MetricComparison) -> String;

    /// The rule.
    fn rule(&self, compared: &MetricComparison) -> String {
        power::gate_rule(compared)
    }

    /// That the data are too noisy for their limit or for any, and the remedy.
    fn too_noisy(&self, compared: &MetricComparison) -> Option<String> {
        power::too_noisy(compared)
    }

    /// What would detect smaller changes, as an imperative.
    fn remedy(&self, compared: &MetricComparison, policy: &HistoryPolicy) -> Option<String> {
        power::remedy(compared, policy)
    }
}

/// The finding that decided.
pub(crate) fn finding(reason: &Reason) -> &dyn Say {
    match reason {
        Reason::Obstacle(finding) => finding,
        Reason::Budget(finding) => finding.as_ref(),
        Reason::Equal(finding) => finding,
        Reason::Pairs(finding) => finding.as_ref(),
        Reason::Common(finding) => finding.as_ref(),
        Reason::Environment(finding) => finding.as_ref(),
        Reason::History(finding) => finding.as_ref(),
        Reason::Samples(finding) => finding.as_ref(),
        Reason::Tail(finding) => finding.as_ref(),
        Reason::NotGated(finding) => finding,
        Reason::Exact(finding) => finding,
        Reason::Count(finding) => finding,
        Reason::Threshold(finding) => finding,
        Reason::Ratchet(finding) => finding.as_ref(),
        Reason::Floor(finding) => finding,
    }
}
