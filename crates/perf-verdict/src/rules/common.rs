//! The rule for residuals: judges the change of a row beyond the change of the benchmarks most correlated with it.

use serde::{Deserialize, Serialize};

use super::{Case, Judgement, Reason, history};
use crate::cost_scale::share_report;
use crate::signals::CERTAIN_IN_DOUBT;
use crate::signals::related::NEAREST;
use crate::verdict::{Confirmation, Verdict};

/// A residual beyond its limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// How far the cost is above the median of its history.
    pub effect: f64,
    /// The expected part of that growth.
    pub common: f64,
    /// The largest residual that passes.
    pub limit: f64,
    /// The number of rows.
    pub rows: usize,
    /// The state of the confirmation.
    pub confirmation: Confirmation,
}

impl Finding {
    /// The serialised form.
    pub(super) fn report(&self) -> CommonReport {
        let [common, residual, limit] =
            [self.common, self.effect - self.common, self.limit].map(share_report);
        CommonReport {
            common,
            residual,
            limit,
            rows: self.rows,
            related: Some(NEAREST),
        }
    }
}

/// A change beyond the change of related benchmarks, as shares of the cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommonReport {
    /// The expected change: the median of the related benchmarks.
    pub common: f64,
    /// The change beyond the expected one.
    pub residual: f64,
    /// The largest one that passes.
    pub limit: f64,
    /// The number of benchmarks, this one included.
    pub rows: usize,
    /// The number of related benchmarks: those most correlated with this one in earlier runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub related: Option<usize>,
}

/// Judges only rows that pass the history rule. Under an environment shift, only a judgement that needs no confirmation
/// run is used, because the rows then have less in common.
pub(super) fn judge(case: &Case<'_>) -> Option<Judgement> {
    case.fixed_limit()?;
    let residual = case.context.residual.as_ref()?;
    let band = case.signals.band?;
    let is_shifted = case.context.shift.is_some();
    let effect = case.evidence.current_cost()? - band.median;
    let own = effect - residual.common;
    if !residual.band.suspects(own) {
        return None;
    }
    let own_in = |at: usize, cost: f64| {
        let common = residual.confirmation_runs.get(at).copied().flatten();
        cost - band.median - common.unwrap_or(f64::INFINITY)
    };
    let confirms = |at, cost| residual.band.suspects(own_in(at, cost));
    let rises = |at, cost| residual.band.rises(own_in(at, cost));
    let mut excess = case.context.suite.certain_excess(residual.band.scale);
    if is_shifted {
        // The machine may explain more than usual.
        excess = excess.max(CERTAIN_IN_DOUBT);
    }
    let is_certain = residual.band.is_above_all(own, excess);
    let runs = case.confirmation(is_certain, confirms);
    let verdict = case.suspect_verdict(runs, effect);
    let verdict = case.of_this_change(verdict, runs, own > residual.band.last, rises);
    let is_weaker = match verdict {
        Verdict::Regressed => false,
        Verdict::Inconclusive => is_shifted || band.suspects(effect + band.median),
        _ => true,
    };
    if is_weaker {
        return None;
    }
    if !is_shifted
        && let Some(by_history) = history::judge(case)
        && by_history.verdict == Verdict::Regressed
    {
        return None;
    }
    let finding = Finding {
        effect,
        common: residual.common,
        limit: residual.band.limit,
        rows: residual.rows,
        confirmation: runs,
    };
    Some(Judgement::new(verdict, Reason::Common(finding)))
}
