//! Sentences for the findings of rules: one file for each rule, and the dispatch to it.

mod budget;
mod common;
mod count;
mod environment;
mod equal;
mod exact;
mod floor;
mod history;
mod limit;
mod mixture;
mod newest;
mod obstacle;
pub(crate) mod pairs;
mod ratchet;
mod samples;
mod tail;
mod trend;
mod ungated;

use perf_config::HistoryPolicy;
use perf_verdict::{Reason, Screening};

pub use self::obstacle::OTHER_BENCHMARK;
pub(crate) use self::{
    environment::{shift, typical},
    exact::steps,
    mixture::far_launches,
    samples::{interval, iterations},
    trend::level_change,
};
use crate::words::{Subject, power};

/// The numbers that a reason already shows, which the evidence does not repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShownNumbers {
    /// The numbers of the baseline and the current run, or a change that is not their quotient.
    Baseline,
    /// The median, the normal range and the limit of the history, and the current number.
    History,
    Neither,
}

pub(crate) fn shown(reason: &Reason) -> ShownNumbers {
    use Reason::{
        Count, Equal, Exact, Floor, History, Limit, Mixture, Newest, NotGated, Pairs, Samples, Tail,
    };
    match reason {
        History(finding) if finding.screening != Screening::Improved => ShownNumbers::History,
        Count(_) | Equal(_) | Exact(_) | Floor(_) | Limit(_) | Mixture(_) | Newest(_)
        | NotGated(_) | Pairs(_) | Samples(_) | Tail(_) => ShownNumbers::Baseline,
        _ => ShownNumbers::Neither,
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
        (Reason::Newest(_), _) => "newest baseline".to_owned(),
        (Reason::Tail(_), _) => "percentile".to_owned(),
        (_, Some(name)) => name.to_owned(),
        (_, None) => power::gate_rule(compared),
    }
}

/// The reason for a metric's verdict, as plain text without a full stop.
pub(crate) fn reason(compared: &Subject<'_>) -> String {
    match &compared.judgement.reason {
        Reason::Obstacle(finding) => obstacle::reason(finding, compared),
        Reason::Budget(finding) => budget::reason(finding, compared),
        Reason::Equal(finding) => equal::reason(finding, compared),
        Reason::Pairs(finding) => pairs::reason(finding, compared),
        Reason::Common(finding) => common::reason(finding, compared),
        Reason::Environment(finding) => environment::reason(finding, compared),
        Reason::History(finding) => history::reason(finding, compared),
        Reason::Samples(finding) => samples::reason(finding, compared),
        Reason::Tail(finding) => tail::reason(finding, compared),
        Reason::NotGated(why) => ungated::reason(*why, compared),
        Reason::Exact(finding) => exact::reason(finding, compared),
        Reason::Count(finding) => count::reason(finding, compared),
        Reason::Limit(finding) => limit::reason(finding, compared),
        Reason::Ratchet(finding) => ratchet::reason(finding, compared),
        Reason::Newest(finding) => newest::reason(finding, compared),
        Reason::Floor(finding) => floor::reason(finding, compared),
        Reason::Mixture(finding) => mixture::reason(finding, compared),
    }
}

/// The bound that a change is held against, for a place beside it: `limit −33%`.
pub(crate) fn bound(compared: &Subject<'_>) -> String {
    match &compared.judgement.reason {
        Reason::Budget(finding) => budget::bound(finding, compared),
        Reason::Common(finding) => common::bound(finding, compared),
        Reason::History(finding) => history::bound(finding, compared),
        Reason::Mixture(finding) => far_launches(finding, compared),
        Reason::Pairs(finding) => pairs::count(finding),
        Reason::Samples(finding) => samples::p_value(finding.test.p),
        _ => power::gate_limit(compared),
    }
}

/// The remark that the data are too noisy for their limit or for any; `None` if they are not.
pub(crate) fn too_noisy(compared: &Subject<'_>) -> Option<String> {
    match compared.judgement.reason {
        Reason::Mixture(_) | Reason::Pairs(_) => None,
        _ => power::too_noisy(compared),
    }
}

/// The remedy that would detect smaller changes, as an imperative.
pub(crate) fn remedy(compared: &Subject<'_>, policy: &HistoryPolicy) -> Option<String> {
    match &compared.judgement.reason {
        Reason::Mixture(_) => Some("find out what these launches have in common".to_owned()),
        Reason::Pairs(finding) => pairs::remedy(finding),
        _ => power::remedy(compared, policy),
    }
}
