//! Changes beyond what the benchmarks have in common, as in `12.10 → 16.00 ms (+32.2% vs. the median of 30); the other 40
//! benchmarks +4.1%, the rest +27% (limit +10%)`.

use perf_verdict::oriented::value;
use perf_verdict::rules::common::Finding;

use super::Say;
use crate::number::counted;
use crate::series::current;
use crate::words::{Numbers, Subject, confirmation, versus};

impl Say for Finding {
    fn reason(&self, compared: &Subject<'_>) -> String {
        let direction = compared.metric.meaning.direction;
        let [all, common, own, limit] = [self.effect, self.common, self.effect - self.common, self.limit]
            .map(|distance| compared.effect(distance));
        let numbers = compared.band().zip(current(compared)).map(|(band, now)| {
            let median = value(direction, band.median);
            let arrow = Numbers::new(compared, &[median, now]).arrow(median, now);
            format!("{arrow} ({}); ", versus(&all, &format!("the median of {}", band.values)))
        });
        let others = counted(self.rows.saturating_sub(1), "benchmark");
        let confirmation = match self.screening.suspicion() {
            Some(runs) => format!("; {}", confirmation(compared, runs, self.effect)),
            None => String::new(),
        };
        format!(
            "{}the other {others} {common}, the rest {own} (limit {limit}){confirmation}",
            numbers.unwrap_or_default()
        )
    }

    fn bound(&self, compared: &Subject<'_>) -> String {
        format!("limit {} beyond the other benchmarks", compared.effect(self.limit))
    }
}
