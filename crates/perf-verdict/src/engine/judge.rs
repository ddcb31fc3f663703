//! From evidence to a verdict: the rules of [`crate::rules`] in order, then their reviews.

use crate::case::Case;
use crate::evidence::Evidence;
use crate::model::judgement::Judgement;
use crate::oriented::drop;
use crate::rules::{self, Answer, Reason, floor, ungated};
use crate::screen::Screen;
use crate::verdict::{Powers, SharedPower, Verdict};

pub use crate::case::Context;

/// Judges one metric.
pub fn judge(evidence: &Evidence, screen: &Screen, context: &Context<'_>) -> Judgement {
    judge_among(evidence, screen, context, &mut Powers::default())
}

/// Judges one metric of several.
pub(super) fn judge_among(
    evidence: &Evidence,
    screen: &Screen,
    context: &Context<'_>,
    powers: &mut Powers,
) -> Judgement {
    let case = Case::new(evidence, screen, context);
    let power = powers.share(rules::power(&case).unwrap_or_default());
    Judgement { power, ..verdict(&case) }
}

/// The same without the power, which the self-test does not ask for.
pub(super) fn verdict(case: &Case<'_>) -> Judgement {
    let answer = rules::decide(case).unwrap_or_else(|| not_gated(case));
    let is_final = answer.is_final;
    let answer = if is_final { answer } else { rules::review(case, answer) };
    let Answer { verdict, reason, moved, .. } = answer;
    let may_warn = !is_final && verdict != Verdict::Regressed && case.evidence.is_gated();
    Judgement {
        verdict,
        rule: case.rule,
        reason,
        change: case.change,
        // A suspicion, or a budget, needs no change against the baseline.
        moved: moved && !case.evidence.is_same(),
        warned: may_warn && floor::look(case).is_none() && is_over_soft_limit(case),
        power: SharedPower::default(),
        waived: None,
    }
}

/// What no rule is for.
fn not_gated(case: &Case<'_>) -> Answer {
    let judged = ungated::informational(case, ungated::NotGated::Informational);
    Answer::new(judged, false, Reason::NotGated)
}

/// Over the soft limit, and worse than normal.
fn is_over_soft_limit(case: &Case<'_>) -> bool {
    let Some(warn) = case.evidence.limits.warn else { return false };
    let costs = case.evidence.current_cost().zip(case.evidence.baseline_cost());
    let Some((current, baseline)) = costs else { return false };
    let is_normal = case.screen.band.is_some_and(|band| current <= band.normal);
    let from = case.screen.band.map_or(baseline, |band| band.median);
    !is_normal && drop(current - from) > warn
}
