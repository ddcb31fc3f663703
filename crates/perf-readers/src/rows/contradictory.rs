//! Rows whose numbers cannot all be right.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::rows::parse_report::{Contradictory, ParseReport};
use perf_model::contradiction::Contradiction;
use perf_model::row::Name;

/// The most contradictory rows that are kept; a hostile input may have millions.
const KEPT: usize = 1000;

/// Finds the rows whose numbers contradict each other.
pub(super) fn find(report: &mut ParseReport) {
    // Rows share their sequence of names, and few sequences have a minimum, a maximum or percentiles.
    let mut may_contradict: HashMap<usize, bool, RandomState> = HashMap::default();
    for (row, origin) in report.rows.iter().zip(&report.origins) {
        let may = may_contradict.entry(row.metrics.names_at());
        if !*may.or_insert_with(|| Contradiction::is_possible(&row.metrics)) {
            continue;
        }
        let Some(found) = Contradiction::in_row(row) else { continue };
        report.contradictory_count += 1;
        if report.contradictory.len() < KEPT {
            let scenario = Name::clone(&row.scenario);
            report.contradictory.push(Contradictory { scenario, origin: *origin, found });
        }
    }
}
