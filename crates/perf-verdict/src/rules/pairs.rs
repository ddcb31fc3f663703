//! Interleaved A/B pairs: the verdict from their interim analyses.

use serde::{Deserialize, Serialize};

use super::{Case, Judgement, Reason};
use crate::cost_scale::{share, share_report};
use crate::signals::pairs::Analysis;
use crate::verdict::{Power, Verdict};

pub use crate::signals::pairs::{DECISIVE, LOOKS, Look, Outcome, SLOWER, look, look_beyond};

/// The deciding interim analysis, or the last one.
pub type Finding = Analysis;

/// The serialised form.
pub(super) fn report(finding: &Finding) -> PairsReport {
    PairsReport {
        pairs: finding.pairs,
        margin: share_report(finding.margin),
        slower: if finding.outcome == Outcome::Faster {
            finding.faster
        } else {
            finding.slower
        },
        within: finding.within,
        autocorrelation: finding.serial,
        median: share_report(finding.median),
        low: finding.lower.map(share_report),
        high: finding.upper.map(share_report),
        tail: finding.tail.map(share_report),
        control_flagged: finding.control.map(|_| finding.is_flagged()),
        until_next: finding.until_next,
    }
}

/// Interleaved pairs. Effects are shares of the cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PairsReport {
    /// The number of pairs at the interim analysis.
    pub pairs: usize,
    /// The slowdown that is tested against: 0.02, or the gate's limit if it is between 0.001 and 0.02.
    #[serde(default = "usual_margin")]
    pub margin: f64,
    /// The number of pairs slower by more than the margin; for an improvement, faster.
    pub slower: usize,
    /// The number of pairs slower by less than 5%, or proportionally less if the margin is below 2%.
    pub within: usize,
    /// The lag-1 autocorrelation of the differences, if it is too large for independent pairs; otherwise null.
    pub autocorrelation: Option<f64>,
    /// The typical difference: the Hodges–Lehmann estimate.
    pub median: f64,
    /// The lower bound of the typical difference with 95% confidence; null for too few pairs.
    pub low: Option<f64>,
    /// The upper bound of the typical difference with 95% confidence; null for too few pairs.
    pub high: Option<f64>,
    /// The typical difference between the medians of process runs, if these are slower and the fastest samples are not;
    /// otherwise null.
    pub tail: Option<f64>,
    /// Whether the same rule finds a change between the process runs of one side, although their code is the same. If
    /// so, nothing is regressed or improved. Null before the first interim analysis.
    pub control_flagged: Option<bool>,
    /// Pairs until the next interim analysis that could change the verdict; null after the last one and after a
    /// decision.
    pub until_next: Option<usize>,
}

/// The margin in reports that do not contain it.
fn usual_margin() -> f64 {
    share_report(SLOWER)
}

/// No weaker rule judges pairs: their medians would add false alarms.
pub(super) fn judge(case: &Case<'_>) -> Option<Judgement> {
    case.fixed_limit()?;
    let finding = case.signals.pairs?;
    let verdict = match finding.outcome {
        Outcome::Slower if case.is_allowed(finding.median) => Verdict::Moved,
        Outcome::Slower => Verdict::Regressed,
        Outcome::Faster => Verdict::Improved,
        Outcome::Same | Outcome::NotSlower => Verdict::Unchanged,
        Outcome::Open => Verdict::Inconclusive,
    };
    Some(Judgement::new(verdict, Reason::Pairs(finding)))
}

pub(super) fn power(case: &Case<'_>, finding: &Finding) -> Power {
    Power {
        limit: Some(case.detectable(finding.margin)),
        noise: Some(share(finding.noise)),
        detectable: Some(case.detectable(finding.detectable())),
        ..Power::default()
    }
}
