//! Metrics that cannot fail, and waivers with what they excuse.

use std::collections::HashSet;

use crate::markdown::escape::{inline, line_start};
use perf_model::suite::Definitions;
use perf_verdict::{Blind, CannotFail, WaiverUse};

use super::cells::count::List;
use super::cells::state::RowState;
use super::context::ReportContext;
use super::lists::{MOST_ENTRIES, entry};
use crate::number::{counted, whole};
use crate::sentences::sentence;
use crate::words::{self, percent};

/// Metrics that failed the self-test of the gate.
pub(super) fn blind(context: &ReportContext<'_>) -> List {
    List::of(MOST_ENTRIES, unexplained(context), |blind| {
        let why = match blind.why {
            CannotFail::Undetected(verdict) => {
                format!("an injected regression was judged {}", verdict.word())
            }
            CannotFail::NotGated(why) => words::not_gated(why, None),
            CannotFail::NoBaseline => "not measured in the baseline".to_owned(),
            CannotFail::NotFailing(verdict) => {
                format!(
                    "a regression would be {}, which does not fail",
                    verdict.word()
                )
            }
            CannotFail::Waived(_) => "waived, whatever it costs".to_owned(),
            CannotFail::Floor(_) => {
                "the minimum absolute change is more than ten times the cost".to_owned()
            }
            CannotFail::Band(growth) => {
                format!("the limit of the history is {} more", percent(growth, 0))
            }
        };
        let place = context.place(&blind.scope, &blind.scenario).strong();
        format!(
            "{place}, {}",
            inline(&format!(
                "{}: {why}",
                context.config.metric(&blind.metric).label
            ))
        )
    })
}

/// The metrics that cannot fail, without waived ones of benchmarks that the list of waivers already names.
fn unexplained<'n>(context: &'n ReportContext<'_>) -> impl Iterator<Item = &'n Blind> + use<'n> {
    let waived = context
        .notable
        .iter()
        .filter(|found| RowState::of(found.metric) == RowState::Waived);
    let waived: HashSet<_> = waived
        .map(|found| (&*found.scope.scope, &*found.scenario.scenario))
        .collect();
    context.comparison.blind.iter().filter(move |blind| {
        !matches!(blind.why, CannotFail::Waived(_))
            || !waived.contains(&(&*blind.scope, &*blind.scenario))
    })
}

/// `2 benchmarks cannot fail`.
pub(super) fn blind_summary(context: &ReportContext<'_>) -> String {
    let benchmarks: HashSet<_> = unexplained(context)
        .map(|blind| (&*blind.scope, &*blind.scenario))
        .collect();
    format!(
        "{} cannot fail: metrics that would pass at ten times the cost",
        counted(benchmarks.len(), "benchmark")
    )
}

/// Waivers that a maintainer should remove or renew.
pub(super) fn stale_waivers(context: &ReportContext<'_>) -> List {
    let waivers = context
        .config
        .waivers
        .iter()
        .zip(&context.comparison.waivers);
    let outdated = waivers.filter(|(_, used)| used.is_expired || used.covered == 0);
    List::of(MOST_ENTRIES, outdated, |(waiver, used)| {
        let state = match used {
            WaiverUse {
                is_expired: true,
                covered: 0,
            } => format!("expired on {} and unused", waiver.until),
            WaiverUse {
                is_expired: true,
                covered,
            } => {
                format!("expired on {}, would have excused {covered}", waiver.until)
            }
            _ => format!("unused, until {}", waiver.until),
        };
        let metric = waiver
            .metric
            .as_ref()
            .map_or(String::new(), |metric| format!(", {}", metric.as_str()));
        line_start(&format!(
            "{}{metric}: {state} ({}; {})",
            waiver.scenario.as_str(),
            waiver.reason,
            waiver.by
        ))
    })
}

/// The metrics and missing benchmarks that waivers excuse, each with the reason.
pub(super) fn waived(context: &ReportContext<'_>) -> List {
    let metrics = context
        .notable
        .iter()
        .filter(|found| RowState::of(found.metric) == RowState::Waived);
    let metrics =
        metrics.map(|found| entry(context, found, &sentence(found.metric, context.config)));
    let scopes = context.comparison.scopes.iter();
    let missing =
        scopes.flat_map(|scope| scope.excused.iter().map(move |excused| (scope, excused)));
    let missing = missing.filter_map(|(scope, (scenario, at))| {
        let waiver = context.config.waivers.get(*at)?;
        let reason = format!(
            "missing; waived: {} ({}, until {})",
            waiver.reason, waiver.by, waiver.until
        );
        Some(format!(
            "{}: {}",
            context.place(&scope.scope, scenario).strong(),
            inline(&reason)
        ))
    });
    List::of(MOST_ENTRIES, metrics.chain(missing), |line| line)
}

/// `2 waived`.
pub(super) fn waived_summary(context: &ReportContext<'_>) -> String {
    format!("{} waived", whole(context.tally.waived))
}
