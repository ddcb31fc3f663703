//! Changes of level, as in `level rose by 4% 12 baselines ago (12.10 → 12.58 ms)`.

use perf_verdict::cost_scale::value;
use perf_verdict::statistics::breaks::Break;

use crate::number::counted;
use crate::words::{SentenceNumbers, Subject, percent};

/// The change of level among this many costs.
pub(crate) fn level_change(compared: &Subject<'_>, change: &Break, values: usize) -> String {
    let direction = compared.direction();
    let [before, after] = [change.before, change.after].map(|cost| value(direction, cost));
    let way = if after > before { "rose" } else { "fell" };
    let by = percent(compared.change_of(change.after - change.before).abs(), 1);
    let ago = counted(values.saturating_sub(change.at), "baseline");
    let numbers = SentenceNumbers::new(compared, &[before, after]);
    format!(
        "level {way} by {by} {ago} ago ({})",
        numbers.arrow(before, after)
    )
}
