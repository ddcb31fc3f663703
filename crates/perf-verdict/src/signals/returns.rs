//! Steps of a series that came back: slow runs rather than changes.

use crate::statistics::order::middle;

/// The number of runs in which a level can come back, and of runs before that show what it was.
const RUNS: usize = 10;

/// The fewest later runs: with fewer nobody knows, and a step counts as one that came back.
const FEWEST_AFTER: usize = 5;

/// The median of the ten costs before a place.
pub fn level_before(costs: &[f64], at: usize) -> Option<f64> {
    middle(&costs[at.saturating_sub(RUNS)..at])
}

/// True unless the cost at a place stayed: the later half of the next ten lies nearer to it than to the ten before.
pub fn came_back(costs: &[f64], at: usize) -> bool {
    let after = &costs[at + 1..costs.len().min(at + 1 + RUNS)];
    let levels = level_before(costs, at).zip(middle(&after[after.len() / 2..]));
    let stays = |(before, later)| later - before > (costs[at] - before) / 2.0;
    after.len() < FEWEST_AFTER || !levels.is_some_and(stays)
}

/// The probability that a run is slower than the one before by more than this distance and comes back: Jeffreys' estimate
/// from all costs, oldest first.
#[expect(clippy::cast_precision_loss, reason = "a number of runs")]
pub fn probability(costs: &[f64], step: f64) -> f64 {
    let returns = |at: &usize| costs[*at] - costs[at - 1] > step && came_back(costs, *at);
    let count = (1..costs.len()).filter(returns).count();
    (count as f64 + 0.5) / costs.len() as f64
}

/// The largest step up from one cost to the next that came back, or this distance where none was larger.
pub fn largest(costs: &[f64], least: f64) -> f64 {
    (1..costs.len()).fold(least, |largest, at| {
        let step = costs[at] - costs[at - 1];
        if step > largest && came_back(costs, at) {
            step
        } else {
            largest
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_steps_that_came_back_count() {
        let mut costs = vec![0.0; 99];
        assert!((probability(&costs, 0.3) - 0.5 / 99.0).abs() < 1e-12);
        costs[60..].fill(1.0);
        assert!((probability(&costs, 0.3) - 0.5 / 99.0).abs() < 1e-12);
        costs[30] = 1.0;
        assert!((probability(&costs, 0.3) - 1.5 / 99.0).abs() < 1e-12);
        costs[98] = 2.0;
        assert!((probability(&costs, 0.3) - 2.5 / 99.0).abs() < 1e-12);
        assert!(probability(&[], 0.3) > 1.0);
    }

    #[test]
    fn the_largest_step_that_came_back_is_none_that_stayed() {
        let mut costs = vec![0.0; 60];
        costs[20] = 0.4;
        costs[30..].fill(1.0);
        assert!(
            (largest(&costs, 0.0) - 0.4).abs() < 1e-12
                && (largest(&costs, 0.5) - 0.5).abs() < 1e-12
        );
        // Nobody knows yet whether the last steps will stay.
        costs[57..].fill(3.0);
        assert!((largest(&costs, 0.0) - 2.0).abs() < 1e-12);
    }
}
