//! Which of the rows with one key are said twice, and which contradict each other.

use std::collections::{HashMap, HashSet};

use super::readout::{Conflict, Readout};
use crate::row::{Metrics, Name, Outcome, Row, Value};

/// Scenario, platform, commit, machine class, run index and outcome: that a measurement failed is not said by
/// one that did not.
type RowKey = ([usize; 4], i64, Outcome);

/// What makes two rows measurements of the same thing in the same run. Texts that many rows share are stored
/// once, so the same text is the same place, and comparing places is cheap.
fn key(row: &Row) -> RowKey {
    let place = |name: &Name| name.as_ptr().addr();
    let class = row.machine_class.as_ref().map_or(0, place);
    let places = [place(&row.scenario), place(&row.platform), place(&row.commit), class];
    (places, row.run_index, row.outcome)
}

/// Keeps each row once. One that says nothing that an earlier one does not say is its duplicate, and so is an
/// earlier one that says less; of rows that differ, the first counts.
pub(super) fn settle(readout: &mut Readout) {
    let Readout { rows, origins, duplicates, conflicts, .. } = readout;
    let mut first: HashMap<RowKey, usize> = HashMap::with_capacity(rows.len());
    let mut others: HashSet<(usize, Vec<(Name, Value)>)> = HashSet::new();
    let mut kept = 0;
    for at in 0..rows.len() {
        let first = *first.entry(key(&rows[at])).or_insert(kept);
        if first < kept {
            let (known, metrics) = (sorted(&rows[first].metrics), sorted(&rows[at].metrics));
            let (says_less, says_more) = (is_within(&metrics, &known), is_within(&known, &metrics));
            if says_more && !says_less {
                rows.swap(first, at);
                origins.swap(first, at);
            }
            if says_less || says_more || !others.insert((first, metrics)) {
                *duplicates += 1;
                continue;
            }
            let scenario = Name::clone(&rows[at].scenario);
            conflicts.push(Conflict { scenario, first: origins[first], second: origins[at] });
        }
        rows.swap(kept, at);
        origins.swap(kept, at);
        kept += 1;
    }
    rows.truncate(kept);
    origins.truncate(kept);
}

/// The order in which a row names its metrics says nothing.
fn sorted(metrics: &Metrics) -> Vec<(Name, Value)> {
    let mut sorted: Vec<_> = metrics.iter().map(|(name, value)| (Name::clone(name), value)).collect();
    sorted.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    sorted
}

/// Whether `all` has everything that `some` has; both are sorted.
fn is_within(some: &[(Name, Value)], all: &[(Name, Value)]) -> bool {
    let mut all = all.iter();
    some.iter().all(|wanted| all.any(|pair| pair == wanted))
}
