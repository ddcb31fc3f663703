//! Samples: several process runs on each side, from two separate measurements.
//!
//! The process runs of one measurement share its conditions, which no test can detect. So samples never fail a change
//! without a confirmation run. Iterations within a process belong to one process run.

use crate::statistics::order::{middle, scale};
use serde::{Deserialize, Serialize};

use super::{Case, Judgement, Reason, limit};
use crate::cost_scale::{share, share_report};
use crate::verdict::{Confirmation, Verdict};

pub use crate::signals::launches::Test;

/// The effect that is suspect without a history: 10% of the cost.
const LARGE: f64 = 0.095_310_179_804_324_9; // ln 1.1

/// The test and its consequences.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The test.
    pub test: Test,
    /// The state of the confirmation, if a regression is suspected.
    pub confirmation: Option<Confirmation>,
    /// True if the whole interval is an improvement.
    pub is_improved: bool,
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
    /// Process runs on each side: baseline, current.
    pub launches: [usize; 2],
}

/// Detects changes within the fixed limit. Never concludes "unchanged", because few process runs detect little.
pub(super) fn judge(case: &Case<'_>) -> Option<Judgement> {
    case.fixed_limit()?;
    let test = case.signals.samples?;
    if test.launches.0.min(test.launches.1) < case.context.suite.launches {
        return None;
    }
    let base = middle(
        &case
            .evidence
            .launch_costs(&case.evidence.extra.base_launches),
    )?;
    let mut finding = Finding {
        test,
        confirmation: None,
        is_improved: test.rejected && test.interval.1 < -LARGE,
    };
    let by_limit = limit::verdict(case)?;
    let verdict = if test.rejected && test.effect > LARGE {
        let runs = case.confirmation(false, |_, cost| cost - base > LARGE);
        finding.confirmation = Some(runs);
        let verdict = case.suspect_verdict(runs, test.effect);
        // The fixed limit already fails it, and agreeing process runs do not weaken that.
        if verdict == Verdict::Inconclusive && by_limit == Verdict::Regressed {
            return None;
        }
        verdict
    } else if finding.is_improved {
        Verdict::Improved
    } else if by_limit == Verdict::Regressed {
        Verdict::Inconclusive
    } else if test.rejected {
        Verdict::Moved
    } else {
        by_limit
    };
    Some(Judgement::new(verdict, Reason::Samples(finding)))
}

/// The noise between process runs, on the noisier side.
pub(super) fn noise(case: &Case<'_>) -> Option<f64> {
    case.signals.samples?;
    let extra = &case.evidence.extra;
    let sides = [&extra.base_launches, &extra.current_launches].into_iter();
    let scales = sides.filter_map(|launches| scale(&case.evidence.costs(launches)));
    scales.max_by(f64::total_cmp).map(share)
}
