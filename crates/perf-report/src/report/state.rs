//! A metric's state in the report. It decides whether the metric's row is in the table, in a fold, or in a list.

use perf_config::FailOn;
use perf_model::metric::Direction;
use perf_verdict::cost_scale::cost;
use perf_verdict::{MetricComparison, Obstacle, Reason, Verdict};

use crate::series;

/// The smallest slowdown that is shown in the table even within its limit: 10% as a distance.
pub(super) const NOTABLE_LOSS: f64 = 0.095_310_179_804_325; // ln 1.1

/// The state of a row; the most severe states come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum RowState {
    Regressed,
    Missing,
    Unmeasured,
    Inconclusive,
    /// The metric is over its soft limit.
    Warned,
    /// The metric is not gated, but changed by more than the fixed limit: for the worse, or in an unknown direction.
    Unguarded,
    /// The metric is within its limit, but notably slower.
    Slower,
    Improved,
    /// The metric is inconclusive due to an environment shift.
    Shifted,
    Within,
    /// The metric is not gated, and is unchanged, better, or changed by less than the fixed limit.
    NotGated,
    /// The metric is not comparable, or was not measured in the baseline.
    Uncompared,
    Waived,
}

impl RowState {
    pub(super) fn of(compared: &MetricComparison) -> Self {
        let judgement = &compared.judgement;
        let is_gated = judgement.is_gated();
        match judgement.verdict {
            Verdict::Unmeasured
                if is_gated && judgement.reason == Reason::Obstacle(Obstacle::NoCurrent) =>
            {
                Self::Unmeasured
            }
            Verdict::Unmeasured | Verdict::NotComparable => Self::Uncompared,
            _ if judgement.waived.is_some() => Self::Waived,
            Verdict::Regressed => Self::Regressed,
            Verdict::Inconclusive if matches!(judgement.reason, Reason::Environment(_)) => {
                Self::Shifted
            }
            Verdict::Inconclusive => Self::Inconclusive,
            _ if judgement.is_unguarded => Self::Unguarded,
            _ if !is_gated => Self::NotGated,
            _ if judgement.warned => Self::Warned,
            Verdict::Improved => Self::Improved,
            Verdict::Moved if is_notable_loss(compared) => Self::Slower,
            Verdict::Moved | Verdict::Unchanged => Self::Within,
        }
    }

    /// True if the metric's row is in the table outside of folds.
    pub(super) fn is_prominent(self) -> bool {
        self < Self::Shifted
    }

    pub(super) fn is_gated(self) -> bool {
        !matches!(self, Self::NotGated | Self::Unguarded)
    }

    /// True if the report explains how the verdict was decided.
    pub(super) fn is_explained(self) -> bool {
        matches!(self, Self::Regressed | Self::Inconclusive)
    }

    /// The icon in Markdown, and the word and its ANSI colour at a terminal.
    fn look(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Regressed => ("❌", "regressed", RED),
            Self::Missing => ("⚠️", "missing", RED),
            Self::Unmeasured => ("⚠️", "unmeasured", YELLOW),
            Self::Inconclusive => ("⚠️", "inconclusive", YELLOW),
            Self::Shifted => ("", "inconclusive", YELLOW),
            Self::Warned => ("⚠️", "soft limit", YELLOW),
            Self::Unguarded => ("⚠️", "not gated", YELLOW),
            Self::Slower => ("🔸", "slower", YELLOW),
            Self::Improved => ("🚀", "improved", GREEN),
            Self::NotGated => ("", "not gated", ""),
            Self::Within | Self::Uncompared | Self::Waived => ("", "", ""),
        }
    }

    pub(super) fn icon(self) -> &'static str {
        self.look().0
    }

    /// Returns the verdict in `fail-on` that such a row belongs to.
    pub(super) fn verdict(self) -> Option<FailOn> {
        match self {
            Self::Regressed => Some(FailOn::Regressed),
            Self::Missing => Some(FailOn::Missing),
            Self::Unmeasured => Some(FailOn::Unmeasured),
            Self::Inconclusive => Some(FailOn::Inconclusive),
            _ => None,
        }
    }

    pub(super) fn word(self) -> &'static str {
        self.look().1
    }

    pub(super) fn colour(self) -> &'static str {
        self.look().2
    }
}

const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const YELLOW: &str = "\u{1b}[33m";

/// True for a large slowdown beyond the normal range of the history, or without a history.
fn is_notable_loss(compared: &MetricComparison) -> bool {
    if compared.metric.meaning.exact || loss(compared).is_none_or(|loss| loss < NOTABLE_LOSS) {
        return false;
    }
    let (Some(band), Some(current)) = (compared.band, series::current(compared)) else {
        return true;
    };
    let cost = cost(compared.metric.meaning.direction, current);
    cost.is_none_or(|cost| !(band.better..=band.normal).contains(&cost))
}

/// Returns the growth of the cost as a distance. `None` if either number has no cost.
pub(super) fn loss(compared: &MetricComparison) -> Option<f64> {
    if let Some(effect) = compared.judgement.reason.effect() {
        return Some(effect);
    }
    let factor = 1.0 + compared.judgement.change?;
    match compared.metric.meaning.direction {
        Direction::Unknown => None,
        direction => cost(direction, factor),
    }
}
