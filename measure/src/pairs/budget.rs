//! The time for all pairs. Its functions take times instead of reading a clock, so tests can use any.

use std::time::Duration;

use perf_verdict::rules::pairs::DECISIVE;

use super::LIMIT;

/// The number of pairs to measure even if they exceed the budget, because fewer pairs cannot give a verdict.
pub const FEWEST: usize = DECISIVE;

/// The time for all pairs. All times count from the start of the measurement.
pub struct Budget {
    pub total: Duration,
    /// Whether the user set a time limit. Otherwise, [`FEWEST`] pairs may take longer.
    is_limit: bool,
    /// Once a benchmark has regressed, the time at which to stop: no other verdict can make the gate pass.
    enough: Option<Duration>,
}

impl Budget {
    pub fn new(total: Duration, is_limit: bool) -> Self {
        Self {
            total,
            is_limit,
            enough: None,
        }
    }

    /// Whether another pair may start although the time is up.
    pub fn may_exceed(&self, elapsed: Duration, pairs: usize) -> bool {
        !self.is_limit && pairs < FEWEST && elapsed < LIMIT
    }

    /// After the first pair, extends the time for [`FEWEST`] pairs. Returns a warning if they need more than the budget.
    pub fn extend(&mut self, elapsed: Duration, pair: Duration) -> Option<String> {
        let all = pair * u32::try_from(FEWEST).unwrap_or(u32::MAX);
        let needed = (elapsed + all).saturating_sub(pair);
        if needed <= self.total {
            return None;
        }
        let end = if self.is_limit {
            "more than the time limit allows"
        } else {
            self.total = needed.min(LIMIT);
            "so the measurement may take up to ten minutes"
        };
        let seconds = all.as_secs().max(1);
        Some(format!("{FEWEST} pairs take about {seconds} s, {end}"))
    }

    /// After an interim analysis, whether a regression leaves no reason to go on.
    pub fn is_enough(&mut self, elapsed: Duration, is_red: bool) -> bool {
        if self.enough.is_none() && is_red {
            self.enough = Some((elapsed + self.total / 4).max(self.total / 2));
        }
        self.enough.is_some_and(|enough| elapsed >= enough)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_slow_suite_gets_time_for_sixteen_pairs_but_at_most_ten_minutes() {
        let mut budget = Budget::new(s(120), false);
        assert_eq!(budget.extend(s(8), s(7)), None);
        assert_eq!(budget.total, s(120));
        let warning = budget.extend(s(21), s(20)).unwrap();
        assert!(
            warning.starts_with("16 pairs take about 320 s, so"),
            "{warning}"
        );
        // The first pair is one of the sixteen.
        assert_eq!(budget.total, s(321));
        budget.extend(s(100), s(90));
        assert_eq!(budget.total, LIMIT);
    }

    #[test]
    fn a_time_limit_is_never_extended() {
        let mut budget = Budget::new(s(30), true);
        let warning = budget.extend(s(11), s(10)).unwrap();
        assert!(
            warning.ends_with("more than the time limit allows"),
            "{warning}"
        );
        assert_eq!(budget.total, s(30));
        assert!(!budget.may_exceed(s(31), 1));
    }

    #[test]
    fn without_a_time_limit_sixteen_pairs_may_take_longer() {
        let budget = Budget::new(s(120), false);
        assert!(budget.may_exceed(s(121), FEWEST - 1));
        assert!(!budget.may_exceed(s(121), FEWEST));
        assert!(!budget.may_exceed(LIMIT, 1));
    }

    #[test]
    fn after_a_regression_a_quarter_of_the_time_is_left_for_other_benchmarks() {
        let mut budget = Budget::new(s(120), false);
        assert!(!budget.is_enough(s(110), false));
        assert!(!budget.is_enough(s(10), true));
        // At least half of the time is used.
        assert!(!budget.is_enough(s(59), true));
        assert!(budget.is_enough(s(60), true));
        let mut late = Budget::new(s(120), false);
        assert!(!late.is_enough(s(70), true));
        assert!(!late.is_enough(s(99), true));
        assert!(late.is_enough(s(100), true));
    }
}
