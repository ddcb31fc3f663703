//! Verdicts, and the terms in which rules reach them: limits, confirmation, power.

use perf_config::{FailOn, Suspects};
use serde::{Deserialize, Serialize};

/// The result of a comparison, most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Worse than the gate allows.
    Regressed,
    /// It looks worse, but there are too few data.
    Inconclusive,
    /// Better, by more than the gate would allow in the other direction.
    Improved,
    /// Outside the tolerance, but within the gate or not gated.
    Moved,
    /// Within the tolerance, or within run-to-run variation.
    Unchanged,
    /// Both sides were measured, but their numbers cannot be compared.
    NotComparable,
    /// One side was not measured.
    Unmeasured,
}

impl Verdict {
    /// True for a verdict that fails nothing and needs no more data.
    pub(crate) const fn is_passed(self) -> bool {
        matches!(self, Self::Improved | Self::Moved | Self::Unchanged)
    }

    /// The word in reports, result lines and the config.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Regressed => FailOn::Regressed.word(),
            Self::Inconclusive => FailOn::Inconclusive.word(),
            Self::Improved => FailOn::Improved.word(),
            Self::Moved => FailOn::Moved.word(),
            Self::Unchanged => "unchanged",
            Self::NotComparable => FailOn::NotComparable.word(),
            Self::Unmeasured => FailOn::Unmeasured.word(),
        }
    }
}

/// The rule of a gate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Fails if throughput drops by more than this fraction of the better side.
    Limit(f64),
    /// Fails if it is worse at all.
    Exact,
    /// Fails if a count grows by more than this share, which the history may raise.
    Count(f64),
    /// Fails if it is not equal.
    Equal,
    /// No rule compares it: only its budget can fail it.
    Budget,
    /// Informational: not gated.
    Report,
}

/// A gate's limits, except its rule's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// The drop of throughput beyond which a warning is shown.
    pub warn: Option<f64>,
    /// The minimum absolute change: below it, in the metric's unit, nothing regresses.
    pub floor: Option<f64>,
    /// True if the user set the limit. It then applies in addition to the statistical rules' limits.
    pub is_chosen: bool,
}

/// The results of a suspected regression's confirmation runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Confirmation {
    /// Confirmation runs that are also beyond the limit.
    pub confirmed: usize,
    /// Confirmation runs.
    #[serde(rename = "repeats")]
    pub confirmation_runs: usize,
    /// Confirmation runs that a regression needs; 0 if it is so large that it needs none.
    pub needed: usize,
}

impl Confirmation {
    /// True if enough runs agree, and they are the majority.
    pub fn is_complete(self) -> bool {
        self.confirmed >= self.needed
            && (self.confirmation_runs == 0 || 2 * self.confirmed > self.confirmation_runs)
    }

    /// True if most runs were within the limit. One of several runs does not suffice: it is as likely to be the odd one
    /// as the first run.
    pub fn is_refuted(self) -> bool {
        2 * self.confirmed < self.confirmation_runs
    }

    /// The verdict on the suspect: refuted, confirmed, or undecided unless unconfirmed suspects fail.
    pub fn verdict(self, unconfirmed: Suspects) -> Verdict {
        if self.is_refuted() {
            Verdict::Moved
        } else if self.is_complete() || unconfirmed == Suspects::Fail {
            Verdict::Regressed
        } else {
            Verdict::Inconclusive
        }
    }

    /// The minimum number of additional runs that can confirm it; 0 if it is decided.
    pub fn missing(self) -> usize {
        let is_settled = self.is_complete() || self.is_refuted();
        if is_settled {
            0
        } else {
            self.needed.saturating_sub(self.confirmed).max(1)
        }
    }
}

/// The power of a rule: the changes that it allows, and the minimum that it detects.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Power {
    /// The largest growth that passes without suspicion, as a share of the baseline, or of the history's median. `None`
    /// if nothing fails.
    pub limit: Option<f64>,
    /// The run-to-run variation, as a share: one standard deviation.
    pub noise: Option<f64>,
    /// The minimum detectable growth, as a share.
    pub detectable: Option<f64>,
    /// The minimum growth that is at least suspected, if detection also needs a confirmation.
    pub suspected: Option<f64>,
    /// True if the user's limit is below the run-to-run variation.
    pub is_too_tight: bool,
}
