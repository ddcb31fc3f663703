//! The rules, one file each, and the list in which the engine asks them.
//!
//! A rule is a `RuleEntry` and a [`Finding`]: how it decides, what it can detect, and what it found. To add one, write its
//! file and name it in the list below; `perf-report` says its finding.

pub mod budget;
pub mod common;
pub mod count;
pub mod environment;
pub mod equal;
pub mod exact;
pub mod floor;
pub mod history;
pub mod limit;
pub mod mixture;
pub mod newest;
pub mod obstacle;
pub mod pairs;
pub mod ratchet;
pub mod samples;
pub mod tail;
pub mod ungated;

use std::borrow::Borrow;

use serde::{Deserialize, Serialize};

use crate::case::{Case, Decision, Judged};
use crate::finding::Finding;
use crate::verdict::{Power, Verdict};

/// A verdict with the reason that a rule gave for it.
pub(crate) struct Answer {
    pub(crate) verdict: Verdict,
    pub(crate) reason: Reason,
    pub(crate) moved: bool,
    /// True if no rule reviews it.
    pub(crate) is_final: bool,
}

impl Answer {
    pub(crate) fn new<F>(
        judged: Judged<F>,
        is_final: bool,
        reason: impl FnOnce(F) -> Reason,
    ) -> Self {
        let Judged {
            verdict,
            found,
            moved,
        } = judged;
        Self {
            verdict,
            reason: found.map_or_else(Reason::Obstacle, reason),
            moved,
            is_final,
        }
    }
}

/// Turns one list into the order in which the rules are asked and the `Reason` that each gives.
macro_rules! rules {
    ($($(#[$doc:meta])+ $module:ident => $name:ident($finding:ty),)+) => {
        /// The reason for a verdict: the rule that decided, and its finding.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Reason {
            $($(#[$doc])+ $name($finding),)+
        }

        impl Reason {
            /// The finding of any rule.
            pub fn finding(&self) -> &dyn Finding {
                match self {
                    $(Self::$name(finding) => Borrow::<$module::Finding>::borrow(finding),)+
                }
            }
        }

        /// The answer of the first rule that has one.
        pub(crate) fn decide(case: &Case<'_>) -> Option<Answer> {
            $(match ($module::RULE.decide)(case) {
                Some(Decision::Barred(judged)) => {
                    return Some(Answer::new(judged, true, |finding| Reason::$name(finding.into())));
                }
                Some(Decision::Reached(judged)) => {
                    return Some(Answer::new(judged, false, |finding| Reason::$name(finding.into())));
                }
                None => {}
            })+
            None
        }

        /// Lets the rules review an answer, one after the other.
        pub(crate) fn review(case: &Case<'_>, mut answer: Answer) -> Answer {
            $(if let Some(judged) = ($module::RULE.review)(case, answer.verdict, answer.reason.finding()) {
                answer = Answer::new(judged, false, |finding| Reason::$name(finding.into()));
            })+
            answer
        }

        /// The power of the first rule that applies: its limits, the noise and the smallest detectable change.
        pub(crate) fn power(case: &Case<'_>) -> Option<Power> {
            $(if let Some(power) = ($module::RULE.power)(case) {
                return Some(power);
            })+
            None
        }
    };
}

rules! {
    /// The values that pass whatever the baseline is.
    budget => Budget(Box<budget::Finding>),
    /// The numbers cannot be compared.
    obstacle => Obstacle(obstacle::Obstacle),
    /// Interleaved pairs.
    pairs => Pairs(Box<pairs::Finding>),
    /// Worse than all that the rows of a suite have in common.
    common => Common(Box<common::Finding>),
    /// Nearly all other rows shifted at once.
    environment => Environment(Box<environment::Finding>),
    /// The history.
    history => History(Box<history::Finding>),
    /// Launches of two runs.
    samples => Samples(Box<samples::Finding>),
    /// A percentile of too few values, or the maximum.
    tail => Tail(Box<tail::Finding>),
    /// A number that must equal the baseline.
    equal => Equal(equal::Finding),
    /// The metric is informational.
    ungated => NotGated(ungated::NotGated),
    /// An exact count.
    exact => Exact(exact::Finding),
    /// A count that may step a little.
    count => Count(count::Finding),
    /// The fixed limit.
    limit => Limit(limit::Finding),
    /// Worse than the newest baseline, which improved on its history.
    newest => Newest(Box<newest::Finding>),
    /// Worse than the best sustained level by more than may be lost.
    ratchet => Ratchet(Box<ratchet::Finding>),
    /// The rule would fail it, but the change is below the minimum absolute change.
    floor => Floor(floor::Finding),
    /// A share of the launches is far slower than the others.
    mixture => Mixture(Box<mixture::Finding>),
}

/// The finding that decided, under the name of its rule.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingReports {
    /// The comparison of launches, where it decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<samples::SamplesReport>,
    /// The interim analysis of pairs, where it decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<pairs::PairsReport>,
    /// The change beyond what the benchmarks have in common, where it decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub common: Option<common::CommonReport>,
    /// The best sustained level, where it decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratchet: Option<ratchet::RatchetReport>,
}

impl Reason {
    /// The serialised form.
    pub fn report(&self) -> FindingReports {
        let none = FindingReports::default();
        match self {
            Self::Samples(finding) => FindingReports {
                samples: Some(finding.report()),
                ..none
            },
            Self::Pairs(finding) => FindingReports {
                pairs: Some(pairs::report(finding)),
                ..none
            },
            Self::Common(finding) => FindingReports {
                common: Some(finding.report()),
                ..none
            },
            Self::Ratchet(finding) => FindingReports {
                ratchet: Some(finding.report()),
                ..none
            },
            _ => none,
        }
    }
}
