//! From evidence to a verdict: the rules of [`crate::rules`] in order, then their reviews.

pub use super::case::Context;
use super::case::{Case, Decision, Judged};
use super::screen::Screen;
use crate::evidence::Evidence;
use crate::model::{Judgement, Power, Verdict};
use crate::oriented::drop;
use crate::rules::{RULES, Reason, floor, ungated};

/// Judges one metric.
pub fn judge(evidence: &Evidence, screen: &Screen, context: &Context<'_>) -> Judgement {
    let case = Case::new(evidence, screen, context);
    let power = RULES.iter().find_map(|rule| (rule.power)(&case)).unwrap_or_default();
    Judgement { power, ..verdict(&case) }
}

/// The same without the power, which the self-test does not ask for.
pub(super) fn verdict(case: &Case<'_>) -> Judgement {
    let (judged, is_final) = decide(case);
    let mut judgement = Judgement {
        verdict: judged.verdict,
        rule: case.rule,
        reason: judged.reason,
        change: case.change,
        moved: judged.moved,
        warned: false,
        power: Power::default(),
        waived: None,
    };
    if !is_final {
        review(case, &mut judgement);
    }
    judgement
}

/// The answer of the first rule that has one, and whether nothing reviews it.
fn decide(case: &Case<'_>) -> (Judged, bool) {
    match RULES.iter().find_map(|rule| (rule.decide)(case)) {
        Some(Decision::Barred(judged)) => (judged, true),
        Some(Decision::Reached(judged)) => (judged, false),
        None => {
            let reason = Reason::NotGated(ungated::NotGated::Informational);
            (Judged::new(case.within_limits(), reason), false)
        }
    }
}

/// What holds beside the rule that decided.
fn review(case: &Case<'_>, judgement: &mut Judgement) {
    for rule in RULES {
        if let Some(judged) = (rule.review)(case, judgement) {
            (judgement.verdict, judgement.reason) = (judged.verdict, judged.reason);
            judgement.moved = judged.moved;
        }
    }
    if judgement.verdict != Verdict::Regressed && floor::look(case).is_none() {
        judgement.warned = case.evidence.is_gated() && is_over_soft_limit(case);
    }
}

/// Over the soft limit, and worse than normal.
fn is_over_soft_limit(case: &Case<'_>) -> bool {
    let costs = case.evidence.current_cost().zip(case.evidence.baseline_cost());
    let Some((current, baseline)) = costs else { return false };
    let is_normal = case.screen.band.is_some_and(|band| current <= band.normal);
    let from = case.screen.band.map_or(baseline, |band| band.median);
    !is_normal && case.evidence.limits.warn.is_some_and(|warn| drop(current - from) > warn)
}
