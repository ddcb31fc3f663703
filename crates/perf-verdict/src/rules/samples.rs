//! The rule for samples: several process runs on each side, from two separate measurements.
//!
//! The process runs within a measurement share its conditions, and no test can detect their influence. So this rule
//! never fails a change without a confirmation run. All iterations within a process belong to a single process run.

use crate::statistics::order::{middle, scale};
use serde::{Deserialize, Serialize};

use super::{Case, Judgement, Reason, limit};
use crate::cost_scale::{share, share_report};
use crate::verdict::{Confirmation, Verdict};

pub use crate::signals::launches::Test;

/// Larger effects are suspected without a history: 10% of the cost.
const LARGE: f64 = 0.095_310_179_804_324_9; // ln 1.1

/// The test and its consequences.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The test of the process runs.
    pub test: Test,
    /// The state of the confirmation runs, if a regression is suspected.
    pub confirmation: Option<Confirmation>,
    /// True if the whole confidence interval is an improvement of more than 10%.
    pub is_improved: bool,
}

impl Finding {
    /// Returns the form for reports, in which distances are shares of the cost.
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

/// The comparison of process runs. Effects are shares of the cost: 0.5 means 50% more.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SamplesReport {
    /// The two-sided p-value.
    pub p: f64,
    /// The Hodges–Lehmann estimate: the median of the differences between each current and each baseline process run.
    pub effect: f64,
    /// The lower bound of the effect's 95% confidence interval.
    pub low: f64,
    /// The upper bound of the effect's 95% confidence interval.
    pub high: f64,
    /// The number of process runs on each side: baseline, current.
    pub launches: [usize; 2],
}

/// Judges process runs, and can detect changes within the fixed limit. If the test is not significant, the fixed
/// limit's verdict is used, except that a regression becomes inconclusive: few process runs detect little, so the test
/// alone never shows that nothing changed.
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
        // The fixed limit already fails the metric. Process runs that agree must not weaken that verdict.
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

/// Returns the relative standard deviation between process runs, on the noisier side.
pub(super) fn noise(case: &Case<'_>) -> Option<f64> {
    case.signals.samples?;
    let extra = &case.evidence.extra;
    let sides = [&extra.base_launches, &extra.current_launches].into_iter();
    let scales = sides.filter_map(|launches| scale(&case.evidence.costs(launches)));
    scales.max_by(f64::total_cmp).map(share)
}
