//! The scale for comparing costs: logarithms, larger is worse.
//!
//! On this scale, half the throughput and twice the time are the same distance, and a change by a given share is the
//! same distance from any start. Effects are reported as `e^Δ − 1`, a share of the cost.

use perf_model::decimal::nearest_of;
use perf_model::metric::Direction;

/// A positive finite number as a cost: `ln(value)` if lower is better, `−ln(value)` if higher is.
/// `None` for other numbers, and for an unknown direction.
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

/// A process run's cost: like [`cost`], but a throughput of zero costs more than any other.
pub fn launch_cost(direction: Direction, value: f64) -> Option<f64> {
    const MOST: f64 = 709.0; // e^709 is still a number
    if direction == Direction::Higher && value == 0.0 {
        Some(MOST)
    } else {
        cost(direction, value)
    }
}

/// The number that has this cost.
pub fn value(direction: Direction, cost: f64) -> f64 {
    if direction == Direction::Higher {
        (-cost).exp()
    } else {
        cost.exp()
    }
}

/// A distance as a share of the cost: 0.5 is 50% more.
pub fn share(distance: f64) -> f64 {
    distance.exp_m1()
}

/// [`share`] as it is serialised.
pub(crate) fn share_report(distance: f64) -> f64 {
    rounded(share(distance))
}

/// Rounds away the rounding errors of a logarithm.
pub fn rounded(number: f64) -> f64 {
    nearest_of(number, 12)
}

/// Converts a distance to a limit: a cost's growth, or a rate's drop, as a share of the start.
pub fn change_for_the_worse(direction: Direction, distance: f64) -> f64 {
    if direction == Direction::Higher {
        -(-distance).exp_m1()
    } else {
        share(distance)
    }
}

/// Converts a limit to a distance: 0.1 is from 100 to 110 ms, and from 100/s to 90/s. `None` for a rate limit of 1 or
/// more, because no rate can drop by more than 100%.
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
