//! Samples: several launches a side, from two separate runs.
//!
//! Launches of one run share its luck, which no test of them sees: so samples never fail a change without a confirmation
//! run. Iterations of one process are one launch.

use crate::statistics::order::{middle, scale};
use serde::{Deserialize, Serialize};

use super::limit;
use crate::case::{Case, Decision, Judged, RuleEntry};
use crate::cost_scale::{distance_of_limit, share, share_report};
use crate::finding;
use crate::verdict::{Confirmation, Power, Rule, Screening, Verdict};

pub use crate::signals::launches::Test;

pub(crate) const RULE: RuleEntry<Finding> = RuleEntry {
    decide,
    power,
    ..RuleEntry::NONE
};

/// The effect that is suspect without a history: 10% of the cost.
const LARGE: f64 = 0.095_310_179_804_324_9; // ln 1.1

/// The test, and what follows from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The test.
    pub test: Test,
    /// The position of the current launches: normal, improved, or a suspected regression with its confirmation.
    pub screening: Screening,
}

impl finding::Finding for Finding {
    fn name(&self) -> Option<&'static str> {
        Some("samples")
    }

    fn effect(&self) -> Option<f64> {
        Some(self.test.effect)
    }

    fn suspicion(&self) -> Option<Confirmation> {
        self.screening.suspicion()
    }
}

impl Finding {
    /// The serialised form.
    pub(super) fn report(&self) -> SamplesReport {
        let Test {
            launches: (base, current),
            p,
            effect,
            interval: (low, high),
            ..
        } = self.test;
        let [effect, low, high] = [effect, low, high].map(share_report);
        SamplesReport {
            p,
            effect,
            low,
            high,
            launches: [base, current],
        }
    }
}

/// The comparison of two runs' launches. Effects are shares of the cost: 0.5 is half as much again.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SamplesReport {
    /// The two-sided p-value.
    pub p: f64,
    /// The median of all differences.
    pub effect: f64,
    /// The lower end of its 95% confidence interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Launches of the baseline and of the current run.
    pub launches: [usize; 2],
}

/// Launches detect what the fixed limit lets pass. They do not acquit: few launches detect little.
fn decide(case: &Case<'_>) -> Option<Decision<Finding>> {
    case.fixed_limit()?;
    let (base, current) = case.signals.samples?.launches;
    let test = case
        .signals
        .samples
        .filter(|_| base.min(current) >= case.context.suite.launches)?;
    let base = case.evidence.launch_costs(&case.extra()?.base_launches);
    let screening = match () {
        () if test.rejected && test.effect > LARGE => {
            case.suspect(false, |_, cost| confirms(&base, cost))
        }
        () if test.rejected && test.interval.1 < -LARGE => Screening::Improved,
        () => Screening::Normal,
    };
    let by_limit = limit::verdict(case)?;
    let verdict = match case.confirmed(screening, test.effect) {
        // The fixed limit fails it alone, and launches that agree do not weaken that.
        Verdict::Inconclusive if by_limit == Verdict::Regressed => return None,
        Verdict::Unchanged if by_limit == Verdict::Regressed => Verdict::Inconclusive,
        Verdict::Unchanged if test.rejected => Verdict::Moved,
        Verdict::Unchanged => by_limit,
        verdict => verdict,
    };
    Some(Decision::Reached(Judged::new(
        verdict,
        Finding { test, screening },
    )))
}

fn power(case: &Case<'_>) -> Option<Power> {
    let (Rule::Limit(limit), Some(_)) = (case.rule, case.signals.samples) else {
        return None;
    };
    let extra = case.extra()?;
    let sides = [&extra.base_launches, &extra.current_launches];
    let noise = sides
        .into_iter()
        .filter_map(|launches| scale(&case.evidence.costs(launches)));
    let noise = noise.reduce(f64::max).map(share);
    let limit = distance_of_limit(case.direction(), limit).map(share);
    Some(Power {
        noise,
        limit,
        detectable: limit,
        is_too_tight: false,
        suspected: None,
    })
}

/// True if a confirmation run is more than 10% above the median of the baseline.
fn confirms(base: &[f64], rerun: f64) -> bool {
    middle(base).is_some_and(|base| rerun - base > LARGE)
}
