//! The limits that apply to a whole comparison, and the verdicts that make it fail.

use perf_config::{Config, Date, FailOn};

/// The limits and options of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// The largest change that is reported as unchanged, as a fraction of the baseline.
    pub tolerance: f64,
    /// The default limit: the largest share by which a cost may grow or a rate may drop.
    pub limit: f64,
    /// True if the user set the default limit. It then applies in addition to the history's limits.
    pub is_limit_chosen: bool,
    /// The date that decides which waivers have expired. With `None`, none have.
    pub today: Option<Date>,
    /// Whether to test that the gate detects an injected regression.
    pub self_test: bool,
    /// The verdicts that make a comparison fail.
    pub fails: FailingVerdicts,
}

/// Which verdicts on a value that got worse make a comparison fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailingVerdicts {
    /// True if regressions fail.
    pub regressed: bool,
    /// True if inconclusive values fail.
    pub inconclusive: bool,
    /// True if every change outside the tolerance fails.
    pub moved: bool,
}

impl FailingVerdicts {
    /// Only regressions fail.
    pub const REGRESSED: Self = Self {
        regressed: true,
        inconclusive: false,
        moved: false,
    };

    /// Reads the verdicts from the config's `fail-on` list.
    pub fn of(list: &[FailOn]) -> Self {
        Self {
            regressed: list.contains(&FailOn::Regressed),
            inconclusive: list.contains(&FailOn::Inconclusive),
            moved: list.contains(&FailOn::Moved),
        }
    }
}

impl Thresholds {
    /// Uses the given limits and defaults for the rest: the self-test is enabled, only regressions fail, and waivers
    /// never expire.
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

    /// Reads the limits and the failing verdicts from the config.
    pub fn of(config: &Config) -> Self {
        Self {
            is_limit_chosen: config.deltas.explicit_limit,
            fails: FailingVerdicts::of(&config.deltas.fail_on),
            ..Self::new(config.deltas.tolerance, config.deltas.limit)
        }
    }
}
