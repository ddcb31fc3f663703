//! Losses since the best sustained level.

use perf_verdict::cost_scale::{cost, value};
use perf_verdict::rules::ratchet::Finding;

use crate::number::counted;
use crate::series::current;
use crate::words::{MINUS, SentenceNumbers, Subject, and_confirmation};

pub(super) fn reason(finding: &Finding, compared: &Subject<'_>) -> String {
    let direction = compared.direction();
    let sizes = [finding.level - finding.best, finding.limit]
        .map(|distance| compared.change_of(distance).abs());
    let (lost, limit) = compared.signed_pair(sizes[0], sizes[1]);
    let [lost, limit] = [&lost, &limit].map(|size| size.trim_start_matches(['+', MINUS]));
    let [level, best] = [finding.level, finding.best].map(|cost| value(direction, cost));
    let numbers = SentenceNumbers::new(compared, &[level, best]);
    let [level, best] = [level, best].map(|number| numbers.full(number));
    let ago = match finding.ago {
        0 => String::new(),
        ago => format!(" {} ago", counted(ago, "baseline")),
    };
    let now = current(compared).and_then(|now| cost(direction, now));
    let level = if now == Some(finding.level) {
        level
    } else {
        format!("{level} over the last five runs")
    };
    let lost = if lost.contains('×') {
        lost.to_owned()
    } else {
        format!("{lost} worse")
    };
    let confirmation = and_confirmation(compared, finding.screening, finding.level - finding.best);
    format!(
        "{level}, {lost} than the best sustained level of {best}{ago}; limit {limit}{confirmation}"
    )
}
