//! Limits that the noise of a history allows, for a gate with a single baseline value.

use indexmap::IndexMap;
use perf_config::Config;
use perf_model::metric::Direction;
use perf_model::row::Name;
use perf_model::suite::Definitions;
use perf_verdict::cost_scale::change_for_the_worse;
use perf_verdict::rules::history::Band;
use perf_verdict::statistics::order::{middle, sorted};

use crate::runs::RunHistory;
use crate::series::{Costs, costs};

/// The largest limit for a drop of a rate, because no rate can drop by 100%.
const LARGEST_DROP: f64 = 0.99;

/// The cost factor of the limit if even a doubled cost may be noise. Then only breakage fails.
const BROKEN: f64 = 10.0;

/// The limit that the noise of a scenario's metric allows. All scopes of a scenario share a gate, so the noisiest scope
/// determines the limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    pub scenario: Name,
    pub metric: Name,
    /// The limit on changes for the worse.
    pub limit: f64,
    /// The smallest growth of the cost that is not noise, as a share.
    pub notices: f64,
}

impl Advice {
    /// Whether even a slowdown of 50% may be noise.
    pub fn is_wide(&self) -> bool {
        self.notices > 0.5
    }

    /// Whether a limit is useful. It is not if a doubled cost may be noise.
    pub fn is_worth_having(&self) -> bool {
        self.notices <= 1.0
    }
}

/// Limits for every timed metric with enough values, in order of appearance.
pub fn advice(history: &RunHistory, config: &Config) -> Vec<Advice> {
    let mut widest: IndexMap<(Name, Name), f64> = IndexMap::new();
    for ((_, scenario, metric), costs) in medians(history, config) {
        let thresholds = config.history;
        let Some(band) = Band::of(&costs, thresholds.last, thresholds.least) else {
            continue;
        };
        // The baseline value may be the best of all, and a suspected regression is not confirmed.
        let distance = band.reach().max(worst_step(&costs));
        let width = widest.entry((scenario, metric)).or_default();
        *width = width.max(distance);
    }
    let advice = widest.into_iter().map(|((scenario, metric), distance)| {
        let direction = config.metric(&metric).meaning.direction;
        let notices = distance.exp_m1();
        let distance = if notices > 1.0 {
            distance.max(BROKEN.ln())
        } else {
            distance
        };
        let limit = (change_for_the_worse(direction, distance) * 100.0).ceil() / 100.0;
        let largest = if direction == Direction::Higher {
            LARGEST_DROP
        } else {
            f64::MAX
        };
        Advice {
            scenario,
            metric,
            limit: limit.min(largest),
            notices,
        }
    });
    advice.collect()
}

/// The largest increase from one value to the next. With a hundred steps or more, the largest 1% are ignored, so that a
/// single outlier does not decide.
fn worst_step(costs: &[f64]) -> f64 {
    let steps: Vec<f64> = costs
        .windows(2)
        .map(|two| (two[1] - two[0]).max(0.0))
        .collect();
    let ordered = sorted(&steps);
    let kept = ordered.len().saturating_sub(ordered.len() / 100);
    ordered[..kept].last().copied().unwrap_or(0.0)
}

/// One cost per run: the median of its samples.
fn medians(history: &RunHistory, config: &Config) -> Costs {
    let mut medians = Costs::new();
    for run in &history.runs {
        for (key, samples) in costs(&run.rows, config) {
            medians.entry(key).or_default().extend(middle(&samples));
        }
    }
    medians
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_is_the_increase_from_one_value_to_the_next() {
        assert!((worst_step(&[0.3, 0.0, 0.2, 0.4, 0.1]) - 0.2).abs() < 1e-12);
        assert!(worst_step(&[0.3, 0.0]).abs() < 1e-12);
        let one_outlier = |runs: usize| {
            worst_step(
                &(0..runs)
                    .map(|run| if run == 5 { 3.0 } else { 0.0 })
                    .collect::<Vec<_>>(),
            )
        };
        assert!(one_outlier(90) > 2.9 && one_outlier(110) < 0.1);
    }
}
