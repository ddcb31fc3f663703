//! Changes beyond what the benchmarks have in common, as in `12.10 → 16.00 ms (+32.2% vs. the median of 30); the other 40
//! benchmarks +4.1%, the rest +27% (limit +10%)`, or beyond what the earlier runs most alike or the most correlated
//! benchmarks predict.

use perf_verdict::rules::common::{Finding, Peers};

use super::history;
use crate::number::counted;
use crate::series::{current, median_of};
use crate::words::{SentenceNumbers, Subject, and_confirmation, versus};

pub(super) fn reason(finding: &Finding, compared: &Subject<'_>) -> String {
    let [all, common, own, limit] = [
        finding.effect,
        finding.common,
        finding.effect - finding.common,
        finding.limit,
    ]
    .map(|distance| compared.effect(distance));
    let numbers = median_of(compared)
        .zip(current(compared))
        .map(|(median, now)| {
            let arrow =
                SentenceNumbers::new(compared, &[median.number, now]).arrow(median.number, now);
            format!(
                "{arrow} ({}); ",
                versus(&all, &format!("the median of {}", median.values))
            )
        });
    let expected = match finding.peers {
        Peers::Others => format!(
            "the other {}",
            counted(finding.rows.saturating_sub(1), "benchmark")
        ),
        Peers::Runs(runs) => format!("in the {} most alike", counted(runs, "run")),
        Peers::Rows(rows) => format!("the {} that moved most like it", counted(rows, "benchmark")),
    };
    let confirmation = and_confirmation(compared, finding.screening, finding.effect);
    format!(
        "{}{expected} {common}, the rest {own} (limit {limit}){}{confirmation}",
        numbers.unwrap_or_default(),
        history::and_level(compared),
    )
}

pub(super) fn bound(finding: &Finding, compared: &Subject<'_>) -> String {
    let beyond = match finding.peers {
        Peers::Others => "the other benchmarks",
        Peers::Runs(_) => "runs alike",
        Peers::Rows(_) => "benchmarks alike",
    };
    format!("limit {} beyond {beyond}", compared.effect(finding.limit))
}
