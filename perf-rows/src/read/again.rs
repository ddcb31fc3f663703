//! What was measured again: the same tool's output, given several times with other numbers, as samples.
//!
//! A *document* is what one run of a tool wrote: a file, one of several documents in a file, or lines in a log up to
//! where the tool says something again. The run indices of its rows are its own, and begin anew in the next one; only
//! rows that say a run index themselves mean it for all inputs. A *part* is what a document says of one measurement.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::header::HIGHEST_RUN;
use super::keys::{Keys, Number};
use super::readout::Readout;
use super::settle::unordered;
use crate::row::{Name, Row};

/// How many documents back the same one is looked for, so that any number of them takes little time.
const LOOKED_BACK: usize = 64;

/// Of which document each row is.
#[derive(Debug)]
pub(super) struct Documents {
    all: Vec<Document>,
    /// The document that is being read.
    current: u32,
    /// How many rows there were when it began.
    began: usize,
    /// For each row its document; 0 when its run index means the same in all.
    of_rows: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Document {
    tool: &'static str,
    /// Whether it may be several, of which each begins where something is said again.
    is_lines: bool,
}

impl Default for Documents {
    fn default() -> Self {
        Self { all: vec![Document { tool: "", is_lines: false }], current: 0, began: 0, of_rows: Vec::new() }
    }
}

impl Documents {
    /// Begins a document of a tool, and gives what stands for it.
    pub(super) fn begin(&mut self, tool: &'static str, is_lines: bool) -> u32 {
        self.all.push(Document { tool, is_lines });
        self.began = self.of_rows.len();
        self.current = u32::try_from(self.all.len() - 1).unwrap_or_default();
        self.current
    }

    /// Begins another document of the same tool.
    pub(super) fn next(&mut self) {
        let Document { tool, is_lines } = self.all[self.current as usize];
        if self.began < self.of_rows.len() {
            self.begin(tool, is_lines);
        }
    }

    /// Goes on with a document.
    pub(super) fn turn_to(&mut self, document: u32) {
        self.current = document;
    }

    /// Takes note of a row; whether its run index means the same in all documents.
    pub(super) fn row(&mut self, is_numbered: bool) {
        self.of_rows.push(if is_numbered { 0 } else { self.current });
    }

    /// Gives rows that a later document has again a run index of their own.
    pub(super) fn number_on(&self, readout: &mut Readout, keys: &Keys) {
        let first = self.of_rows.iter().find(|document| **document > 0);
        let is_one = |first: u32| self.of_rows.iter().all(|document| [0, first].contains(document));
        if first.is_none_or(|first| !self.all[*first as usize].is_lines && is_one(*first)) {
            return;
        }
        if !self.may_repeat(&readout.rows, keys) {
            return;
        }
        let measurements = self.parts(&readout.rows, keys);
        let copies = copies(&measurements, &readout.rows);
        for parts in measurements.iter().filter(|parts| parts.len() > 1) {
            readout.repeated += number_parts(parts, &copies, &mut readout.rows);
        }
    }

    /// Whether a measurement may have several parts: it is in two documents, or its runs do not follow each other.
    fn may_repeat(&self, rows: &[Row], keys: &Keys) -> bool {
        let mut of_keys = vec![0; keys.len()];
        let mut of_rows = self.of_rows.iter().zip(&keys.of_rows).filter(|(document, _)| **document > 0);
        let is_in_two = of_rows.any(|(document, key)| {
            let before = std::mem::replace(&mut of_keys[*key as usize], *document);
            before > 0 && before != *document
        });
        is_in_two || unordered(rows, keys).contains(&true)
    }

    /// The parts of each measurement of each tool, in order. One at another time is another measurement.
    fn parts(&self, rows: &[Row], keys: &Keys) -> Vec<Vec<Part>> {
        let mut measurements: IndexMap<(Number, Option<i64>, &str), Vec<Part>, RandomState> =
            IndexMap::default();
        for (at, (row, document)) in
            rows.iter().zip(&self.of_rows).enumerate().filter(|(_, (_, of))| **of > 0)
        {
            let Document { tool, is_lines } = self.all[*document as usize];
            let parts = measurements.entry((keys.of_rows[at], row.measured_at, tool)).or_default();
            let pass = match parts.last_mut() {
                Some(last) if last.of.0 == *document => {
                    if !is_lines || !last.has(row, rows) {
                        last.rows.push(at);
                        continue;
                    }
                    last.of.1 + 1
                }
                _ => 0,
            };
            parts.push(Part { of: (*document, pass), rows: vec![at] });
        }
        measurements.into_values().collect()
    }
}

/// A document, and which of its passes when it is several.
type Of = (u32, u32);

/// What a document says of one measurement: places of rows.
struct Part {
    of: Of,
    rows: Vec<usize>,
}

impl Part {
    /// Whether it says of this run what the row says, too.
    fn has(&self, row: &Row, rows: &[Row]) -> bool {
        // Samples come in order.
        if rows[self.rows[self.rows.len() - 1]].run_index < row.run_index {
            return false;
        }
        let of_run = self.rows.iter().map(|at| &rows[*at]).filter(|other| is_same_run(row, other));
        of_run.into_iter().any(|other| row.metrics.is_empty() || shared(row, other).next().is_some())
    }

    /// Whether two parts say nothing different.
    fn agrees(&self, other: &Self, rows: &[Row]) -> bool {
        let agree = |(one, other): (&usize, &usize)| {
            let (one, other) = (&rows[*one], &rows[*other]);
            let (mut shared, mut same) = (shared(one, other).peekable(), true);
            let says_nothing = one.metrics.is_empty() && other.metrics.is_empty();
            let says_same = shared.peek().is_some() || says_nothing;
            shared.for_each(|is_same| same &= is_same);
            is_same_run(one, other) && says_same && same
        };
        self.rows.len() == other.rows.len() && self.rows.iter().zip(&other.rows).all(agree)
    }

    /// What is measured in it.
    fn metrics<'r>(&self, rows: &'r [Row]) -> impl Iterator<Item = &'r Name> {
        self.rows.iter().flat_map(|at| rows[*at].metrics.iter().map(|(name, _)| name))
    }

    /// Its first and its last run.
    fn runs(&self, rows: &[Row]) -> (i64, i64) {
        let runs = self.rows.iter().map(|at| rows[*at].run_index);
        runs.fold((i64::MAX, i64::MIN), |(first, last), run| (first.min(run), last.max(run)))
    }
}

fn is_same_run(one: &Row, other: &Row) -> bool {
    (one.run_index, one.outcome) == (other.run_index, other.outcome)
}

/// For each metric that both rows have, whether its numbers are the same.
fn shared(one: &Row, other: &Row) -> impl Iterator<Item = bool> {
    one.metrics.iter().filter_map(|(name, value)| Some(other.metrics.get(name)? == value))
}

/// The documents that say nothing but what one earlier document says, as the same file does that is given twice.
fn copies(measurements: &[Vec<Part>], rows: &[Row]) -> HashMap<Of, Of> {
    let mut same: HashMap<Of, Vec<Of>> = HashMap::new();
    for parts in measurements {
        for (at, part) in parts.iter().enumerate() {
            let earlier = parts[at.saturating_sub(LOOKED_BACK)..at].iter();
            let agreeing: Vec<Of> =
                earlier.filter(|earlier| part.agrees(earlier, rows)).map(|earlier| earlier.of).collect();
            same.entry(part.of)
                .and_modify(|same| same.retain(|of| agreeing.contains(of)))
                .or_insert(agreeing);
        }
    }
    same.into_iter().filter_map(|(of, same)| Some((of, *same.first()?))).collect()
}

/// Numbers the runs of a measurement on from part to part; how many rows are further samples.
fn number_parts(parts: &[Part], copies: &HashMap<Of, Of>, rows: &mut [Row]) -> u64 {
    let mut numbering = Numbering::default();
    for part in parts {
        match copies.get(&part.of) {
            Some(original) => numbering.copy(part, *original),
            None => numbering.add(part, rows),
        }
    }
    if numbering.further > 0 {
        for part in parts {
            let Some(start) = numbering.starts.get(&part.of) else { continue };
            let (first, _) = part.runs(rows);
            part.rows.iter().for_each(|at| rows[*at].run_index += start - first);
        }
    }
    numbering.further
}

/// Where the runs of each part of a measurement begin.
#[derive(Default)]
struct Numbering {
    starts: HashMap<Of, i64>,
    /// The next run of each metric: parts that measured different things may have the same runs, and become one there.
    next: HashMap<Name, i64>,
    /// How many rows measured what an earlier one did.
    further: u64,
}

impl Numbering {
    fn copy(&mut self, part: &Part, original: Of) {
        if let Some(start) = self.starts.get(&original).copied() {
            self.starts.insert(part.of, start);
        }
    }

    fn add(&mut self, part: &Part, rows: &[Row]) {
        let metrics: HashSet<&Name> = part.metrics(rows).collect();
        let before = metrics.iter().filter_map(|name| self.next.get(*name)).max().copied();
        let (first, last) = part.runs(rows);
        let start = before.unwrap_or_default();
        let end = last.checked_sub(first).and_then(|more| start.checked_add(more));
        // What failed has no number that could stand beside others.
        let Some(end) = end.filter(|end| *end <= HIGHEST_RUN && !metrics.is_empty()) else { return };
        self.next.extend(metrics.into_iter().map(|name| (Name::clone(name), end + 1)));
        self.starts.insert(part.of, start);
        self.further += before.map_or(0, |_| part.rows.len() as u64);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::sink::Cells;
    use super::*;
    use crate::row::{Metrics, Outcome, Value};

    /// Two documents of one measurement, the second of which has this run.
    fn runs(second: i64) -> Vec<i64> {
        let mut keys = Keys::default();
        let number = keys.number(&Cells::of("open"));
        keys.of_rows = vec![number; 4];
        let row = |(run_index, time): (i64, i64)| Row {
            key: Arc::clone(keys.key(number)),
            run_index,
            outcome: Outcome::Measured,
            measured_at: None,
            metrics: Metrics::from_iter([("timeNs".into(), Value::Int(time))]),
        };
        let mut readout = Readout::default();
        let mut documents = Documents::default();
        for document in [[(0, 5), (1, 6)], [(0, 7), (second, 8)]] {
            documents.begin("tool", false);
            documents.row(false);
            documents.row(false);
            readout.rows.extend(document.map(row));
        }
        documents.number_on(&mut readout, &keys);
        readout.rows.iter().map(|row| row.run_index).collect()
    }

    #[test]
    fn a_run_index_stays_one_that_can_be_read() {
        assert_eq!(runs(HIGHEST_RUN - 2), [0, 1, 2, HIGHEST_RUN]);
        for too_high in [HIGHEST_RUN - 1, i64::MAX] {
            assert_eq!(runs(too_high), [0, 1, 0, too_high]);
        }
    }
}
