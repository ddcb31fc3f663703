//! The verdict on one metric.

use perf_model::row::Name;

use crate::evidence::gate::NotGated;
use crate::evidence::obstacle::Obstacle;
use crate::rules::Reason;
use crate::verdict::{Confirmation, Power, Rule, Verdict};

/// A verdict with its reason and numbers.
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
    /// Why it cannot fail; `None` if a large enough change fails.
    pub cannot_fail: Option<CannotFail>,
    /// True if it changed by more than the fixed limit without a gate: for the worse, or in an unknown direction.
    pub is_unguarded: bool,
    /// The smallest detectable change, with the noise and the limits.
    pub power: Power,
    /// The index of the waiver that covers it.
    pub waived: Option<usize>,
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

    /// True if the two sides were measured on different machine types, by different methodologies or with different
    /// toolchains.
    pub fn is_unlike(&self) -> bool {
        use Obstacle::{OtherMachine, OtherMethodology, OtherToolchain};
        matches!(
            self.reason,
            Reason::Obstacle(OtherMachine | OtherMethodology(..) | OtherToolchain)
        )
    }

    /// True if the two sides were compared.
    pub fn is_compared(&self) -> bool {
        !matches!(self.verdict, Verdict::NotComparable | Verdict::Unmeasured)
    }

    /// True if it is gated and never exceeded a limit, not even in a refuted suspicion.
    pub fn is_within_limits(&self) -> bool {
        let is_well = matches!(self.verdict, Verdict::Moved | Verdict::Unchanged) && !self.warned;
        is_well && self.is_gated() && self.waived.is_none() && !self.is_suspect()
    }

    /// True if a regression is suspected, confirmed or not.
    pub fn is_suspect(&self) -> bool {
        self.reason.suspicion().is_some()
    }

    /// True if confirmation runs refuted the suspicion.
    pub fn is_refuted(&self) -> bool {
        self.reason
            .suspicion()
            .is_some_and(Confirmation::is_refuted)
    }
}

/// A metric that would not fail at ten times the cost.
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

/// Why a metric cannot fail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CannotFail {
    /// The self-test failed: no regression can be detected. The injected one got this verdict.
    Undetected(Verdict),
    /// It has no rule.
    NotGated(NotGated),
    /// Neither a baseline value nor a budget exists.
    NoBaseline,
    /// This verdict, which the injected regression got, does not fail the run.
    NotFailing(Verdict),
    /// The waiver with this index excuses everything.
    Waived(usize),
    /// The minimum absolute change, in the metric's unit, is larger.
    Floor(f64),
    /// The history's limit is larger: this growth above the median, as a share.
    Band(f64),
}
