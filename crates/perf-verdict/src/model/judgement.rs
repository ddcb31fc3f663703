//! The verdict on one metric.

use super::blind::CannotFail;
use crate::evidence::gate::NotGated;
use crate::evidence::obstacle::Obstacle;
use crate::rules::Reason;
use crate::verdict::{Rule, SharedPower, Verdict};

/// A verdict and the numbers behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// What it came to.
    pub verdict: Verdict,
    /// The rule of the gate.
    pub rule: Rule,
    /// What the rule that decided found.
    pub reason: Reason,
    /// (current − baseline) / baseline; `None` without a positive baseline.
    pub change: Option<f64>,
    /// Whether it is shown as changed: outside the tolerance, or judged better or worse.
    pub moved: bool,
    /// Whether it is over the soft limit.
    pub warned: bool,
    /// Why it cannot fail; `None` if a change that is large enough fails.
    pub cannot_fail: Option<CannotFail>,
    /// Whether no rule is for it, although it changed by more than the fixed limit, for the worse or nobody knows which
    /// way.
    pub is_unguarded: bool,
    /// What could have been detected.
    pub power: SharedPower,
    /// The waiver that covers it, as its place in the config.
    pub waived: Option<u32>,
}

impl Judgement {
    /// Whether a rule of a gate is for it.
    pub fn is_gated(&self) -> bool {
        self.not_gated().is_none()
    }

    /// Why no rule is for it.
    pub fn not_gated(&self) -> Option<NotGated> {
        if let Some(CannotFail::NotGated(why)) = self.cannot_fail { Some(why) } else { None }
    }

    /// Whether the two sides were not measured alike.
    pub fn is_unlike(&self) -> bool {
        use Obstacle::{OtherMachine, OtherMethodology, OtherToolchain};
        matches!(self.reason, Reason::Obstacle(OtherMachine | OtherMethodology(..) | OtherToolchain))
    }

    /// Whether the two sides were compared, whatever it came to.
    pub fn is_compared(&self) -> bool {
        !matches!(self.verdict, Verdict::NotComparable | Verdict::Unmeasured)
    }

    /// True if a gate holds for it, and nothing about it is worth a word: no limit was exceeded, not even for a while.
    pub fn is_within_limits(&self) -> bool {
        let is_well = matches!(self.verdict, Verdict::Moved | Verdict::Unchanged) && !self.warned;
        is_well && self.is_gated() && self.waived.is_none() && !self.is_suspect()
    }

    /// Whether the data suspect a regression, confirmed or not.
    pub fn is_suspect(&self) -> bool {
        self.reason.finding().suspicion().is_some()
    }
}
