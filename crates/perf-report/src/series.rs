//! The series of judged numbers: earlier baselines, then the current number. All are the metric's own, or quotients
//! relative to a reference.

use perf_model::row::Value;
use perf_verdict::cost_scale::value;
use perf_verdict::rules::history;
use perf_verdict::{MetricComparison, Reason};

use crate::subject::change_of;

/// The current number as judged.
pub(crate) fn current(compared: &MetricComparison) -> Option<f64> {
    if compared.reference.relative_to.is_none() {
        return compared.current.map(Value::as_f64);
    }
    let of_median = |found: &history::Finding| {
        Some(
            found.median
                * (1.0 + change_of(compared.metric.meaning.direction, found.effect.ln_1p())),
        )
    };
    match &compared.judgement.reason {
        Reason::History(found) => of_median(found),
        Reason::Environment(found) => of_median(found.history.as_ref()?),
        // The history's last value is the baseline.
        _ => Some(compared.extra.history.last()? * (1.0 + compared.judgement.change?)),
    }
}

/// The median of the history that the current number is compared with.
pub(crate) struct Median {
    /// The metric's median, or a quotient.
    pub(crate) number: f64,
    /// The number of earlier values.
    pub(crate) values: usize,
    /// The growth of the cost from the median to the current number, as a distance.
    pub(crate) distance: f64,
}

/// The median in a verdict by history; `None` if it compares with the baseline.
pub(crate) fn median_of(compared: &MetricComparison) -> Option<Median> {
    let of = |found: &history::Finding| Median {
        number: found.median,
        values: found.values,
        distance: found.effect.ln_1p(),
    };
    match &compared.judgement.reason {
        Reason::History(found) => Some(of(found)),
        Reason::Environment(found) => found.history.as_ref().map(of),
        Reason::Common(found) => compared.band.map(|band| Median {
            number: value(compared.metric.meaning.direction, band.median),
            values: band.values,
            distance: found.effect,
        }),
        _ => None,
    }
}

/// Earlier numbers and the current one; empty without earlier numbers.
pub(crate) fn numbers(compared: &MetricComparison) -> Vec<f64> {
    let earlier = &compared.extra.history;
    let now = current(compared).filter(|_| !earlier.is_empty());
    earlier.iter().copied().chain(now).collect()
}
