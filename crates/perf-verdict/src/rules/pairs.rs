//! The rule for interleaved A/B pairs: turns the outcome of their interim analyses into a verdict.

use serde::{Deserialize, Serialize};

use super::{Case, Judgement, Reason};
use crate::cost_scale::{share, share_report};
use crate::signals::pairs::Analysis;
use crate::verdict::{Power, Verdict};

pub use crate::signals::pairs::{DECISIVE, LOOKS, Look, Outcome, SLOWER, look, look_beyond};

/// The interim analysis that decided or, if none did, the last one.
pub type Finding = Analysis;

/// Returns the form for reports, in which distances are shares of the cost.
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

/// The analysis of interleaved pairs. Effects are shares of the cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PairsReport {
    /// The number of pairs at the interim analysis.
    pub pairs: usize,
    /// The slowdown that the pairs are tested against: 0.02, or the gate's limit if that is between 0.001 and 0.02.
    #[serde(default = "usual_margin")]
    pub margin: f64,
    /// The number of pairs that are slower by more than the margin. For an improvement, the number of pairs that are
    /// faster by more than the margin.
    pub slower: usize,
    /// The number of pairs that are slower by less than 5%, or faster. If the margin is below 2%, the 5% are reduced in
    /// proportion.
    pub within: usize,
    /// The lag-1 autocorrelation of the differences, if it is too large for independent pairs; otherwise null.
    pub autocorrelation: Option<f64>,
    /// The typical difference: the Hodges–Lehmann estimate.
    pub median: f64,
    /// The 95% lower confidence bound of the typical difference; null if there are too few pairs.
    pub low: Option<f64>,
    /// The 95% upper confidence bound of the typical difference; null if there are too few pairs.
    pub high: Option<f64>,
    /// The typical difference between the medians of process runs, if the medians are slower but the fastest samples
    /// are not; otherwise null.
    pub tail: Option<f64>,
    /// Whether the same rule finds a change when it compares a side with itself, although the code is the same. If so,
    /// no regression or improvement is concluded. Null before the first interim analysis.
    pub control_flagged: Option<bool>,
    /// The number of further pairs until the next interim analysis that could change the verdict. Null after the last
    /// analysis and after a decision.
    pub until_next: Option<usize>,
}

/// Returns the margin for reports that do not contain it.
fn usual_margin() -> f64 {
    share_report(SLOWER)
}

/// Judges pairs. No other rule does, because comparing only the medians would add false alarms.
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
