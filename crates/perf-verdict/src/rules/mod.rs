//! The rules, one file each, and the list that the engine asks.
//!
//! A rule is a `RuleEntry` and a [`Finding`]: how it decides, what it can detect, what it found and how that is
//! serialised. To add one, write its file and name it in the list below; `perf-report` says its finding.

pub mod budget;
pub mod common;
pub mod count;
pub mod environment;
pub mod equal;
pub mod exact;
pub mod floor;
pub mod history;
pub mod obstacle;
pub mod pairs;
pub mod ratchet;
pub mod samples;
pub mod tail;
pub mod threshold;
pub mod trend;
pub mod ungated;

use std::borrow::Borrow;

use serde::{Deserialize, Serialize};

use crate::engine::case::RuleEntry;
use crate::model::Confirmation;

/// Turns one list into the order in which the engine asks the rules and the `Reason` that each gives.
macro_rules! rules {
    ($($(#[$doc:meta])+ $module:ident => $name:ident($finding:ty),)+) => {
        /// The rules, in the order in which they are asked: the first answer holds.
        pub(crate) const RULES: &[RuleEntry] = &[$($module::RULE),+];

        /// Why a verdict is what it is: the rule that decided, and what it found.
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
    threshold => Threshold(threshold::Finding),
    /// Worse than the best sustained level by more than may be lost.
    ratchet => Ratchet(Box<ratchet::Finding>),
    /// The rule would fail it, but the change is below the minimum absolute change.
    floor => Floor(floor::Finding),
}

/// What a rule found, for what looks at all rules alike.
pub trait Finding {
    /// The name of the rule in reports; `None` where the gate's rule names it.
    fn name(&self) -> Option<&'static str> {
        None
    }

    /// How much more the current value costs, as a distance.
    fn effect(&self) -> Option<f64> {
        None
    }

    /// The state of the confirmation, where a regression is suspected.
    fn suspicion(&self) -> Option<Confirmation> {
        None
    }

    /// Whether the rule waits for more data of its kind.
    fn is_waiting(&self) -> bool {
        false
    }

    /// Adds the serialised form.
    fn report(&self, _reports: &mut FindingReports) {}
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
