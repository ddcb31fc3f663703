//! Changes beyond what the benchmarks have in common, as in `12.10 → 16.00 ms (+32.2% vs. the median of 30); the other 40
//! benchmarks +4.1%, the rest +27% (limit +10%)`, or beyond what the earlier runs most alike let expect.

use perf_verdict::rules::common::Finding;

use super::history;
use crate::number::counted;
use crate::series::{current, median_of};
use crate::words::{SentenceNumbers, Subject, and_confirmation, versus};

pub(super) fn reason(finding: &Finding, compared: &Subject<'_>) -> String {
    let [all, common, own, limit] =
        [finding.effect, finding.common, finding.effect - finding.common, finding.limit]
            .map(|distance| compared.effect(distance));
    let numbers = median_of(compared).zip(current(compared)).map(|(median, now)| {
        let arrow = SentenceNumbers::new(compared, &[median.number, now]).arrow(median.number, now);
        format!("{arrow} ({}); ", versus(&all, &format!("the median of {}", median.values)))
    });
    let expected = finding.alike.map_or_else(
        || format!("the other {}", counted(finding.rows.saturating_sub(1), "benchmark")),
        |runs| format!("in the {} most alike", counted(runs, "run")),
    );
    let confirmation = and_confirmation(compared, finding.screening, finding.effect);
    format!(
        "{}{expected} {common}, the rest {own} (limit {limit}){}{confirmation}",
        numbers.unwrap_or_default(),
        history::and_level(compared),
    )
}

pub(super) fn bound(finding: &Finding, compared: &Subject<'_>) -> String {
    let beyond = if finding.alike.is_some() { "runs alike" } else { "the other benchmarks" };
    format!("limit {} beyond {beyond}", compared.effect(finding.limit))
}
