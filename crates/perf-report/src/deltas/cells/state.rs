//! The state of a metric in the report, which decides between the table, a fold and a list.

use perf_model::metric::Direction;
use perf_verdict::cost_scale::cost;
use perf_verdict::rules::obstacle::Obstacle;
use perf_verdict::{MetricComparison, Reason, Verdict};

/// From here on a slowdown within its limit has a row in the table: 10% of the cost.
pub(crate) const NOTABLE_LOSS: f64 = 0.095_310_179_804_325; // ln 1.1

/// The state of a row, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum RowState {
    Regressed,
    Missing,
    Unmeasured,
    Inconclusive,
    /// Over its soft limit.
    Warned,
    /// Not gated, and changed by more than the fixed limit.
    Unguarded,
    /// Within its limit, and yet much slower.
    Slower,
    Improved,
    /// Inconclusive due to an environment shift.
    Shifted,
    Within,
    /// Not gated, and unchanged, better, or changed by less than the fixed limit.
    NotGated,
    /// Not comparable, or not measured in the baseline.
    Uncompared,
    Waived,
}

impl RowState {
    pub(crate) fn of(compared: &MetricComparison) -> Self {
        let judgement = &compared.judgement;
        let is_gated = judgement.is_gated();
        match judgement.verdict {
            Verdict::Unmeasured if is_gated && is_gone(compared) => Self::Unmeasured,
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

    /// True if the metric has a row in the table of what matters.
    pub(crate) fn matters(self) -> bool {
        self < Self::Shifted
    }

    /// False where no rule decides, whether a reader should know or not.
    pub(crate) fn is_gated(self) -> bool {
        !matches!(self, Self::NotGated | Self::Unguarded)
    }

    /// True if a reviewer wants to know how the verdict was decided.
    pub(crate) fn is_open(self) -> bool {
        matches!(self, Self::Regressed | Self::Inconclusive)
    }

    pub(crate) fn icon(self) -> &'static str {
        match self {
            Self::Regressed => "❌",
            Self::Missing
            | Self::Unmeasured
            | Self::Inconclusive
            | Self::Warned
            | Self::Unguarded => "⚠️",
            Self::Slower => "🔸",
            Self::Improved => "🚀",
            Self::Shifted | Self::Within | Self::NotGated | Self::Uncompared | Self::Waived => "",
        }
    }

    /// One word for a terminal, and the given one for an improvement.
    pub(crate) fn word(self, improved: &'static str) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Missing => "missing",
            Self::Unmeasured => "unmeasured",
            Self::Inconclusive | Self::Shifted => "inconclusive",
            Self::Warned => "soft limit",
            Self::Slower => "slower",
            Self::Improved => improved,
            Self::Within => "within limits",
            Self::NotGated | Self::Unguarded => "not gated",
            Self::Uncompared => "not compared",
            Self::Waived => "waived",
        }
    }
}

fn is_gone(compared: &MetricComparison) -> bool {
    compared.judgement.reason == Reason::Obstacle(Obstacle::NoCurrent)
}

fn is_notable_loss(compared: &MetricComparison) -> bool {
    !compared.metric.meaning.exact
        && !is_normal(compared)
        && loss(compared).is_some_and(|loss| loss >= NOTABLE_LOSS)
}

/// True if the current number is within the normal range of the history.
fn is_normal(compared: &MetricComparison) -> bool {
    let now = crate::series::current(compared);
    let cost = now.and_then(|now| cost(compared.metric.meaning.direction, now));
    compared
        .band()
        .zip(cost)
        .is_some_and(|(band, cost)| (band.better..=band.normal).contains(&cost))
}

/// The growth of the cost, as a distance; `None` where either number has no cost.
pub(crate) fn loss(compared: &MetricComparison) -> Option<f64> {
    let of_change = || {
        let factor = 1.0 + compared.judgement.change?;
        match compared.metric.meaning.direction {
            Direction::Unknown => None,
            direction => cost(direction, factor),
        }
    };
    compared.judgement.reason.effect().or_else(of_change)
}
