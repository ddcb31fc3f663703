//! Changes beyond what the benchmarks have in common, as in `12.10 → 16.00 ms (+32.2% vs. the median of 30); the other 40
//! benchmarks +4.1%, the rest +27% (limit +10%)`.

use perf_verdict::rules::common::Finding;

use super::Say;
use crate::number::counted;
use crate::series::{current, median_of};
use crate::words::{Numbers, Subject, and_confirmation, versus};

impl Say for Finding {
    fn reason(&self, compared: &Subject<'_>) -> String {
        let [all, common, own, limit] = [self.effect, self.common, self.effect - self.common, self.limit]
            .map(|distance| compared.effect(distance));
        let numbers = median_of(compared).zip(current(compared)).map(|(median, now)| {
            let arrow = Numbers::new(compared, &[median.number, now]).arrow(median.number, now);
            format!("{arrow} ({}); ", versus(&all, &format!("the median of {}", median.values)))
        });
        let others = counted(self.rows.saturating_sub(1), "benchmark");
        let confirmation = and_confirmation(compared, self.screening, self.effect);
        format!(
            "{}the other {others} {common}, the rest {own} (limit {limit}){confirmation}",
            numbers.unwrap_or_default()
        )
    }

    fn bound(&self, compared: &Subject<'_>) -> String {
        format!("limit {} beyond the other benchmarks", compared.effect(self.limit))
    }
}
