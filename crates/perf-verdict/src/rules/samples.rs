//! Samples: several process runs on each side, from two separate measurements.
//!
//! The process runs of one measurement share its conditions, which no test can detect. So samples never fail a change
//! without a confirmation run. Iterations within a process belong to one process run.

use crate::statistics::order::{middle, scale};
use serde::{Deserialize, Serialize};

use super::{Reason, limit};
use crate::case::Case;
use crate::cost_scale::{share, share_report};
use crate::rules::judgement::Judgement;
use crate::verdict::{Screening, Verdict};

pub use crate::signals::launches::Test;

/// The effect that is suspect without a history: 10% of the cost.
const LARGE: f64 = 0.095_310_179_804_324_9; // ln 1.1

/// The test and its consequences.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The test.
    pub test: Test,
    /// The position of the current process runs: normal, improved, or a suspected regression with its confirmation.
    pub screening: Screening,
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

/// The comparison of process runs. Effects are shares of the cost: 0.5 is 50% more.
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
    /// Process runs of the baseline and of the current side.
    pub launches: [usize; 2],
}

/// Detects changes within the fixed limit. Never concludes "unchanged", because few process runs detect little.
pub(super) fn judge(case: &Case<'_>) -> Option<Judgement> {
    case.fixed_limit()?;
    let test = case.signals.samples?;
    if test.launches.0.min(test.launches.1) < case.context.suite.launches {
        return None;
    }
    let base = case.evidence.launch_costs(&case.extra()?.base_launches);
    let mut screening = Screening::Normal;
    if test.rejected && test.effect > LARGE {
        let runs = case.confirmation(false, |_, cost| confirms(&base, cost));
        screening = Screening::Suspect(runs);
    } else if test.rejected && test.interval.1 < -LARGE {
        screening = Screening::Improved;
    }
    let by_limit = limit::verdict(case)?;
    let verdict = match case.confirmed(screening, test.effect) {
        // The fixed limit already fails it, and agreeing process runs do not weaken that.
        Verdict::Inconclusive if by_limit == Verdict::Regressed => return None,
        Verdict::Unchanged if by_limit == Verdict::Regressed => Verdict::Inconclusive,
        Verdict::Unchanged if test.rejected => Verdict::Moved,
        Verdict::Unchanged => by_limit,
        verdict => verdict,
    };
    let finding = Finding { test, screening };
    Some(Judgement::new(verdict, Reason::Samples(Box::new(finding))))
}

/// The noise between process runs, on the noisier side.
pub(super) fn noise(case: &Case<'_>) -> Option<f64> {
    case.signals.samples?;
    let extra = case.extra()?;
    let mut noise: Option<f64> = None;
    for launches in [&extra.base_launches, &extra.current_launches] {
        if let Some(scale) = scale(&case.evidence.costs(launches)) {
            noise = Some(noise.map_or(scale, |noise| noise.max(scale)));
        }
    }
    noise.map(share)
}

/// True if a confirmation run is more than 10% above the median of the baseline.
fn confirms(base: &[f64], rerun: f64) -> bool {
    middle(base).is_some_and(|base| rerun - base > LARGE)
}
