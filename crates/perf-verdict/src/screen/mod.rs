//! The first pass over a suite: the signals in each metric's own data, and the requirements of the suite as a whole.

pub(crate) mod alike;
pub(crate) mod common;
pub(crate) mod related;
pub mod residual;
pub(crate) mod steps;

use perf_config::HistoryPolicy;
use perf_stats::order::middle;

use crate::evidence::Evidence;
use crate::oriented::launch_cost;
use crate::signals::band::Band;
use crate::signals::pairs::{self, Analysis, Outcome};
use crate::signals::shift::{Distance, Distances, distance};
use crate::signals::{launches, returns};

/// A suspect in a suite of more metrics than this needs two confirmation runs: among many, one is slow twice by luck. Of 10,
/// 12, 16, 20 and 50, on ten histories; seven others confirm it.
const SECOND_RUN: usize = 12;
/// The number of runs that show what comes back in a suite. Of 15, 20, 30 and 50.
const RETURN_RUNS: usize = 15;
/// In a suite of more metrics than this, luck explains more of what fails without a confirmation run.
const LARGE_SUITE: usize = 50;
/// The fewest pairs that need a ratio: nine in ten.
const RATIOS: (usize, usize) = (9, 10);

/// The signals in the data of one metric.
#[derive(Clone, Debug, Default)]
pub struct Screen {
    /// The normal range, where there is a history.
    pub band: Option<Band>,
    /// The distance of the current cost from the history.
    pub distance: Option<Distance>,
    /// The comparison of launches, where both sides have some.
    pub samples: Option<launches::Test>,
    /// The interim analysis of pairs, where there are some.
    pub pairs: Option<Analysis>,
}

impl Screen {
    /// Screens one metric alone.
    pub fn of(evidence: &Evidence, policy: &HistoryPolicy) -> Self {
        let extra = evidence.extra.as_deref().filter(|_| evidence.is_timed());
        let band = extra
            .and_then(|extra| Band::of(&evidence.costs(&extra.history), policy.last, policy.least));
        Self::with_band(evidence, band)
    }

    /// Screens a metric whose normal range is known.
    pub(crate) fn with_band(evidence: &Evidence, band: Option<Band>) -> Self {
        let Some(extra) = evidence.extra.as_deref().filter(|_| evidence.is_timed()) else {
            return Self::default();
        };
        let [base, current] = [&extra.base_launches, &extra.current_launches]
            .map(|launches| evidence.launch_costs(launches));
        let several = base.len() > 1 && current.len() > 1;
        let side = |number| launch_cost(evidence.direction(), number);
        let both = |(base, current): &(f64, f64)| side(*base).zip(side(*current));
        let looked = |pairs: &[(f64, f64)]| {
            let costs: Vec<_> = pairs.iter().filter_map(both).collect();
            // Pairs with a zero have no ratio: where they are many, the others do not stand for all.
            let are_all = costs.len() * RATIOS.1 >= pairs.len() * RATIOS.0;
            if are_all {
                pairs::look_beyond(&costs, evidence.margin())
            } else {
                None
            }
        };
        Self {
            distance: band
                .zip(evidence.current_cost())
                .map(|(band, cost)| distance(cost, &band)),
            band,
            samples: if several {
                launches::test(&base, &current)
            } else {
                None
            },
            pairs: looked(&extra.pairs).map(|pairs| {
                let pairs = pairs.beside(looked(&extra.middles));
                // The end alone does not acquit launches of which a share is far slower.
                let is_left = pairs.is_open() && extra.mixture.is_some();
                if is_left {
                    Analysis {
                        outcome: Outcome::Open,
                        ..pairs
                    }
                } else {
                    pairs
                }
            }),
        }
    }
}

/// The requirements of a suite as a whole, which grow with the number of its metrics.
#[derive(Clone, Copy, Debug, Default)]
pub struct SuiteStats {
    /// The number of launches a side at which one slower metric can be significant in the suite.
    pub launches: usize,
    /// The number of confirmation runs that a suspect needs.
    pub repeats: usize,
    /// True if luck explains more than usually, as there are so many metrics.
    pub is_large: bool,
    /// The number of gated metrics with a history.
    pub with_history: usize,
    /// The number of those whose newest baseline is better than the history by more than its limit.
    pub improved: usize,
    /// The largest step of any of them from one run to the next that came back, as a distance; `None` with few earlier runs.
    pub largest_return: Option<f64>,
}

impl SuiteStats {
    /// Counts the metrics of a suite, and marks the comparisons of launches that are significant together.
    pub fn of(suite: &mut [(&Evidence, &mut Screen)]) -> Self {
        let gated = |evidence: &Evidence| evidence.is_gated() && evidence.obstacle.is_none();
        let judged = suite
            .iter()
            .filter(|(evidence, screen)| gated(evidence) && screen.band.is_some())
            .count();
        let tested = suite
            .iter()
            .filter(|(evidence, screen)| gated(evidence) && screen.samples.is_some())
            .count();
        let (mut largest, mut runs, mut improved) = (0.0, 0, 0);
        for (evidence, screen) in suite
            .iter()
            .filter(|(evidence, screen)| gated(evidence) && screen.band.is_some())
        {
            let costs = evidence
                .extra
                .iter()
                .map(|extra| evidence.costs(&extra.history))
                .next()
                .unwrap_or_default();
            let gain = screen
                .band
                .zip(evidence.baseline_cost())
                .is_some_and(|(band, baseline)| band.median - baseline > band.reach());
            improved += usize::from(gain);
            (largest, runs) = (returns::largest(&costs, largest), runs.max(costs.len()));
        }
        let gated = suite.iter_mut().filter(|(evidence, _)| gated(evidence));
        let mut tests: Vec<&mut launches::Test> = gated
            .filter_map(|(_, screen)| screen.samples.as_mut())
            .collect();
        launches::reject(&mut tests);
        let metrics = judged.max(tested);
        Self {
            launches: launches::needed(tested.max(1)),
            repeats: if metrics > SECOND_RUN { 2 } else { 1 },
            is_large: metrics > LARGE_SUITE,
            with_history: judged,
            improved,
            largest_return: (runs >= RETURN_RUNS).then_some(largest),
        }
    }
}

/// The distances of one scope: of each scenario the first metric that has a history.
pub(crate) fn distances<'s>(
    rows: impl IntoIterator<Item = (&'s [Evidence], &'s [Screen])>,
) -> Distances {
    let first = |metrics: &[Screen]| metrics.iter().find_map(|screen| screen.distance);
    Distances::new(rows.into_iter().filter_map(|(_, screens)| first(screens)))
}

/// The distances of each confirmation run, whose machine may be slower than the first one.
pub(crate) fn distances_of_repeats<'s>(
    rows: impl IntoIterator<Item = (&'s [Evidence], &'s [Screen])>,
) -> Vec<Distances> {
    let mut distances: Vec<Vec<Distance>> = Vec::new();
    for (metrics, screens) in rows {
        let first = metrics
            .iter()
            .zip(screens)
            .find_map(|(evidence, screen)| Some((evidence, screen.band?)));
        let Some((evidence, band)) = first else {
            continue;
        };
        for (run, launches) in evidence
            .extra
            .iter()
            .flat_map(|extra| &extra.repeats)
            .enumerate()
        {
            distances.resize_with(distances.len().max(run + 1), Vec::new);
            distances[run].extend(distance_of_repeat(evidence, launches, &band));
        }
    }
    distances.into_iter().map(Distances::new).collect()
}

/// The distance of a confirmation run, which the median of its launches stands for.
pub(crate) fn distance_of_repeat(
    evidence: &Evidence,
    launches: &[f64],
    band: &Band,
) -> Option<Distance> {
    Some(distance(middle(&evidence.costs(launches))?, band))
}
