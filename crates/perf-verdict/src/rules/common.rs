//! The rule for residuals: judges how much more a row changed than the rows most correlated with it.

use serde::{Deserialize, Serialize};

use super::{Case, Judgement, Reason, history};
use crate::cost_scale::share_report;
use crate::signals::CERTAIN_IN_DOUBT;
use crate::signals::related::NEAREST;
use crate::verdict::{Confirmation, Verdict};

/// A residual beyond its limit. Changes are distances.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// How far the cost is above the median of its history.
    pub effect: f64,
    /// The part of that change that the related rows explain.
    pub common: f64,
    /// The largest residual that passes.
    pub limit: f64,
    /// The number of rows among which related rows were searched, including this row.
    pub rows: usize,
    /// The state of the confirmation runs.
    pub confirmation: Confirmation,
}

impl Finding {
    /// Returns the form for reports, in which changes are shares of the cost.
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

/// A change beyond the change of related benchmarks. Changes are shares of the cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommonReport {
    /// The expected change: the median of the related benchmarks' changes.
    pub common: f64,
    /// The change beyond the expected one.
    pub residual: f64,
    /// The largest change beyond the expected one that passes.
    pub limit: f64,
    /// The number of benchmarks, including this one.
    pub rows: usize,
    /// The number of related benchmarks, which are the benchmarks that correlated most with this one in earlier runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub related: Option<usize>,
}

/// Judges rows that the history rule does not fail. Under an environment shift, rows have less in common, so only a
/// judgement that needs no confirmation run is used.
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
        // Under a shift, the machine may explain more than usual.
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
