//! Duplicates and conflicts among rows of one key.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::RandomState;

use crate::rows::keys::{Keys, Number};
use crate::rows::parse_report::{Conflict, ParseReport};
use perf_config::Config;
use perf_model::decimal::stored;
use perf_model::row::{Metrics, Name, Outcome, Row, Value};
use perf_model::suite::Definitions;

/// Identifies a row of a measurement. The date is part of it for histories without commits, and the outcome because a
/// failed row never duplicates a measured one.
pub(crate) type Run = (Option<i64>, i64, Outcome);

pub(crate) fn run(row: &Row) -> Run {
    (row.measured_at, row.run_index, row.outcome)
}

/// Marks the keys that may have a run twice: those with a row that came neither before nor after all earlier ones, as
/// samples and their aggregate do. Empty when each row has a key of its own.
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

/// Keeps each row once. Rows are compared as a baseline holds them. A row whose metrics are a subset of another one's
/// is its duplicate; rows of one run with disjoint metrics are merged; of rows that contradict each other, the first
/// counts.
pub(crate) fn dedup(report: &mut ParseReport, keys: &Keys, config: &Config) {
    let ParseReport {
        rows,
        origins,
        duplicates,
        merged,
        conflicts,
        ..
    } = report;
    let unordered = unordered(rows, keys);
    if !unordered.contains(&true) {
        return;
    }
    let mut firsts: HashMap<(Number, Run), usize, RandomState> = HashMap::default();
    // Their digests: each of millions of rows may differ from the first.
    let mut others: HashSet<(usize, u64), RandomState> = HashSet::default();
    let digests = RandomState::default();
    let mut kept = 0;
    for at in 0..rows.len() {
        let key = keys.of_rows[at];
        let may_repeat = unordered[key as usize];
        let first = if may_repeat {
            *firsts.entry((key, run(&rows[at]))).or_insert(kept)
        } else {
            kept
        };
        if first < kept {
            if rows[first].metrics == rows[at].metrics {
                *duplicates += 1;
                continue;
            }
            let (known, metrics) = (
                sorted(&rows[first].metrics, config),
                sorted(&rows[at].metrics, config),
            );
            let (is_subset, is_superset) =
                (is_within(&metrics, &known), is_within(&known, &metrics));
            if !is_subset && !is_superset && is_disjoint(&metrics, &known) {
                let more = std::mem::take(&mut rows[at].metrics);
                more.iter().for_each(|(name, value)| {
                    _ = rows[first].metrics.insert(Name::clone(name), value);
                });
                *merged += 1;
                continue;
            }
            if is_superset && !is_subset {
                rows.swap(first, at);
                origins.swap(first, at);
            }
            if is_subset || is_superset || !others.insert((first, digests.hash_one(&metrics))) {
                *duplicates += 1;
                continue;
            }
            conflicts.push(Conflict {
                key: Arc::clone(&rows[at].key),
                first: origins[first],
                second: origins[at],
            });
        }
        rows.swap(kept, at);
        origins.swap(kept, at);
        kept += 1;
    }
    rows.truncate(kept);
    origins.truncate(kept);
}

/// Metrics in a comparable order, rounded to the decimals of a baseline.
fn sorted(metrics: &Metrics, config: &Config) -> Vec<(Name, Value)> {
    let held = |(name, value): (&Name, Value)| {
        (
            Name::clone(name),
            stored(value, config.metric(name).decimals),
        )
    };
    let mut sorted: Vec<_> = metrics.iter().map(held).collect();
    sorted.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    sorted
}

/// True if two sets of metrics have no name in common, and can be merged.
fn is_disjoint(some: &[(Name, Value)], others: &[(Name, Value)]) -> bool {
    !some.iter().any(|(name, _)| {
        others
            .binary_search_by(|(other, _)| other.cmp(name))
            .is_ok()
    })
}

/// True if `all` has everything that `some` has; both are sorted.
fn is_within(some: &[(Name, Value)], all: &[(Name, Value)]) -> bool {
    let mut all = all.iter();
    some.iter().all(|wanted| all.any(|pair| pair == wanted))
}
