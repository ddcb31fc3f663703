//! Changes of level, as in `level rose by 4% 12 baselines ago (12.10 → 12.58 ms)`.

use perf_stats::breaks::Break;
use perf_verdict::MetricComparison;
use perf_verdict::oriented::value;

use crate::words::{Numbers, change_of, counted, signed};

/// The change of level among this many costs.
pub(crate) fn level_change(compared: &MetricComparison, change: &Break, values: usize) -> String {
    let direction = compared.metric.meaning.direction;
    let [before, after] = [change.before, change.after].map(|cost| value(direction, cost));
    let way = if after > before { "rose" } else { "fell" };
    let by = signed(change_of(direction, change.after - change.before));
    let by = by.trim_start_matches(['+', '-']);
    let ago = counted(values.saturating_sub(change.at), "baseline");
    let numbers = Numbers::new(compared, &[before, after]);
    format!("level {way} by {by} {ago} ago ({})", numbers.arrow(before, after))
}
