//! Signals, which are computed from the values alone: a metric's normal range, tests and shifts, and statistics of the
//! suite.

pub mod band;
pub mod launches;
pub mod pairs;
pub mod related;
pub mod returns;
pub mod shift;

use std::collections::HashMap;

use crate::statistics::order::middle;
use crate::statistics::ranks::launches_needed;
use perf_config::HistoryPolicy;

use self::band::Band;
use self::pairs::Analysis;
use self::shift::{Distance, Distances, distance};
use crate::cost_scale::{cost, launch_cost};
use crate::evidence::Evidence;

/// In suites with more metrics, a suspected regression needs two confirmation runs, because one of many metrics is
/// likely to be slow twice by chance. The limit was chosen from 10, 12, 16, 20 and 50 on ten histories, and validated
/// on seven others.
const SECOND_RUN: usize = 12;
/// The minimum number of runs that show how large the suite's spikes are.
const SPIKE_RUNS: usize = 15;
/// A cost needs no confirmation run if it exceeds all earlier values by this distance: 25%, six standard deviations
/// (but at most a doubling), or 1.25 times the suite's second-largest spike, whichever is largest. With too few runs to
/// know the spikes, 50% replaces the 25%.
const CERTAIN: f64 = 0.223_143_551_314_209_8; // ln 1.25
pub(crate) const CERTAIN_IN_DOUBT: f64 = 0.405_465_108_108_164; // ln 1.5
const CERTAIN_SCALES: f64 = 6.0;
const MOST_BY_NOISE: f64 = std::f64::consts::LN_2;
const CERTAIN_SPIKES: f64 = 1.25;
/// The minimum share of pairs that must have a ratio: nine in ten.
const RATIOS: (usize, usize) = (9, 10);

/// The signals of a metric.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    /// The normal range, if there is a long enough history.
    pub band: Option<Band>,
    /// The distance of the current cost from the history, if there is one.
    pub distance: Option<Distance>,
    /// The comparison of process runs, if both sides have several.
    pub samples: Option<launches::Test>,
    /// The interim analysis of pairs, if there are any.
    pub pairs: Option<Analysis>,
}

/// A metric with its evidence and signals.
#[derive(Clone, Debug)]
pub struct ScreenedMetric {
    /// The measured values, with the rule and limits.
    pub evidence: Evidence,
    /// The signals computed from the evidence.
    pub signals: Signals,
}

impl ScreenedMetric {
    /// True if the metric is gated and its two sides can be compared.
    fn is_judged(&self) -> bool {
        self.evidence.is_gated() && self.evidence.obstacle.is_none()
    }
}

impl Signals {
    /// Computes the signals of a metric.
    pub fn of(evidence: &Evidence, policy: &HistoryPolicy) -> Self {
        let costs = evidence.costs(&evidence.extra.history);
        Self::with_band(evidence, Band::of(&costs, policy.last, policy.least))
    }

    /// Computes the signals of a metric whose normal range is known. For counts, returns no signals.
    pub fn with_band(evidence: &Evidence, band: Option<Band>) -> Self {
        if !evidence.is_timed() {
            return Self::default();
        }
        let extra = &evidence.extra;
        let [base, current] = [&extra.base_launches, &extra.current_launches]
            .map(|launches| evidence.launch_costs(launches));
        let mut samples = None;
        if base.len() > 1 && current.len() > 1 {
            samples = launches::test(&base, &current);
        }
        let mut pairs = analyse_pairs(evidence, &extra.pairs);
        if let Some(analysis) = &mut pairs {
            *analysis = analysis.beside(analyse_pairs(evidence, &extra.middles));
        }
        let cost = evidence.current_cost();
        Self {
            distance: band.zip(cost).map(|(band, cost)| distance(cost, &band)),
            band,
            samples,
            pairs,
        }
    }
}

/// Analyses pairs of values. A pair that contains a zero has no ratio and is left out. If there are too many such
/// pairs, returns `None`, because the other pairs are not representative.
fn analyse_pairs(evidence: &Evidence, pairs: &[(f64, f64)]) -> Option<Analysis> {
    let cost = |number| launch_cost(evidence.direction(), number);
    let mut costs = Vec::with_capacity(pairs.len());
    for (base, current) in pairs {
        costs.extend(cost(*base).zip(cost(*current)));
    }
    if costs.len() * RATIOS.1 < pairs.len() * RATIOS.0 {
        return None;
    }
    pairs::look_beyond(&costs, evidence.margin())
}

/// Statistics of a suite, from which the rules derive their requirements.
#[derive(Clone, Copy, Debug, Default)]
pub struct SuiteStats {
    /// The minimum number of process runs per side with which a single slower metric can be significant in the suite.
    pub launches: usize,
    /// The number of confirmation runs that a suspected regression needs.
    pub confirmation_runs: usize,
    /// The number of gated metrics with a history.
    pub with_history: usize,
    /// The number of gated metrics whose newest baseline is better than their history by more than the limit.
    pub improved: usize,
    /// The second-largest spike, as a distance. Each run's spike is the largest excess of a metric over all its earlier
    /// values that later disappeared. `None` if there are too few earlier runs.
    pub spike: Option<f64>,
}

impl SuiteStats {
    /// Computes the statistics, and marks the comparisons of process runs that are significant in the suite.
    pub(crate) fn of(suite: &mut [&mut ScreenedMetric]) -> Self {
        let mut tests: Vec<&mut launches::Test> = Vec::new();
        for metric in suite.iter_mut().filter(|metric| metric.is_judged()) {
            tests.extend(&mut metric.signals.samples);
        }
        launches::reject(&mut tests);
        let tested = tests.len();
        let mut improved = 0;
        let mut with_history: Vec<&ScreenedMetric> = Vec::new();
        for metric in suite.iter().filter(|metric| metric.is_judged()) {
            let Some(band) = metric.signals.band else {
                continue;
            };
            if let Some(baseline) = metric.evidence.baseline_cost()
                && band.median - baseline > band.reach()
            {
                improved += 1;
            }
            with_history.push(metric);
        }
        let judged = with_history.len();
        Self {
            launches: launches_needed(tested, launches::RATE / 2.0),
            confirmation_runs: if judged.max(tested) > SECOND_RUN {
                2
            } else {
                1
            },
            with_history: judged,
            improved,
            spike: second_spike(&with_history),
        }
    }

    /// Returns the excess over all earlier values, as a distance, that needs no confirmation run. `scale` is the
    /// standard deviation of the earlier values.
    pub(crate) fn certain_excess(&self, scale: f64) -> f64 {
        let least = if self.spike.is_some() {
            CERTAIN
        } else {
            CERTAIN_IN_DOUBT
        };
        let spike = CERTAIN_SPIKES * self.spike.unwrap_or_default();
        let noise = (CERTAIN_SCALES * scale).min(MOST_BY_NOISE);
        least.max(noise).max(spike)
    }
}

/// Returns the second-largest spike in the histories of these metrics. The largest one may be a single accident of the
/// machine, and must not make all other suspects inconclusive while it is in the history.
fn second_spike(metrics: &[&ScreenedMetric]) -> Option<f64> {
    let mut spikes: HashMap<usize, f64> = HashMap::new();
    let mut most_runs = 0;
    for ScreenedMetric { evidence, signals } in metrics {
        let (extra, Some(band)) = (&evidence.extra, &signals.band) else {
            continue;
        };
        let mut runs = Vec::new();
        let mut costs = Vec::new();
        for (run, number) in extra.runs.iter().zip(&extra.history) {
            if let Some(cost) = cost(evidence.direction(), *number) {
                runs.push(*run);
                costs.push(cost);
            }
        }
        most_runs = most_runs.max(costs.len());
        for (at, excess) in returns::spikes(&costs, band.values) {
            let largest = spikes.entry(runs[at]).or_default();
            *largest = largest.max(excess);
        }
    }
    let mut ordered: Vec<f64> = spikes.into_values().collect();
    ordered.sort_unstable_by(f64::total_cmp);
    let second = ordered.iter().rev().nth(1).copied();
    (most_runs >= SPIKE_RUNS).then_some(second.unwrap_or_default())
}

/// Returns the rows' distances from their histories in each confirmation run. A confirmation run's machine may be
/// slower than the first run's.
pub(crate) fn distances_of_runs(rows: &[&ScreenedMetric]) -> Vec<Distances> {
    let mut distances: Vec<Vec<Distance>> = Vec::new();
    for ScreenedMetric { evidence, signals } in rows {
        let Some(band) = &signals.band else {
            continue;
        };
        for (run, launches) in evidence.extra.confirmation_runs.iter().enumerate() {
            distances.resize_with(distances.len().max(run + 1), Vec::new);
            distances[run].extend(distance_of_rerun(evidence, launches, band));
        }
    }
    distances.into_iter().map(Distances::new).collect()
}

/// Returns a confirmation run's distance from the history, given the values of its process runs.
pub fn distance_of_rerun(evidence: &Evidence, launches: &[f64], band: &Band) -> Option<Distance> {
    Some(distance(middle(&evidence.costs(launches))?, band))
}
