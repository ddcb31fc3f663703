//! The verdict on one metric.

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
    /// What could have been detected.
    pub power: SharedPower,
    /// The waiver that covers it, as its place in the config.
    pub waived: Option<u32>,
}

impl Judgement {
    /// Whether the two sides were not measured alike.
    pub fn is_unlike(&self) -> bool {
        use Obstacle::{OtherMachine, OtherMethodology, OtherToolchain};
        matches!(self.reason, Reason::Obstacle(OtherMachine | OtherMethodology(..) | OtherToolchain))
    }

    /// Whether the two sides were compared, whatever it came to.
    pub fn is_compared(&self) -> bool {
        !matches!(self.verdict, Verdict::NotComparable | Verdict::Unmeasured)
    }

    /// Whether the data suspect a regression, confirmed or not.
    pub fn is_suspect(&self) -> bool {
        self.reason.finding().suspicion().is_some()
    }
}
