//! The lists below the tables.

use perf_model::suite::Definitions;
use perf_verdict::Missed;
use perf_verdict::Verdict;
use perf_verdict::WaiverUse;
use perf_verdict::rules::trend;

use super::count::List;
use super::{Context, Found, MOST_ENTRIES};
use crate::words;
use perf_markdown::escape::line_start;

/// How many changes of level are listed.
const TRENDS: usize = 10;

/// Regressed metrics without a waiver.
pub(super) fn regressions(context: &Context<'_>) -> List {
    List::of(MOST_ENTRIES, context.judged(Verdict::Regressed), |found| {
        entry(context, found, &sentence(context, found))
    })
}

/// Metrics that cannot be compared or are no longer measured.
pub(super) fn uncompared(context: &Context<'_>) -> List {
    let is_meant = |found: &Found<'_>| {
        matches!(found.metric.judgement.verdict, Verdict::NotComparable | Verdict::Unmeasured)
    };
    List::of(MOST_ENTRIES, context.notable.iter().copied().filter(is_meant), |found| {
        entry(context, found, &sentence(context, found))
    })
}

/// Metrics that failed the self-test of the gate.
pub(super) fn blind(context: &Context<'_>) -> List {
    List::of(MOST_ENTRIES, context.comparison.blind.iter(), |blind| {
        let why = match blind.why {
            Missed::Regression(verdict) => {
                format!("an injected regression was judged {}", words::verdict(verdict))
            }
            Missed::Improvement => "an injected improvement was judged regressed".to_owned(),
            Missed::NotGated => "not gated".to_owned(),
            Missed::NotFailing(verdict) => {
                format!("a regression would be {}, which does not fail", words::verdict(verdict))
            }
            Missed::Waived(_) => "waived, whatever it costs".to_owned(),
            Missed::Floor(_) => "the minimum absolute change is more than ten times the cost".to_owned(),
            Missed::Band(growth) => format!("the history allows {}", words::signed(growth)),
        };
        let label = context.config.label(&blind.scenario);
        line_start(&format!("{label}, {}: {why}", context.config.metric(&blind.metric).label))
    })
}

/// Waivers that a maintainer should remove or renew.
pub(super) fn stale_waivers(context: &Context<'_>) -> List {
    let waivers = context.config.waivers.iter().zip(&context.comparison.waivers);
    let outdated = waivers.filter(|(_, used)| used.is_expired || used.covered == 0);
    List::of(MOST_ENTRIES, outdated, |(waiver, used)| {
        let state = match used {
            WaiverUse { is_expired: true, covered: 0 } => format!("expired on {} and unused", waiver.until),
            WaiverUse { is_expired: true, covered } => {
                format!("expired on {}, would have excused {covered}", waiver.until)
            }
            _ => format!("unused, until {}", waiver.until),
        };
        let metric = waiver.metric.as_ref().map_or(String::new(), |metric| format!(", {metric}"));
        line_start(&format!("{}{metric}: {state} ({}; {})", waiver.scenario, waiver.reason, waiver.by))
    })
}

/// What waivers excuse.
pub(super) fn waived(context: &Context<'_>) -> List {
    let metrics = context.notable.iter().filter(|found| found.metric.judgement.waived.is_some());
    let metrics = metrics.map(|found| entry(context, *found, &sentence(context, *found)));
    let scopes = context.comparison.scopes.iter();
    let missing = scopes.flat_map(|scope| scope.excused.iter().map(move |excused| (scope, excused)));
    let missing = missing.filter_map(|(scope, (scenario, at))| {
        let waiver = context.config.waivers.get(*at)?;
        let place = context.place(&scope.scope, scenario);
        let reason = format!("waived: {} ({}, until {})", waiver.reason, waiver.by, waiver.until);
        Some(line_start(&format!("{place}: missing; {reason}")))
    });
    List::of(MOST_ENTRIES, metrics.chain(missing), |line| line)
}

/// Metrics that are too noisy for their limits.
pub(super) fn noisy(context: &Context<'_>) -> List {
    let noisy = context.notable.iter().filter_map(|found| Some((*found, words::too_noisy(found.metric)?)));
    List::of(MOST_ENTRIES, noisy, |(found, why)| entry(context, found, &why))
}

/// Where the level changed, the largest changes first.
pub(super) fn trend(context: &Context<'_>) -> List {
    let mut all: Vec<(f64, Found<'_>, String)> =
        context.notable.iter().copied().filter_map(level_change).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.name().cmp(&b.1.name())));
    List::of(TRENDS, all.into_iter(), |(_, found, change)| entry(context, found, &change))
}

/// How far the level of a metric moved, and a sentence about it.
fn level_change(found: Found<'_>) -> Option<(f64, Found<'_>, String)> {
    let history = &found.metric.extra.as_ref()?.history;
    if found.metric.judgement.is_unlike() || found.metric.metric.meaning.exact {
        return None;
    }
    let costs = crate::series::costs(found.metric, history)?;
    let change = trend::last_change(&costs)?;
    let sentence = words::level_change(found.metric, &change, costs.len());
    Some(((change.after - change.before).abs(), found, sentence))
}

fn sentence(context: &Context<'_>, found: Found<'_>) -> String {
    words::sentence(found.metric, context.config)
}

fn entry(context: &Context<'_>, found: Found<'_>, what: &str) -> String {
    let place = context.place(&found.scope.scope, &found.scenario.scenario);
    line_start(&format!("{place}, {}: {what}", found.metric.metric.label))
}
