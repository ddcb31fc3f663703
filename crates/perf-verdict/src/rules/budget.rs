//! Budgets: absolute limits, which also apply to new benchmarks.
//!
//! A value beyond its budget fails. If noise could explain the excess, or if confirmation runs exist, the confirmation
//! runs decide.

use crate::statistics::order::scale;
use perf_config::Reference;
use perf_model::row::Value;

use super::{Case, Judgement, Reason};
use crate::cost_scale::cost;
use crate::evidence::gate::{Bound, Budget};
use crate::verdict::{Confirmation, Rule, Verdict};

/// If the excess is at most this many standard deviations of the noise, it is suspected rather than certain.
const SCALES: f64 = 2.0;

/// With fewer process runs, the noise between them is unknown.
const LAUNCHES: usize = 5;

/// A value compared with its budget.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The allowed range of [`Self::current`].
    pub budget: Budget,
    /// The reference of the budget's values; `None` if it is also the reference of the gate's rule.
    pub reference: Option<Reference>,
    /// The current value, relative to the reference.
    pub current: f64,
    /// The bound that the value violates, if any.
    pub exceeded: Option<Bound>,
    /// True if the baseline value also violates the budget.
    pub was_exceeded: bool,
    /// The state of the confirmation, if noise could explain the excess or if the benchmark was rerun.
    pub confirmation: Option<Confirmation>,
}

impl Finding {
    /// Returns how far the value is beyond the budget, as a distance.
    pub(super) fn effect(&self) -> Option<f64> {
        let distance = (self.current / self.exceeded?.number()).ln().abs();
        Some(distance.min(f64::MAX))
    }
}

/// Decides the cases that need no other rule: a certain failure, or a value that no other rule can judge.
pub(super) fn bar(case: &Case<'_>) -> Option<Judgement> {
    let (finding, verdict) = look(case)?;
    let reason = Reason::Budget(finding);
    let is_alone = case.evidence.rule == Rule::Budget;
    let is_new = case.evidence.baseline.is_none();
    let is_incomparable = is_new || case.evidence.obstacle.is_some();
    match verdict {
        Verdict::Unchanged if is_alone && !is_incomparable => {
            Some(case.judgement(case.within_limits(), reason))
        }
        Verdict::Unchanged if !is_alone && !is_new => None,
        Verdict::Moved | Verdict::Inconclusive if !is_alone && !is_incomparable => None,
        _ => Some(Judgement::new(verdict, reason)),
    }
}

/// Replaces a less severe verdict if the budget is exceeded.
pub(super) fn review(case: &Case<'_>, reached: &Judgement) -> Option<Judgement> {
    let (finding, verdict) = look(case)?;
    let outweighs = verdict < reached.verdict && verdict != Verdict::Unchanged;
    outweighs.then(|| Judgement::new(verdict, Reason::Budget(finding)))
}

/// Compares the value with its budget. The verdict is regressed, inconclusive, unchanged, or, if the confirmation runs
/// are within the budget, moved.
fn look(case: &Case<'_>) -> Option<(Finding, Verdict)> {
    let budgeted = case.evidence.budget.as_ref()?;
    let budget = budgeted.budget;
    let current = budgeted.current?.as_f64();
    if current < 0.0 {
        return None;
    }
    let exceeded = budget.exceeded(current);
    let baseline = budgeted.baseline.map(Value::as_f64);
    let was_exceeded = baseline.is_some_and(|baseline| budget.exceeded(baseline).is_some());
    let is_judged = budgeted.reference == case.evidence.reference;
    let reference = (!is_judged).then(|| budgeted.reference.clone());
    let mut finding = Finding {
        budget,
        reference,
        current,
        exceeded,
        was_exceeded,
        confirmation: None,
    };
    let Some(bound) = exceeded else {
        return Some((finding, Verdict::Unchanged));
    };
    let Some(runs) = confirmation(case, bound).filter(|_| is_judged) else {
        return Some((finding, Verdict::Regressed));
    };
    finding.confirmation = Some(runs);
    Some((finding, runs.verdict(case.context.history.suspects)))
}

/// Returns the state of the confirmation if noise could explain the excess or if the benchmark was rerun. Returns
/// `None` otherwise, and always for counts.
fn confirmation(case: &Case<'_>, bound: Bound) -> Option<Confirmation> {
    let evidence = case.evidence;
    let limit = cost(case.direction(), bound.number()).filter(|_| evidence.is_timed())?;
    let excess = evidence.current_cost()? - limit;
    if excess <= 0.0 {
        return None; // the bound is on the better side, where noise does not matter
    }
    let is_slower = case.context.shift.is_some_and(|shift| shift.distance > 0.0);
    let is_noise = is_slower || noise(case).is_some_and(|noise| excess <= SCALES * noise);
    let runs = case.confirmation(!is_noise, |_, cost| cost > limit);
    (is_noise || runs.confirmation_runs > 0).then_some(runs)
}

/// Returns the standard deviation of the noise: from the history, otherwise between process runs, otherwise within
/// them.
fn noise(case: &Case<'_>) -> Option<f64> {
    if let Some(band) = case.signals.band {
        return Some(band.scale);
    }
    let extra = &case.evidence.extra;
    let costs = case.evidence.launch_costs(&extra.current_launches);
    if costs.len() >= LAUNCHES
        && let Some(scale) = scale(&costs)
    {
        return Some(scale);
    }
    extra.iterations.as_ref()?[1].noise.map(f64::ln_1p)
}
