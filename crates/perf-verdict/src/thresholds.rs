//! Limits, and the verdicts that fail a comparison.

use perf_config::{Config, Date, FailOn};

/// The limits that a comparison uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// The largest change that is shown as unchanged, as a fraction of the baseline.
    pub tolerance: f64,
    /// The default limit: the largest throughput drop that passes.
    pub limit: f64,
    /// True if the user set that limit. It then applies in addition to the history's limits.
    pub is_limit_chosen: bool,
    /// The date on which waivers are checked; `None` leaves all of them in force.
    pub today: Option<Date>,
    /// True to test that the gate detects an injected regression.
    pub self_test: bool,
    /// The verdicts on a worse value that fail.
    pub fails: FailingVerdicts,
}

/// The verdicts on a worse value that fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailingVerdicts {
    /// True if regressions fail.
    pub regressed: bool,
    /// True if inconclusive values fail.
    pub inconclusive: bool,
    /// True if all changes outside the tolerance fail.
    pub moved: bool,
}

impl FailingVerdicts {
    /// Only regressions fail.
    pub const REGRESSED: Self = Self {
        regressed: true,
        inconclusive: false,
        moved: false,
    };

    /// The verdicts in a `fail-on` list.
    pub fn of(list: &[FailOn]) -> Self {
        Self {
            regressed: list.contains(&FailOn::Regressed),
            inconclusive: list.contains(&FailOn::Inconclusive),
            moved: list.contains(&FailOn::Moved),
        }
    }
}

impl Thresholds {
    /// Default limits.
    pub const fn new(tolerance: f64, limit: f64) -> Self {
        Self {
            tolerance,
            limit,
            is_limit_chosen: false,
            today: None,
            self_test: true,
            fails: FailingVerdicts::REGRESSED,
        }
    }

    /// The limits in a config.
    pub fn of(config: &Config) -> Self {
        Self {
            is_limit_chosen: config.deltas.explicit_limit,
            fails: FailingVerdicts::of(&config.deltas.fail_on),
            ..Self::new(config.deltas.tolerance, config.deltas.limit)
        }
    }
}
