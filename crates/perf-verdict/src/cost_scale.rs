//! The logarithmic scale on which costs are compared. A larger cost is worse.
//!
//! A *distance* is the difference between two costs. Halving a throughput is the same distance as doubling a time, and
//! a change by a given factor is the same distance from any starting value. An effect Δ is reported as a share of the
//! cost, `e^Δ − 1`.

use perf_model::decimal::nearest_of;
use perf_model::metric::Direction;

/// Converts a positive finite number to a cost: `ln(value)` if lower is better, `−ln(value)` if higher is better.
/// Returns `None` for other numbers, and if the direction is unknown.
pub fn cost(direction: Direction, value: f64) -> Option<f64> {
    if !(value > 0.0 && value.is_finite()) {
        return None;
    }
    match direction {
        Direction::Lower => Some(value.ln()),
        Direction::Higher => Some(-value.ln()),
        Direction::Unknown => None,
    }
}

/// Converts a process run's number to a cost. Unlike in [`cost`], zero throughput has a cost: the highest possible one.
pub fn launch_cost(direction: Direction, value: f64) -> Option<f64> {
    const MOST: f64 = 709.0; // e^709 is still finite
    if direction == Direction::Higher && value == 0.0 {
        Some(MOST)
    } else {
        cost(direction, value)
    }
}

/// Converts a cost back to a number.
pub fn value(direction: Direction, cost: f64) -> f64 {
    if direction == Direction::Higher {
        (-cost).exp()
    } else {
        cost.exp()
    }
}

/// Converts a distance to a share of the cost: 0.5 means 50% more.
pub fn share(distance: f64) -> f64 {
    distance.exp_m1()
}

/// Like [`share`], but rounded for reports.
pub(crate) fn share_report(distance: f64) -> f64 {
    rounded(share(distance))
}

/// Rounds to 12 significant digits, which removes the rounding errors of logarithms.
pub fn rounded(number: f64) -> f64 {
    nearest_of(number, 12)
}

/// Converts a distance to the share by which a cost grows or a rate drops, which is how limits are stated.
pub fn change_for_the_worse(direction: Direction, distance: f64) -> f64 {
    if direction == Direction::Higher {
        -(-distance).exp_m1()
    } else {
        share(distance)
    }
}

/// Converts a limit to a distance: a limit of 0.1 allows growth from 100 to 110 ms, or a drop from 100/s to 90/s.
/// Returns `None` for a rate limit of 1 or more, because no rate can drop by more than 100%.
pub fn distance_of_limit(direction: Direction, limit: f64) -> Option<f64> {
    match direction {
        Direction::Higher => (limit < 1.0).then(|| -(-limit).ln_1p()),
        Direction::Lower | Direction::Unknown => Some(limit.ln_1p()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_throughput_is_twice_the_cost() {
        let [before, now] = [200.0, 100.0].map(|value| cost(Direction::Higher, value).unwrap());
        assert!((share(now - before) - 1.0).abs() < 1e-12);
        assert!((value(Direction::Higher, now) - 100.0).abs() < 1e-9);
    }

    #[test]
    fn limit_is_growth_of_a_cost_and_drop_of_a_rate() {
        for (direction, now) in [(Direction::Lower, 110.0), (Direction::Higher, 90.0)] {
            let [before, after] = [100.0, now].map(|value| cost(direction, value).unwrap());
            assert!((distance_of_limit(direction, 0.1).unwrap() - (after - before)).abs() < 1e-12);
            assert!((change_for_the_worse(direction, after - before) - 0.1).abs() < 1e-12);
        }
        assert_eq!(distance_of_limit(Direction::Higher, 1.0), None);
    }

    #[test]
    fn only_positive_finite_numbers_have_a_cost() {
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(cost(Direction::Lower, value), None, "{value}");
        }
        assert_eq!(cost(Direction::Unknown, 1.0), None);
        assert!(launch_cost(Direction::Higher, 0.0) > launch_cost(Direction::Higher, 1e-300));
        assert_eq!(launch_cost(Direction::Lower, 0.0), None);
    }
}
