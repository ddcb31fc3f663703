//! The verdict on one metric.

use super::blind::CannotFail;
use crate::evidence::gate::NotGated;
use crate::evidence::obstacle::Obstacle;
use crate::rules::Reason;
use crate::verdict::{Confirmation, Rule, SharedPower, Verdict};

/// A verdict and the numbers behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The rule of the gate.
    pub rule: Rule,
    /// The rule that decided, with its finding.
    pub reason: Reason,
    /// (current − baseline) / baseline; `None` without a positive baseline.
    pub change: Option<f64>,
    /// True if it is shown as changed: outside the tolerance, or judged better or worse.
    pub moved: bool,
    /// True if the change is over the soft limit.
    pub warned: bool,
    /// The reason why it cannot fail; `None` if a change that is large enough fails.
    pub cannot_fail: Option<CannotFail>,
    /// True if no gate applies, although it changed by more than the fixed limit: for the worse, or in an unknown
    /// direction.
    pub is_unguarded: bool,
    /// The smallest change that could have been detected, with the noise and the limits behind it.
    pub power: SharedPower,
    /// The waiver that covers it, as its place in the config.
    pub waived: Option<u32>,
}

impl Judgement {
    /// True if a gate applies to the metric.
    pub fn is_gated(&self) -> bool {
        self.not_gated().is_none()
    }

    /// The reason why no gate applies; `None` if one does.
    pub fn not_gated(&self) -> Option<NotGated> {
        if let Some(CannotFail::NotGated(why)) = self.cannot_fail {
            Some(why)
        } else {
            None
        }
    }

    /// True if the two sides were not measured alike: on another class of machine, by another methodology or with
    /// another toolchain.
    pub fn is_unlike(&self) -> bool {
        use Obstacle::{OtherMachine, OtherMethodology, OtherToolchain};
        matches!(
            self.reason,
            Reason::Obstacle(OtherMachine | OtherMethodology(..) | OtherToolchain)
        )
    }

    /// True if the two sides were compared, whatever the verdict.
    pub fn is_compared(&self) -> bool {
        !matches!(self.verdict, Verdict::NotComparable | Verdict::Unmeasured)
    }

    /// True if a gate holds for it, and nothing about it is worth a word: no limit was exceeded, not even for a while.
    pub fn is_within_limits(&self) -> bool {
        let is_well = matches!(self.verdict, Verdict::Moved | Verdict::Unchanged) && !self.warned;
        is_well && self.is_gated() && self.waived.is_none() && !self.is_suspect()
    }

    /// True if the data suggest a regression, confirmed or not.
    pub fn is_suspect(&self) -> bool {
        self.reason.finding().suspicion().is_some()
    }

    /// True if confirmation runs refuted what the data suggest.
    pub fn is_refuted(&self) -> bool {
        self.reason
            .finding()
            .suspicion()
            .is_some_and(Confirmation::is_refuted)
    }
}
