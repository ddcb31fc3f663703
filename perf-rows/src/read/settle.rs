//! Which of the rows with one key are said twice, and which contradict each other.

use std::collections::{HashMap, HashSet};

use super::readout::{Conflict, Readout};
use crate::row::{Metrics, Name, Outcome, Row, Value};

/// A row's scenario, platform, commit, machine class and methodology, and its date, as a history without commits has
/// nothing else that tells its rows apart. Texts that rows share are stored once, so the same text is
/// the same place, and comparing places is cheap.
pub(super) type Place = ([usize; 5], Option<i64>);

/// What tells the rows of a measurement apart: that one failed is not said by one that did not.
type Run = (i64, Outcome);

pub(super) fn place(row: &Row) -> Place {
    let place = |name: &Name| name.as_ptr().addr();
    let [class, methodology] =
        [&row.machine_class, &row.methodology].map(|text| text.as_ref().map_or(0, place));
    ([place(&row.scenario), place(&row.platform), place(&row.commit), class, methodology], row.measured_at)
}

/// The first row of each run of one measurement.
struct Runs {
    /// Runs that came in order, as most do.
    ascending: Vec<(Run, usize)>,
    others: HashMap<Run, usize>,
}

impl Runs {
    /// The first row of this run, which is the one at `at` if there was none.
    fn first(&mut self, run: Run, at: usize) -> usize {
        if self.ascending.last().is_none_or(|(last, _)| *last < run) {
            self.ascending.push((run, at));
            return at;
        }
        match self.ascending.binary_search_by_key(&run, |(known, _)| *known) {
            Ok(found) => self.ascending[found].1,
            Err(_) => *self.others.entry(run).or_insert(at),
        }
    }
}

/// The runs of all measurements.
#[derive(Default)]
struct Measurements {
    known: HashMap<Place, usize>,
    runs: Vec<Runs>,
    /// The one that the last row was of: samples follow each other.
    last: Option<(Place, usize)>,
}

impl Measurements {
    /// The first row that this one says again or contradicts, which is the one at `at` if there was none.
    fn first(&mut self, row: &Row, at: usize) -> usize {
        let place = place(row);
        let measurement = match self.last {
            Some((last, measurement)) if last == place => measurement,
            _ => *self.known.entry(place).or_insert_with(|| {
                self.runs.push(Runs { ascending: Vec::new(), others: HashMap::new() });
                self.runs.len() - 1
            }),
        };
        self.last = Some((place, measurement));
        self.runs[measurement].first((row.run_index, row.outcome), at)
    }
}

/// Keeps each row once. One that says nothing that an earlier one does not say is its duplicate, and so is an
/// earlier one that says less; of rows that differ, the first counts. Rows that measured different things of
/// the same become one.
pub(super) fn settle(readout: &mut Readout) {
    let Readout { rows, origins, duplicates, merged, conflicts, .. } = readout;
    let mut measurements = Measurements::default();
    let mut others: HashSet<(usize, Vec<(Name, Value)>)> = HashSet::new();
    let mut kept = 0;
    for at in 0..rows.len() {
        let first = measurements.first(&rows[at], kept);
        if first < kept {
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
