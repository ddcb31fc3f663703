//! Rows whose numbers cannot all be right.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::rows::parse_report::{Contradictory, KEPT, ParseReport};
use perf_model::contradiction::StatisticPairs;
use perf_model::row::Name;

/// Finds the rows whose numbers contradict each other.
pub(super) fn find(report: &mut ParseReport) {
    // Rows share their sequence of names, and few sequences have a minimum, a maximum or percentiles.
    let mut known: HashMap<usize, StatisticPairs, RandomState> = HashMap::default();
    for (row, origin) in report.rows.iter().zip(&report.origins) {
        let pairs = known
            .entry(row.metrics.names_at())
            .or_insert_with(|| StatisticPairs::of(&row.metrics));
        let Some(found) = pairs.contradiction(&row.metrics) else {
            continue;
        };
        report.contradictory_count += 1;
        if report.contradictory.len() < KEPT {
            let scenario = Name::clone(&row.scenario);
            report.contradictory.push(Contradictory {
                scenario,
                origin: *origin,
                found,
            });
        }
    }
}
