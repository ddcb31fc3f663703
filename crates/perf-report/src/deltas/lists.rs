//! What is listed below the tables.

use perf_model::suite::Definitions;
use perf_verdict::rules::trend;
use perf_verdict::{Missed, Verdict, WaiverUse};

use super::{Found, Told, bounded};
use crate::words;
use perf_markdown::escape::line_start;

/// How many changes of level are told.
const TRENDS: usize = 10;

/// Regressed metrics that no waiver excuses.
pub(super) fn regressions(told: &Told<'_>) -> Vec<String> {
    bounded(told.judged(Verdict::Regressed), |found| said(told, found, &sentence(told, found)))
}

/// What could not be compared.
pub(super) fn uncompared(told: &Told<'_>) -> Vec<String> {
    let is_meant = |found: &Found<'_>| {
        matches!(found.metric.judgement.verdict, Verdict::NotComparable | Verdict::Unmeasured)
    };
    bounded(told.telling.iter().copied().filter(is_meant), |found| said(told, found, &sentence(told, found)))
}

/// Metrics in which a regression would go unseen.
pub(super) fn blind(told: &Told<'_>) -> Vec<String> {
    bounded(told.comparison.blind.iter(), |blind| {
        let why = match blind.why {
            Missed::Regression(verdict) => {
                format!("a regression that was injected came out {}", words::verdict(verdict))
            }
            Missed::Improvement => "an improvement that was injected came out regressed".to_owned(),
        };
        let label = told.config.label(&blind.scenario);
        line_start(&format!("{label}, {}: {why}", told.config.metric(&blind.metric).label))
    })
}

/// Waivers that a maintainer must see: those that are over, and those that excuse nothing.
pub(super) fn stale_waivers(told: &Told<'_>) -> Vec<String> {
    let waivers = told.config.waivers.iter().zip(&told.comparison.waivers);
    let told_of = waivers.filter(|(_, used)| used.is_expired || used.covered == 0);
    bounded(told_of, |(waiver, used)| {
        let state = match used {
            WaiverUse { is_expired: true, covered: 0 } => format!("expired on {}, and unused", waiver.until),
            WaiverUse { is_expired: true, covered } => {
                format!("expired on {}, and would have excused {covered}", waiver.until)
            }
            _ => format!("unused, until {}", waiver.until),
        };
        let metric = waiver.metric.as_ref().map_or(String::new(), |metric| format!(", {metric}"));
        line_start(&format!("{}{metric}: {state} ({}; {})", waiver.scenario, waiver.reason, waiver.by))
    })
}

/// What waivers excuse.
pub(super) fn waived(told: &Told<'_>) -> Vec<String> {
    let metrics = told.telling.iter().filter(|found| found.metric.judgement.waived.is_some());
    let metrics = metrics.map(|found| said(told, *found, &sentence(told, *found)));
    let scopes = told.comparison.scopes.iter();
    let missing = scopes.flat_map(|scope| scope.excused.iter().map(move |excused| (scope, excused)));
    let missing = missing.filter_map(|(scope, (scenario, at))| {
        let waiver = told.config.waivers.get(*at)?;
        let place = told.place(&scope.scope, scenario);
        let known = format!("known: {} ({}, until {})", waiver.reason, waiver.by, waiver.until);
        Some(line_start(&format!("{place}: missing; {known}")))
    });
    bounded(metrics.chain(missing), |line| line)
}

/// Metrics whose data stray too far for what they are to decide.
pub(super) fn noisy(told: &Told<'_>) -> Vec<String> {
    let noisy = told.telling.iter().filter_map(|found| Some((*found, words::too_noisy(found.metric)?)));
    bounded(noisy, |(found, why)| said(told, found, &why))
}

/// Where the level changed; the larger changes first.
pub(super) fn trend(told: &Told<'_>) -> Vec<String> {
    let mut all: Vec<(f64, Found<'_>, String)> =
        told.telling.iter().copied().filter_map(level_change).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.name().cmp(&b.1.name())));
    all.truncate(TRENDS);
    all.into_iter().map(|(_, found, change)| said(told, found, &change)).collect()
}

/// How far the level of a metric moved, and the sentence about it.
fn level_change(found: Found<'_>) -> Option<(f64, Found<'_>, String)> {
    let history = &found.metric.extra.as_ref()?.history;
    if found.metric.judgement.is_unlike() || found.metric.metric.meaning.exact {
        return None;
    }
    let costs = crate::series::costs(found.metric, history)?;
    let change = trend::last_change(&costs)?;
    let said = words::level_change(found.metric, &change, costs.len());
    Some(((change.after - change.before).abs(), found, said))
}

fn sentence(told: &Told<'_>, found: Found<'_>) -> String {
    words::sentence(found.metric, told.config)
}

fn said(told: &Told<'_>, found: Found<'_>, what: &str) -> String {
    let place = told.place(&found.scope.scope, &found.scenario.scenario);
    line_start(&format!("{place}, {}: {what}", found.metric.metric.label))
}
