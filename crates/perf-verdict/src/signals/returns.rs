//! Temporary steps in a series, which are slow runs rather than changes.

use crate::statistics::order::middle;

/// The number of runs within which a cost can come back, and the number of earlier runs that show the previous level.
const RUNS: usize = 10;

/// With fewer later runs, it is unknown whether the step stays. It is then treated as one that came back.
const FEWEST_AFTER: usize = 5;

/// The minimum number of earlier runs that show the usual cost.
const FEWEST_BEFORE: usize = 5;

/// Returns the median of the ten costs before an index, or of fewer at the start of the series.
pub fn level_before(costs: &[f64], at: usize) -> Option<f64> {
    middle(&costs[at.saturating_sub(RUNS)..at])
}

/// True if the cost at an index did not last. It lasted if the later half of the next ten costs is nearer to it than to
/// the ten costs before it.
pub fn came_back(costs: &[f64], at: usize) -> bool {
    let after = &costs[at + 1..costs.len().min(at + 1 + RUNS)];
    let levels = level_before(costs, at).zip(middle(&after[after.len() / 2..]));
    let stays = |(before, later)| later - before > (costs[at] - before) / 2.0;
    after.len() < FEWEST_AFTER || !levels.is_some_and(stays)
}

/// Returns the costs that are higher than all of the `window` previous costs and came back: the index of each, and its
/// distance above the highest previous cost. They are oldest first. Only the last `window` costs are searched.
pub fn spikes(costs: &[f64], window: usize) -> Vec<(usize, f64)> {
    let first = costs.len().saturating_sub(window).max(FEWEST_BEFORE);
    let mut spikes = Vec::new();
    for at in first..costs.len() {
        let before = &costs[at.saturating_sub(window)..at];
        let highest = before.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if costs[at] > highest && came_back(costs, at) {
            spikes.push((at, costs[at] - highest));
        }
    }
    spikes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spikes_are_costs_above_all_before_that_came_back() {
        let mut costs = vec![0.0; 60];
        // A spike outside the window, then a spike, a smaller one, and a lasting step.
        costs[5] = 3.0;
        costs[35] = 0.4;
        costs[40] = 0.3;
        costs[45..].fill(1.0);
        assert_eq!(spikes(&costs, 20), []);
        assert_eq!(spikes(&costs, 25), [(35, 0.4)]);
        // It is unknown whether the last step will stay.
        costs[58..].fill(3.0);
        assert_eq!(spikes(&costs, 20), [(58, 2.0)]);
        // Without earlier costs, no cost is high.
        assert_eq!(spikes(&[0.0, 1.0, 0.0, 2.0], 30), []);
    }
}
