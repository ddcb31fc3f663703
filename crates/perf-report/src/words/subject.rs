//! The metric that a sentence is about, and how its changes are written.

use std::ops::Deref;

use perf_config::Plus;
use perf_model::metric::Direction;
use perf_verdict::MetricComparison;
use perf_verdict::cost_scale::distance_of_limit;

use super::signed;

/// A compared metric, and the meaning of a plus sign in the project's reports.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'c> {
    compared: &'c MetricComparison,
    plus: Plus,
}

impl Deref for Subject<'_> {
    type Target = MetricComparison;

    fn deref(&self) -> &MetricComparison {
        self.compared
    }
}

impl<'c> Subject<'c> {
    pub(crate) fn new(compared: &'c MetricComparison, plus: Plus) -> Self {
        Self { compared, plus }
    }

    pub(crate) fn compared(self) -> &'c MetricComparison {
        self.compared
    }

    pub(crate) fn direction(&self) -> Direction {
        self.compared.metric.meaning.direction
    }

    /// A distance of costs as a raw change of the number: a cost of +50% is +50% of a time and −33% of a throughput.
    pub(crate) fn change_of(&self, distance: f64) -> f64 {
        change_of(self.direction(), distance)
    }

    /// The raw change that a fixed limit lets pass; `None` where it lets all pass.
    pub(crate) fn change_of_limit(&self, limit: f64) -> Option<f64> {
        distance_of_limit(self.direction(), limit).map(|distance| self.change_of(distance))
    }

    /// A raw change: `+32.2%`, `−0.05%`, beyond twice as much `2.5× slower`; zero only for zero.
    pub(crate) fn signed(&self, change: f64) -> String {
        self.signed_within(change, 1)
    }

    /// [`Self::signed`] of a distance of costs.
    pub(crate) fn effect(&self, distance: f64) -> String {
        self.signed(self.change_of(distance))
    }

    /// A raw change and its limit, with enough digits to differ.
    pub(crate) fn signed_pair(&self, change: f64, limit: f64) -> (String, String) {
        let at = |decimals| {
            (
                self.signed_within(change, decimals),
                self.signed_within(limit, decimals),
            )
        };
        (1..6)
            .map(at)
            .find(|(change, limit)| change != limit)
            .unwrap_or_else(|| at(1))
    }

    fn signed_within(&self, change: f64, decimals: usize) -> String {
        signed(&self.metric, self.plus, change, decimals)
    }

    /// A raw change as a percentage, however large.
    pub(crate) fn percentage(&self, change: f64, decimals: usize) -> String {
        super::percentage(&self.metric, self.plus, change, decimals)
    }
}

/// A distance of costs as a raw change of a number.
pub(crate) fn change_of(direction: Direction, distance: f64) -> f64 {
    if direction == Direction::Higher {
        (-distance).exp_m1()
    } else {
        distance.exp_m1()
    }
}

/// A change and what it is measured from: `+5% vs. the baseline`, `2.5× slower than the baseline`.
pub(crate) fn versus(change: &str, reference: &str) -> String {
    let joint = if change.contains('×') { "than" } else { "vs." };
    format!("{change} {joint} {reference}")
}
