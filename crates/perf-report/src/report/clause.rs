//! One metric in a clause: `9.88 → 5.73 M rows/s, −42% slower (limit −33%)`, or for a count `2 → 6 (+4), any increase
//! fails`.

use perf_verdict::{Reason, Verdict};

use super::context::FoundMetric;
use super::rows::{Figures, is_counted};
use crate::number::whole;
use crate::reasons;
use crate::subject::{Subject, versus};

/// The change of a metric, its bound, and whether it is confirmed.
pub(super) fn clause(found: &FoundMetric<'_>, subject: &Subject<'_>) -> String {
    let figures = Figures::of(subject);
    let metric = &found.metric.metric;
    let is_obstacle = matches!(subject.judgement.reason, Reason::Obstacle(_));
    if figures.change.is_empty() || figures.is_absent || is_obstacle {
        let reason = reasons::reason(subject);
        return if found.is_primary() {
            reason
        } else {
            format!("{}: {reason}", metric.label)
        };
    }
    let is_counted = is_counted(subject);
    let noun = metric.noun.as_ref().filter(|_| is_counted);
    let label = if found.is_primary() || noun.is_some() {
        String::new()
    } else {
        format!("{} ", metric.label)
    };
    let noun = noun.map_or_else(String::new, |noun| format!(" {noun}"));
    let both = format!("{} → {}{noun}", figures.base_without_unit(), figures.head);
    let change = match figures.median_of {
        Some(values) => versus(&figures.change, &format!("the median of {values}")),
        None => figures.change.clone(),
    };
    let bound = reasons::bound(subject);
    let text = if is_counted {
        format!("{label}{both} ({change}), {bound}")
    } else {
        format!("{label}{both}, {change} ({bound})")
    };
    match state(subject) {
        Some(state) => format!("{text}, {state}"),
        None => text,
    }
}

/// The state of the confirmation, or `too noisy to judge`; `None` if neither applies.
fn state(subject: &Subject<'_>) -> Option<String> {
    let finding = &subject.judgement.reason;
    if let (Some(runs), Some(effect)) = (finding.suspicion(), finding.effect()) {
        return Some(reasons::confirmation_state(subject, runs, effect));
    }
    let is_open = subject.judgement.verdict == Verdict::Inconclusive;
    (is_open && reasons::too_noisy(subject).is_some()).then(|| "too noisy to judge".to_owned())
}

/// `a, b, c, d, e and 3 more`.
pub(super) fn first_of(names: &[String]) -> String {
    const NAMED: usize = 5;
    let listed = names[..names.len().min(NAMED)].join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => listed,
        more => format!("{listed} and {} more", whole(more)),
    }
}
