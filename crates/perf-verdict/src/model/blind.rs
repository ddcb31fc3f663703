//! Metrics that cannot fail, and the reason for each.

use perf_model::row::Name;

use crate::evidence::gate::NotGated;
use crate::verdict::Verdict;

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
        let is_passed = |verdict| {
            matches!(
                verdict,
                Verdict::Improved | Verdict::Moved | Verdict::Unchanged
            )
        };
        match self {
            Self::Undetected(verdict) => is_passed(verdict),
            Self::Misjudged => true,
            _ => false,
        }
    }
}
