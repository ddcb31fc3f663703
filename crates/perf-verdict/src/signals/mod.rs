//! Signals from the numbers alone: a metric's normal range, tests and shifts, and the suite's requirements.

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

/// In suites with more metrics, a suspect needs two confirmation runs: among many, one is slow twice by chance. Chosen
/// from 10, 12, 16, 20 and 50 on ten histories, confirmed on seven others.
const SECOND_RUN: usize = 12;
/// The number of runs needed to know how large the suite's spikes are.
const SPIKE_RUNS: usize = 15;
/// The excess of a cost over all earlier values that needs no confirmation run: 25%, six standard deviations up to a
/// doubling, and 1.25 times the suite's second-largest spike; 50% if there are too few runs to know the spikes.
const CERTAIN: f64 = 0.223_143_551_314_209_8; // ln 1.25
pub(crate) const CERTAIN_IN_DOUBT: f64 = 0.405_465_108_108_164; // ln 1.5
const CERTAIN_SCALES: f64 = 6.0;
const MOST_BY_NOISE: f64 = std::f64::consts::LN_2;
const CERTAIN_SPIKES: f64 = 1.25;
/// The minimum share of pairs that must have a ratio: nine in ten.
const RATIOS: (usize, usize) = (9, 10);

/// The signals in the data of one metric.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    /// The normal range, if there is a history.
    pub band: Option<Band>,
    /// The distance of the current cost from the history.
    pub distance: Option<Distance>,
    /// The comparison of process runs, if both sides have several.
    pub samples: Option<launches::Test>,
    /// The interim analysis of pairs, if any.
    pub pairs: Option<Analysis>,
}

/// A metric with its evidence and signals.
#[derive(Clone, Debug)]
pub struct ScreenedMetric {
    /// The evidence.
    pub evidence: Evidence,
    /// The signals.
    pub signals: Signals,
}

impl ScreenedMetric {
    /// True if a gate judges it, and the two sides can be compared.
    fn is_judged(&self) -> bool {
        self.evidence.is_gated() && self.evidence.obstacle.is_none()
    }
}

impl Signals {
    /// The signals of one metric.
    pub fn of(evidence: &Evidence, policy: &HistoryPolicy) -> Self {
        let costs = evidence.costs(&evidence.extra.history);
        Self::with_band(evidence, Band::of(&costs, policy.last, policy.least))
    }

    /// The signals of a metric with a known normal range; empty for counts.
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

/// Analyses pairs of numbers. Pairs with a zero have no ratio. If there are many, the other pairs are not
/// representative.
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

/// The requirements of a suite, which grow with its number of metrics.
#[derive(Clone, Copy, Debug, Default)]
pub struct SuiteStats {
    /// The number of process runs on each side with which one slower metric can be significant in the suite.
    pub launches: usize,
    /// The number of confirmation runs that a suspected regression needs.
    pub confirmation_runs: usize,
    /// The number of gated metrics with a history.
    pub with_history: usize,
    /// How many of them have a newest baseline that is better than the history by more than its limit.
    pub improved: usize,
    /// The second-largest transient spike: per run, the largest excess over all earlier values that later disappeared.
    /// `None` with few earlier runs.
    pub spike: Option<f64>,
}

impl SuiteStats {
    /// Counts the suite's metrics, and marks the comparisons of process runs that are significant together.
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

    /// The excess over all earlier values that needs no confirmation run, given their standard deviation.
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

/// The second-largest spike in these metrics' history. A single spike may be an accident of the machine, and must not
/// make everything else inconclusive until it has left the history.
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

/// The distances of the rows in each confirmation run, whose machine may be slower than the first run's.
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

/// The distance of a confirmation run, by the median of its process runs.
pub fn distance_of_rerun(evidence: &Evidence, launches: &[f64], band: &Band) -> Option<Distance> {
    Some(distance(middle(&evidence.costs(launches))?, band))
}
