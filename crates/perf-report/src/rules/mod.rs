//! How each rule's finding is said: one file for each rule, and the dispatch to it.

mod budget;
mod common;
mod count;
mod environment;
mod equal;
mod exact;
mod floor;
mod history;
mod mixture;
mod obstacle;
mod pairs;
mod ratchet;
mod samples;
mod tail;
mod threshold;
mod trend;
mod ungated;

use perf_config::HistoryPolicy;
use perf_verdict::{Reason, Screening};

pub use self::obstacle::OTHER_BENCHMARK;
pub(crate) use self::{
    environment::{shift, typical},
    exact::steps,
    mixture::far_launches,
    samples::iterations,
    trend::level_change,
};
use crate::words::{Subject, power};

/// The numbers that a reason already shows, which the evidence does not repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Those of the baseline and the current run.
    Baseline,
    /// The median, the normal range and the limit of the history, and the current number.
    History,
    Neither,
}

/// A finding in words, as plain text without a full stop.
pub(crate) trait Say {
    /// Why the metric got its verdict.
    fn reason(&self, compared: &Subject<'_>) -> String;

    /// What the change is held against, for a place beside it: `limit −33%`.
    fn bound(&self, compared: &Subject<'_>) -> String {
        power::gate_limit(compared)
    }

    /// That the data are too noisy for their limit or for any, and the remedy.
    fn too_noisy(&self, compared: &Subject<'_>) -> Option<String> {
        power::too_noisy(compared)
    }

    /// What would detect smaller changes, as an imperative.
    fn remedy(&self, compared: &Subject<'_>, policy: &HistoryPolicy) -> Option<String> {
        power::remedy(compared, policy)
    }
}

/// The numbers in a reason.
pub(crate) fn shown(reason: &Reason) -> Shown {
    use Reason::{Count, Equal, Exact, Floor, History, Mixture, NotGated, Tail, Threshold};
    match reason {
        History(finding) if finding.screening != Screening::Improved => Shown::History,
        Count(_) | Equal(_) | Exact(_) | Floor(_) | Mixture(_) | NotGated(_) | Tail(_) | Threshold(_) => {
            Shown::Baseline
        }
        _ => Shown::Neither,
    }
}

/// The name of the rule that decided.
pub(crate) fn rule(compared: &Subject<'_>) -> String {
    let reason = &compared.judgement.reason;
    match (reason, reason.finding().name()) {
        (Reason::Common(_), _) => "history without the common change".to_owned(),
        (Reason::Environment(_), _) => "environment shift".to_owned(),
        (Reason::Floor(_), _) => "minimum absolute change".to_owned(),
        (Reason::Pairs(_), _) => "paired".to_owned(),
        (Reason::Tail(_), _) => "percentile".to_owned(),
        (_, Some(name)) => name.to_owned(),
        (_, None) => power::gate_rule(compared),
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
        Reason::Mixture(finding) => finding.as_ref(),
    }
}
