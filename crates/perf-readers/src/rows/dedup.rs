//! Which of the rows with one key are said twice, and which contradict each other.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use crate::rows::keys::{Keys, Number};
use crate::rows::parse_report::{Conflict, ParseReport};
use perf_model::row::{Metrics, Name, Outcome, Row, Value};

/// What tells the rows of a measurement apart: when it was, as a history without commits has nothing else that does; and
/// that one failed is not said by one that did not.
type Run = (Option<i64>, i64, Outcome);

fn run(row: &Row) -> Run {
    (row.measured_at, row.run_index, row.outcome)
}

/// The measurements, by the numbers of their keys, of which a run may be there twice: those of which one did not come
/// before or behind all earlier ones, as samples do and what sums them up. Empty where each row has a key of its own.
pub(crate) fn unordered(rows: &[Row], keys: &Keys) -> Vec<bool> {
    // Keys are numbered as they appear.
    if keys.of_rows.is_sorted_by(|one, next| one < next) {
        return Vec::new();
    }
    let mut ends: Vec<Option<[Run; 2]>> = vec![None; keys.len()];
    let mut unordered = vec![false; keys.len()];
    for (row, key) in rows.iter().zip(&keys.of_rows) {
        let run = run(row);
        match &mut ends[*key as usize] {
            none @ None => *none = Some([run; 2]),
            Some([_, last]) if *last < run => *last = run,
            Some([first, _]) if run < *first => *first = run,
            Some(_) => unordered[*key as usize] = true,
        }
    }
    unordered
}

/// Keeps each row once. One that says nothing that an earlier one does not say is its duplicate, and so is an
/// earlier one that says less; of rows that differ, the first counts. Rows that measured different things of
/// the same become one.
pub(crate) fn dedup(readout: &mut ParseReport, keys: &Keys) {
    let ParseReport { rows, origins, duplicates, merged, conflicts, .. } = readout;
    let unordered = unordered(rows, keys);
    if !unordered.contains(&true) {
        return;
    }
    let mut firsts: HashMap<(Number, Run), usize, RandomState> = HashMap::default();
    let mut others: HashSet<(usize, Vec<(Name, Value)>), RandomState> = HashSet::default();
    let mut kept = 0;
    for at in 0..rows.len() {
        let key = keys.of_rows[at];
        let may_repeat = unordered[key as usize];
        let first = if may_repeat { *firsts.entry((key, run(&rows[at]))).or_insert(kept) } else { kept };
        if first < kept {
            if rows[first].metrics == rows[at].metrics {
                *duplicates += 1;
                continue;
            }
            let (known, metrics) = (sorted(&rows[first].metrics), sorted(&rows[at].metrics));
            let (says_less, says_more) = (is_within(&metrics, &known), is_within(&known, &metrics));
            if !says_less && !says_more && says_other(&metrics, &known) {
                let more = std::mem::take(&mut rows[at].metrics);
                more.iter()
                    .for_each(|(name, value)| _ = rows[first].metrics.insert(Name::clone(name), value));
                *merged += 1;
                continue;
            }
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

/// Whether two sets of metrics have no name in common, so that they say different things of one measurement.
fn says_other(some: &[(Name, Value)], others: &[(Name, Value)]) -> bool {
    !some.iter().any(|(name, _)| others.binary_search_by(|(other, _)| other.cmp(name)).is_ok())
}

/// Whether `all` has everything that `some` has; both are sorted.
fn is_within(some: &[(Name, Value)], all: &[(Name, Value)]) -> bool {
    let mut all = all.iter();
    some.iter().all(|wanted| all.any(|pair| pair == wanted))
}
