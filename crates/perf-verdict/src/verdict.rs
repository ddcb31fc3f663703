//! Verdicts, and the types that rules describe them with: limits, confirmation, power.

use perf_config::{FailOn, Suspects};
use serde::{Deserialize, Serialize};

/// The result of a metric's comparison, most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The value is worse than the gate allows.
    Regressed,
    /// The value may be worse, but the data do not suffice to decide.
    Inconclusive,
    /// The value is better by more than the gate would allow in the other direction.
    Improved,
    /// The change is outside the tolerance, but within the gate's limits or not gated.
    Moved,
    /// The change is within the tolerance or the run-to-run variation.
    Unchanged,
    /// Both sides were measured, but their values cannot be compared.
    NotComparable,
    /// The baseline or the current run does not contain the value.
    Unmeasured,
}

impl Verdict {
    /// True if the value was compared, and is neither regressed nor inconclusive.
    pub(crate) const fn is_passed(self) -> bool {
        matches!(self, Self::Improved | Self::Moved | Self::Unchanged)
    }

    /// The verdict's name in reports, in result lines and in the config.
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

/// The rule by which a gate compares the current value with the baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Fails if a cost grows or a rate drops by more than this fraction of the baseline. With enough data, the
    /// statistical rules replace this limit.
    Limit(f64),
    /// Fails if the value is worse at all.
    Exact,
    /// Fails if a count grows by more than this share. A history with larger steps raises the share.
    Count(f64),
    /// Fails if the value differs from the baseline.
    Equal,
    /// Not compared: only a budget can fail the metric.
    Budget,
    /// Not gated: the metric is informational.
    Report,
}

/// A gate's limits in addition to the rule's own limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// The soft limit: a warning is shown if a cost grows or a rate drops by more than this share.
    pub warn: Option<f64>,
    /// The minimum absolute change, in the metric's unit. Smaller changes are never regressions.
    pub floor: Option<f64>,
    /// True if the user set the rule's limit. Then it applies in addition to the statistical rules' limits.
    pub is_chosen: bool,
}

/// The results of a suspected regression's confirmation runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Confirmation {
    /// How many confirmation runs are also beyond the limit.
    pub confirmed: usize,
    /// How many confirmation runs measured the metric. Runs during an environment shift are left out.
    #[serde(rename = "repeats")]
    pub confirmation_runs: usize,
    /// How many confirmation runs a regression needs; 0 if the suspicion is certain without one.
    pub needed: usize,
}

impl Confirmation {
    /// True if enough runs confirm the regression, and most runs do.
    pub fn is_complete(self) -> bool {
        self.confirmed >= self.needed
            && (self.confirmation_runs == 0 || 2 * self.confirmed > self.confirmation_runs)
    }

    /// True if most runs were within the limit. One such run among several does not suffice, because it is as likely to
    /// be an outlier as the first run.
    pub fn is_refuted(self) -> bool {
        2 * self.confirmed < self.confirmation_runs
    }

    /// Returns the suspected regression's verdict: moved if refuted, regressed if confirmed, otherwise inconclusive. If
    /// the config lets unconfirmed suspects fail, they are regressed as well.
    pub fn verdict(self, unconfirmed: Suspects) -> Verdict {
        if self.is_refuted() {
            Verdict::Moved
        } else if self.is_complete() || unconfirmed == Suspects::Fail {
            Verdict::Regressed
        } else {
            Verdict::Inconclusive
        }
    }

    /// The minimum number of additional runs that can confirm the regression; 0 if the case is decided.
    pub fn missing(self) -> usize {
        let is_settled = self.is_complete() || self.is_refuted();
        if is_settled {
            0
        } else {
            self.needed.saturating_sub(self.confirmed).max(1)
        }
    }
}

/// The power of a rule: how large a change it lets pass, and how small a change it detects.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Power {
    /// The largest growth that passes without suspicion, as a share of the baseline or of the history's median. `None`
    /// if the rule has no growth limit.
    pub limit: Option<f64>,
    /// The run-to-run variation: the relative standard deviation.
    pub noise: Option<f64>,
    /// The minimum detectable growth, as a share.
    pub detectable: Option<f64>,
    /// The minimum growth that is at least suspected, as a share. `None` if detection needs no confirmation.
    pub suspected: Option<f64>,
    /// True if the user's limit is below the run-to-run variation, so that noise would exceed it.
    pub is_too_tight: bool,
}
