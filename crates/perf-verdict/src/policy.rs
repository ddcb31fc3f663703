//! The limits of a comparison, and what fails.

use perf_config::{Config, Date, FailOn};

/// The limits of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// The change that is shown as unchanged, as a fraction of the baseline.
    pub tolerance: f64,
    /// The drop of throughput that passes where a gate has no threshold of its own.
    pub threshold: f64,
    /// Whether the user chose that threshold, so that it holds beside what a history says.
    pub is_threshold_chosen: bool,
    /// The date on which waivers are checked; `None` leaves all of them in force.
    pub today: Option<Date>,
    /// Whether to test that the gate detects an injected regression.
    pub self_test: bool,
    /// Which verdicts on a worse value fail.
    pub fails: Fails,
}

/// Which verdicts on a worse value fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fails {
    /// Whether regressions do.
    pub regressed: bool,
    /// Whether inconclusive values do.
    pub inconclusive: bool,
    /// Whether all changes outside the tolerance do.
    pub moved: bool,
}

impl Default for Fails {
    fn default() -> Self {
        Self { regressed: true, inconclusive: false, moved: false }
    }
}

impl Fails {
    /// Those of a list.
    pub fn of(list: &[FailOn]) -> Self {
        let [regressed, inconclusive, moved] =
            [FailOn::Regressed, FailOn::Inconclusive, FailOn::Moved].map(|word| list.contains(&word));
        Self { regressed, inconclusive, moved }
    }
}

impl Policy {
    /// Default limits.
    pub const fn new(tolerance: f64, threshold: f64) -> Self {
        let fails = Fails { regressed: true, inconclusive: false, moved: false };
        Self { tolerance, threshold, is_threshold_chosen: false, today: None, self_test: true, fails }
    }

    /// The limits of a config.
    pub fn of(config: &Config) -> Self {
        let is_threshold_chosen = config.deltas.explicit_threshold;
        let fails = config.deltas.fail_on.as_deref().map(Fails::of).unwrap_or_default();
        Self { is_threshold_chosen, fails, ..Self::new(config.deltas.tolerance, config.deltas.threshold) }
    }
}
