//! The rules: an ordered list of functions, one file each.
//!
//! A rule judges one metric, or leaves it to the next one. To add a rule, write its file, add it to `RULES`, and add a
//! variant with its numbers to [`Reason`].

pub mod budget;
pub mod common;
pub mod environment;
pub mod exact;
pub mod history;
pub mod judgement;
pub mod limit;
pub mod mixture;
pub mod newest;
pub mod obstacle;
pub mod pairs;
pub mod samples;
pub mod ungated;

use perf_model::row::Value;
use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::cost_scale::{distance_of_limit, share};
use crate::evidence::gate::NotGated;
use crate::evidence::obstacle::Obstacle;
use crate::evidence::tail::Tail;
use crate::verdict::{Confirmation, Power, Rule, Verdict};

use self::judgement::Judgement;

/// A rule that judges a metric, or leaves it to the next one. Replays use the names to omit a rule.
type NamedRule = (&'static str, fn(&Case<'_>) -> Option<Judgement>);

/// A rule that may replace the judgement so far.
type Review = (&'static str, fn(&Case<'_>, &Judgement) -> Option<Judgement>);

/// The rules whose judgement is final, in order.
pub(crate) const BARS: [NamedRule; 2] = [("budget", budget::bar), ("obstacle", obstacle::bar)];

/// The rules whose first judgement may be reviewed.
pub(crate) const RULES: [NamedRule; 12] = [
    ("pairs", pairs::judge),
    ("common", common::judge),
    ("environment", environment::judge),
    ("history", history::judge),
    ("samples", samples::judge),
    ("obstacle", obstacle::judge_negative),
    ("tail", ungated::judge_tail),
    ("equal", exact::judge_equal),
    ("ungated", ungated::judge),
    ("exact", exact::judge),
    ("count", exact::judge_count),
    ("limit", limit::judge),
];

/// The reviews.
pub(crate) const REVIEWS: [Review; 4] = [
    ("budget", budget::review),
    ("newest", newest::review),
    ("floor", limit::review_floor),
    ("mixture", mixture::review),
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
    Budget(budget::Finding),
    /// The numbers cannot be compared.
    Obstacle(Obstacle),
    /// Interleaved pairs.
    Pairs(pairs::Finding),
    /// A change beyond the change of related benchmarks.
    Common(common::Finding),
    /// Nearly all other benchmarks shifted at once.
    Environment(environment::Finding),
    /// The normal range of earlier values.
    History(history::Finding),
    /// The process runs of two separate measurements.
    Samples(samples::Finding),
    /// A percentile of too few values, or the maximum.
    Tail(Tail),
    /// A number that must equal the baseline, with the difference.
    Equal(Value),
    /// The metric is informational.
    NotGated(NotGated),
    /// A count that may not grow.
    Exact(exact::Finding),
    /// A count that may grow slightly.
    Count(exact::CountFinding),
    /// The fixed limit.
    Limit(limit::Finding),
    /// A loss against the newest baseline, which improved on its history.
    Newest(newest::Finding),
    /// A change below the minimum absolute change.
    Floor(limit::FloorFinding),
    /// A share of the process runs is far slower than the others.
    Mixture(mixture::Mixture),
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
            Self::Budget(finding) => finding.confirmation,
            Self::Common(finding) => Some(finding.confirmation),
            Self::Environment(finding) => finding.history.as_ref()?.confirmation,
            Self::History(finding) => finding.confirmation,
            Self::Samples(finding) => finding.confirmation,
            Self::Limit(finding) => finding.confirmation,
            Self::Newest(finding) => Some(finding.confirmation),
            _ => None,
        }
    }

    /// True if more data of the same kind could decide.
    pub(crate) fn is_waiting(&self) -> bool {
        use Obstacle::{Contradiction, Doubtful, SharedOutput};
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
        let mut reports = FindingReports::default();
        match self {
            Self::Samples(finding) => reports.samples = Some(finding.report()),
            Self::Pairs(finding) => reports.pairs = Some(pairs::report(finding)),
            Self::Common(finding) => reports.common = Some(finding.report()),
            _ => {}
        }
        reports
    }
}

/// The limits, the noise and the minimum detectable change.
pub(crate) fn power(case: &Case<'_>) -> Power {
    if let Some(analysis) = &case.signals.pairs {
        return pairs::power(case, analysis);
    }
    if let Some(band) = &case.signals.band {
        return history::power(case, band);
    }
    match case.evidence.rule {
        Rule::Limit(limit) => {
            let limit = distance_of_limit(case.direction(), limit).map(share);
            Power {
                limit,
                noise: samples::noise(case),
                detectable: limit,
                ..Power::default()
            }
        }
        Rule::Equal => Power {
            noise: Some(0.0),
            ..Power::default()
        },
        Rule::Exact => Power {
            noise: Some(0.0),
            limit: Some(0.0),
            detectable: exact::smallest_step(case),
            ..Power::default()
        },
        Rule::Count(limit) => Power {
            limit: Some(limit),
            detectable: exact::smallest_step(case).map(|step| step.max(limit)),
            ..Power::default()
        },
        Rule::Budget | Rule::Report => Power::default(),
    }
}
