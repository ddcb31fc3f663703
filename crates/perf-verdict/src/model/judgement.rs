//! The verdict on one metric.

use perf_model::row::Name;

use crate::evidence::gate::NotGated;
use crate::evidence::obstacle::Obstacle;
use crate::rules::Reason;
use crate::verdict::{Confirmation, Power, Rule, Verdict};

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
    pub power: Power,
    /// The waiver that covers it, as its place in the config.
    pub waived: Option<u32>,
}

impl Judgement {
    /// The judgement of a rule; the engine adds the rest.
    pub fn new(verdict: Verdict, reason: Reason) -> Self {
        Self {
            verdict,
            rule: Rule::Report,
            reason,
            change: None,
            moved: verdict != Verdict::Unchanged,
            warned: false,
            cannot_fail: None,
            is_unguarded: false,
            power: Power::default(),
            waived: None,
        }
    }

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
        self.reason.suspicion().is_some()
    }

    /// True if confirmation runs refuted what the data suggest.
    pub fn is_refuted(&self) -> bool {
        self.reason
            .suspicion()
            .is_some_and(Confirmation::is_refuted)
    }
}

/// A metric that ten times the cost would not fail.
#[derive(Clone, Debug, PartialEq)]
pub struct Blind {
    /// Its scope.
    pub scope: String,
    /// Its scenario.
    pub scenario: Name,
    /// Its name.
    pub metric: Name,
    /// The reason.
    pub why: CannotFail,
}

/// The reason why a metric cannot fail, whatever it costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CannotFail {
    /// The self-test failed: no regression can be detected, the injected one got this verdict.
    Undetected(Verdict),
    /// The self-test failed: an improvement was judged a regression.
    Misjudged,
    /// No rule is for it.
    NotGated(NotGated),
    /// The baseline has no value, and it has no budget.
    NoBaseline,
    /// No verdict on a worse value is among those that fail; the injected regression got this one.
    NotFailing(Verdict),
    /// The waiver at this place in the config excuses whatever happens.
    Waived(usize),
    /// The minimum absolute change, in the metric's unit, is larger.
    Floor(f64),
    /// The limit of the history is larger: this growth of the cost above the median, as a share.
    Band(f64),
}

impl CannotFail {
    /// True if the self-test failed: the limits contradict each other, rather than the data or the project's wishes.
    /// One odd number, whose injected regression would be inconclusive or not comparable, does not keep others from
    /// being judged.
    pub fn is_failed_test(self) -> bool {
        match self {
            Self::Undetected(verdict) => verdict.is_passed(),
            Self::Misjudged => true,
            _ => false,
        }
    }
}
