//! Groups rows by run.

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use perf_model::row::{Key, Row};

/// The indices of each run's rows, in order of first appearance. A run's rows share their key, and without a commit
/// also their date.
pub(crate) fn places_by_run(rows: &[Row]) -> Vec<Vec<usize>> {
    let mut runs: IndexMap<(&Key, Option<i64>), Vec<usize>, RandomState> = IndexMap::default();
    for (at, row) in rows.iter().enumerate() {
        let date = row.measured_at.filter(|_| row.commit.is_empty());
        runs.entry((&row.key, date)).or_default().push(at);
    }
    runs.into_values().collect()
}
