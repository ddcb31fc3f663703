//! The rules: an ordered list of functions, one file each.
//!
//! A rule judges one metric, or leaves it to the next one. To add a rule, write its file, add it to `RULES`, and add a
//! variant with its numbers to [`Reason`].

pub mod budget;
pub mod common;
pub mod count;
pub mod environment;
pub mod equal;
pub mod exact;
pub mod floor;
pub mod history;
pub mod judgement;
pub mod limit;
pub mod mixture;
pub mod newest;
pub mod obstacle;
pub mod pairs;
mod power;
pub mod samples;
pub mod ungated;

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::evidence::tail::Tail;
use crate::verdict::{Confirmation, Verdict};

use self::judgement::Judgement;
pub(crate) use self::power::power;

/// How a rule participates.
pub(crate) enum Step {
    /// The first judgement is final.
    Bar(fn(&Case<'_>) -> Option<Judgement>),
    /// The first judgement may be reviewed.
    Judge(fn(&Case<'_>) -> Option<Judgement>),
    /// May replace the judgement so far.
    Review(fn(&Case<'_>, &Judgement) -> Option<Judgement>),
}

/// All rules, in order. Replays use the names to omit a rule.
pub(crate) const RULES: [(&str, Step); 19] = [
    ("budget", Step::Bar(budget::bar)),
    ("budget", Step::Judge(budget::judge)),
    ("obstacle", Step::Bar(obstacle::bar)),
    ("pairs", Step::Judge(pairs::judge)),
    ("common", Step::Judge(common::judge)),
    ("environment", Step::Judge(environment::judge)),
    ("history", Step::Judge(history::judge)),
    ("samples", Step::Judge(samples::judge)),
    ("obstacle", Step::Judge(obstacle::judge_negative)),
    ("tail", Step::Judge(ungated::judge_tail)),
    ("equal", Step::Judge(equal::judge)),
    ("ungated", Step::Judge(ungated::judge)),
    ("exact", Step::Judge(exact::judge)),
    ("count", Step::Judge(count::judge)),
    ("limit", Step::Judge(limit::judge)),
    ("budget", Step::Review(budget::review)),
    ("newest", Step::Review(newest::review)),
    ("floor", Step::Review(floor::review)),
    ("mixture", Step::Review(mixture::review)),
];

impl Case<'_> {
    /// A rule's judgement on two numbers, also shown as changed if the change is outside the tolerance.
    pub(crate) fn judgement(&self, verdict: Verdict, reason: Reason) -> Judgement {
        let mut judgement = Judgement::new(verdict, reason);
        judgement.moved = self.moved || matches!(verdict, Verdict::Regressed | Verdict::Improved);
        judgement
    }
}

/// The reason for a verdict: the rule that decided, with its numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// An absolute limit.
    Budget(Box<budget::Finding>),
    /// The numbers cannot be compared.
    Obstacle(obstacle::Obstacle),
    /// Interleaved pairs.
    Pairs(Box<pairs::Finding>),
    /// A change beyond the change of related benchmarks.
    Common(Box<common::Finding>),
    /// Nearly all other benchmarks shifted at once.
    Environment(Box<environment::Finding>),
    /// The normal range of earlier values.
    History(Box<history::Finding>),
    /// The process runs of two separate measurements.
    Samples(Box<samples::Finding>),
    /// A percentile of too few values, or the maximum.
    Tail(Box<Tail>),
    /// A number that must equal the baseline.
    Equal(equal::Finding),
    /// The metric is informational.
    NotGated(ungated::NotGated),
    /// A count that may not grow.
    Exact(exact::Finding),
    /// A count that may grow slightly.
    Count(count::Finding),
    /// The fixed limit.
    Limit(limit::Finding),
    /// A loss against the newest baseline, which improved on its history.
    Newest(Box<newest::Finding>),
    /// A change below the minimum absolute change.
    Floor(floor::Finding),
    /// A share of the process runs is far slower than the others.
    Mixture(Box<mixture::Mixture>),
}

impl Reason {
    /// The rule's name in reports; `None` for the gate's own rule.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            Self::Budget(_) => Some("budget"),
            Self::Pairs(_) => Some("pairs"),
            Self::Common(_) => Some("common"),
            Self::Environment(_) => Some("guard"),
            Self::History(_) => Some("history"),
            Self::Samples(_) => Some("samples"),
            Self::Tail(_) => Some("tail"),
            Self::Newest(_) => Some("newest"),
            Self::Floor(_) => Some("floor"),
            Self::Mixture(_) => Some("mixture"),
            _ => None,
        }
    }

    /// The cost's growth as a distance; `None` if the rule does not measure it.
    pub fn effect(&self) -> Option<f64> {
        match self {
            Self::Budget(finding) => finding.effect(),
            Self::Pairs(analysis) => Some(analysis.median),
            Self::Common(finding) => Some(finding.effect),
            Self::Environment(finding) => Some(finding.history.as_ref()?.effect.ln_1p()),
            Self::History(finding) => Some(finding.effect.ln_1p()),
            Self::Samples(finding) => Some(finding.test.effect),
            Self::Count(finding) => finding.growth.map(f64::ln_1p),
            Self::Limit(finding) => finding.distance,
            Self::Newest(finding) => Some(finding.effect.ln_1p()),
            _ => None,
        }
    }

    /// The state of the confirmation, if a regression is suspected.
    pub fn suspicion(&self) -> Option<Confirmation> {
        match self {
            Self::Budget(finding) => finding.screening.suspicion(),
            Self::Common(finding) => finding.screening.suspicion(),
            Self::Environment(finding) => finding.history.as_ref()?.screening.suspicion(),
            Self::History(finding) => finding.screening.suspicion(),
            Self::Samples(finding) => finding.screening.suspicion(),
            Self::Limit(finding) => finding.confirmation.as_deref().copied(),
            Self::Newest(finding) => finding.screening.suspicion(),
            _ => None,
        }
    }

    /// True if more data of the same kind could decide.
    pub(crate) fn is_waiting(&self) -> bool {
        use obstacle::Obstacle::{Contradiction, Doubtful, SharedOutput};
        match self {
            Self::Pairs(analysis) => {
                let is_early = |look: pairs::Look| look.pairs < pairs::DECISIVE;
                analysis.look.is_none_or(is_early) || analysis.is_flagged()
            }
            Self::Obstacle(obstacle) => {
                matches!(obstacle, SharedOutput(_) | Contradiction(_) | Doubtful(_))
            }
            _ => false,
        }
    }
}

/// The deciding rule's numbers, under its name.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingReports {
    /// The comparison of process runs, if it decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<samples::SamplesReport>,
    /// The interim analysis of pairs, if it decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<pairs::PairsReport>,
    /// The change beyond related benchmarks, if it decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub common: Option<common::CommonReport>,
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
            _ => none,
        }
    }
}
