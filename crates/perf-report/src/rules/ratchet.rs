//! Losses since the best sustained level.

use perf_verdict::MetricComparison;
use perf_verdict::oriented::{cost, value};
use perf_verdict::rules::ratchet::Finding;

use super::Say;
use crate::series::current;
use crate::words::{Numbers, change_of, confirmation, counted, signed_pair};

impl Say for Finding {
    fn reason(&self, compared: &MetricComparison) -> String {
        let direction = compared.metric.meaning.direction;
        let sizes = [self.level - self.best, self.limit].map(|distance| change_of(direction, distance).abs());
        let (lost, limit) = signed_pair(sizes[0], sizes[1]);
        let [lost, limit] = [&lost, &limit].map(|size| size.trim_start_matches('+'));
        let [level, best] = [self.level, self.best].map(|cost| value(direction, cost));
        let numbers = Numbers::new(compared, &[level, best]);
        let [level, best] = [level, best].map(|number| numbers.full(number));
        let ago = match self.ago {
            0 => String::new(),
            ago => format!(" {} ago", counted(ago, "baseline")),
        };
        let now = current(compared).and_then(|now| cost(direction, now));
        let level = if now == Some(self.level) { level } else { format!("{level} over the last five runs") };
        let confirmation = match self.screening.suspicion() {
            Some(runs) => format!("; {}", confirmation(compared, runs, self.level - self.best)),
            None => String::new(),
        };
        format!(
            "{level}, {lost} worse than the best sustained level of {best}{ago}; limit {limit}{confirmation}"
        )
    }

    fn rule(&self, _: &MetricComparison) -> String {
        "ratchet".to_owned()
    }
}
