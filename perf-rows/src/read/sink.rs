//! Where readers put what they find.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::readout::{Conflict, InputSummary, Origin, Readout, Skipped};
use crate::catalogue::{Catalogue, Unlisted};
use crate::row::{Interner, Metrics, Name, Row};

/// How many near-rows are kept word for word; the rest is only counted, as a hostile input may have millions.
const KEPT: usize = 1000;

/// A row's texts before they are stored.
pub(crate) struct Cells<'a> {
    pub scenario: &'a str,
    pub platform: &'a str,
    pub commit: &'a str,
    pub run_index: i64,
    pub machine_class: Option<&'a str>,
}

/// Collects rows, near-rows and counts of all inputs.
pub(crate) struct Sink<'c> {
    pub(crate) catalogue: &'c Catalogue,
    texts: Interner,
    names: Interner,
    rows: Vec<Row>,
    origins: Vec<Origin>,
    readout: Readout,
}

impl<'c> Sink<'c> {
    pub(super) fn new(catalogue: &'c Catalogue) -> Self {
        Self {
            catalogue,
            texts: Interner::default(),
            names: Interner::default(),
            rows: Vec::new(),
            origins: Vec::new(),
            readout: Readout::default(),
        }
    }

    /// Starts the account of an input.
    pub(super) fn begin(&mut self, name: &str, format: &'static str, head: &[u8]) {
        let binary = head.contains(&0);
        self.readout.inputs.push(InputSummary { name: name.to_owned(), format, lines: 0, rows: 0, binary });
    }

    /// The stored name of a metric that is written so in a row.
    pub(crate) fn metric(&mut self, written: &str) -> Name {
        self.names.intern(self.catalogue.metric_name(written))
    }

    pub(crate) fn row(&mut self, line: u64, cells: &Cells<'_>, metrics: Metrics) {
        let scenario = Name::from(cells.scenario);
        if self.catalogue.unlisted == Unlisted::Drop && !self.catalogue.lists(&scenario) {
            *self.readout.unlisted.entry(scenario).or_insert(0) += 1;
            return;
        }
        self.rows.push(Row {
            scenario,
            platform: self.texts.intern(cells.platform),
            commit: self.texts.intern(cells.commit),
            run_index: cells.run_index,
            machine_class: cells.machine_class.map(|class| self.names.intern(class)),
            metrics,
        });
        let origin = self.origin(line);
        self.origins.push(origin);
        if let Some(input) = self.readout.inputs.last_mut() {
            input.rows += 1;
        }
    }

    /// Names a near-row. `reason` is only made when the near-row is kept.
    pub(crate) fn skip(&mut self, line: u64, text: &[u8], reason: impl FnOnce() -> String) {
        self.readout.skipped_count += 1;
        if self.readout.skipped.len() < KEPT {
            let origin = self.origin(line);
            self.readout.skipped.push(Skipped { origin, reason: reason(), text: excerpt(text) });
        }
    }

    pub(crate) fn lines(&mut self, count: u64) {
        if let Some(input) = self.readout.inputs.last_mut() {
            input.lines += count;
        }
    }

    fn origin(&self, line: u64) -> Origin {
        Origin { input: self.readout.inputs.len().saturating_sub(1), line }
    }

    pub(super) fn finish(mut self) -> Readout {
        let mut kept = Vec::with_capacity(self.rows.len());
        let mut seen: HashMap<InternedKey<'_>, usize> = HashMap::with_capacity(self.rows.len());
        let mut later: HashSet<(usize, &Metrics)> = HashSet::new();
        for (at, row) in self.rows.iter().enumerate() {
            match seen.entry(interned_key(row)) {
                Entry::Vacant(slot) => {
                    slot.insert(at);
                    kept.push(true);
                }
                Entry::Occupied(first) => {
                    let first = *first.get();
                    let same = self.rows[first].metrics == row.metrics;
                    let duplicate = same || !later.insert((first, &row.metrics));
                    kept.push(!duplicate);
                    if duplicate {
                        self.readout.duplicates += 1;
                    } else {
                        let (first, second) = (self.origins[first], self.origins[at]);
                        self.readout.conflicts.push(Conflict {
                            scenario: Name::clone(&row.scenario),
                            first,
                            second,
                        });
                    }
                }
            }
        }
        drop((seen, later));
        let mut keep = kept.iter();
        self.rows.retain(|_| keep.next().is_none_or(|keep| *keep));
        let mut keep = kept.iter();
        self.origins.retain(|_| keep.next().is_none_or(|keep| *keep));
        self.readout.rows = self.rows;
        self.readout.origins = self.origins;
        self.readout
    }
}

/// Scenario, platform, commit, run index and machine class.
type InternedKey<'r> = (&'r str, usize, usize, i64, usize);

/// What makes two rows measurements of the same thing in the same run. Platforms, commits and classes are
/// stored once, so the same text is the same place, and comparing places is cheap.
fn interned_key(row: &Row) -> InternedKey<'_> {
    let place = |name: &Name| name.as_ptr().addr();
    let class = row.machine_class.as_ref().map_or(0, place);
    (&row.scenario, place(&row.platform), place(&row.commit), row.run_index, class)
}

fn excerpt(text: &[u8]) -> String {
    const WIDEST: usize = 200;
    String::from_utf8_lossy(&text[..text.len().min(WIDEST)]).trim().to_owned()
}
