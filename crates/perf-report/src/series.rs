//! The series of compared numbers: the numbers of earlier baselines, then the current one. All are the metric's own
//! values, or ratios relative to a reference.

use perf_model::row::Value;
use perf_verdict::cost_scale::value;
use perf_verdict::rules::history;
use perf_verdict::{MetricComparison, Reason};

use crate::subject::change_of;

/// Returns the current number in the form that is compared: the metric's value, or the ratio to its reference.
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
        // The last value in the history is the baseline.
        _ => Some(compared.extra.history.last()? * (1.0 + compared.judgement.change?)),
    }
}

/// The median of the history that the current number is compared with.
pub(crate) struct Median {
    /// The median of the metric's own values, or of the ratios.
    pub(crate) number: f64,
    /// The number of earlier values.
    pub(crate) values: usize,
    /// The growth of the cost from the median to the current number as a distance.
    pub(crate) distance: f64,
}

/// Returns the median if the verdict compares the current number with the history, or `None` if it uses the baseline.
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

/// Returns the earlier numbers and the current one. The list is empty without earlier numbers.
pub(crate) fn numbers(compared: &MetricComparison) -> Vec<f64> {
    let earlier = &compared.extra.history;
    let now = current(compared).filter(|_| !earlier.is_empty());
    earlier.iter().copied().chain(now).collect()
}
