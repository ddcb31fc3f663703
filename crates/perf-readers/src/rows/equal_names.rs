//! Numbers results of a document that share a name, so that all of them are compared.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;

use crate::rows::dedup::{Run, run, unordered};
use crate::rows::keys::{Keys, Number};
use crate::rows::parse_report::ParseReport;
use crate::rows::repeats::Documents;
use perf_model::row::{LONGEST_TEXT, Name, Row, Value};

/// The formats of rows that a project prints itself. Equal names without a run index conflict there: they are more likely
/// samples than different benchmarks.
const OWN_ROWS: [&str; 2] = ["log", "csv"];

/// The most results of one name that a row is compared with as their copy, so that time stays linear.
const MOST_COPIED: usize = 64;

/// The results of one name in a document.
#[derive(Default)]
struct Results {
    all: Vec<Found>,
    /// The highest number in a name.
    highest: usize,
}

/// One result: its key, and the first value of each metric by run.
struct Found {
    key: Number,
    runs: HashMap<Run, HashMap<Name, Value, RandomState>, RandomState>,
}

/// Numbers results in order of appearance: `parse`, `parse #2`. Rows with a written run index and repeated lines of a
/// tool are samples, and keep their names.
pub(super) fn number(report: &mut ParseReport, keys: &mut Keys, documents: &Documents) {
    let may_repeat = unordered(&report.rows, keys);
    if !may_repeat.contains(&true) {
        return;
    }
    let is_of_tool = |document: &u32| !OWN_ROWS.contains(&documents.tool(*document));
    let of_rows: Vec<Option<u32>> = documents
        .whole_documents()
        .map(|document| document.filter(is_of_tool))
        .collect();
    let single = documents_with_single_results(&of_rows, keys, report);
    let names_before = keys.len();
    let mut all: HashMap<(u32, Number), Results, RandomState> = HashMap::default();
    let mut numbered: HashSet<Number, RandomState> = HashSet::default();
    for (at, document) in of_rows.into_iter().enumerate() {
        let key = keys.of_rows[at];
        let Some(document) = document.filter(|_| may_repeat[key as usize]) else {
            continue;
        };
        let results = all.entry((document, key)).or_default();
        // A document that has everything twice was printed twice.
        let has_copies = !single.contains(&document);
        let row = &report.rows[at];
        let place = results.place_of(row, has_copies).unwrap_or_else(|| {
            let key = if results.all.is_empty() {
                key
            } else {
                results.further_key(&row.scenario, key, names_before, keys)
            };
            let runs = HashMap::default();
            results.all.push(Found { key, runs });
            results.all.len() - 1
        });
        let result = &mut results.all[place];
        let of_run = result.runs.entry(run(row)).or_default();
        for (name, value) in row.metrics.iter() {
            of_run.entry(Name::clone(name)).or_insert(value);
        }
        if result.key != key {
            keys.of_rows[at] = result.key;
            report.rows[at].key = Arc::clone(keys.key(result.key));
            if numbered.insert(result.key) {
                report.numbered.push(Name::clone(&report.rows[at].scenario));
            }
        }
    }
}

/// The documents with at least one name that is not repeated within a run.
fn documents_with_single_results(
    of_rows: &[Option<u32>],
    keys: &Keys,
    report: &ParseReport,
) -> HashSet<u32, RandomState> {
    let mut rows_of_run: HashMap<(u32, Number, Run), u32, RandomState> = HashMap::default();
    for ((document, key), row) in of_rows.iter().zip(&keys.of_rows).zip(&report.rows) {
        if let Some(document) = document {
            *rows_of_run.entry((*document, *key, run(row))).or_default() += 1;
        }
    }
    let mut repeated: HashSet<(u32, Number), RandomState> = HashSet::default();
    for ((document, key, _), rows) in &rows_of_run {
        if *rows > 1 {
            repeated.insert((*document, *key));
        }
    }
    let all = rows_of_run.keys();
    let single = all.filter(|(document, key, _)| !repeated.contains(&(*document, *key)));
    single.map(|(document, ..)| *document).collect()
}

impl Results {
    /// The result that a row belongs to; `None` for the first row of another result.
    fn place_of(&self, row: &Row, has_copies: bool) -> Option<usize> {
        let run = run(row);
        if has_copies {
            // A row that says the same as an earlier one is a copy of it.
            let mut first = self.all.iter().take(MOST_COPIED);
            return first.position(|result| {
                let known = result.runs.get(&run);
                !known.is_some_and(|known| contradicts(row, known))
            });
        }
        let last = self.all.last()?;
        let repeats = last.runs.get(&run).is_some_and(|known| {
            row.metrics.is_empty() || row.metrics.iter().any(|(name, _)| known.contains_key(name))
        });
        (!repeats).then(|| self.all.len() - 1)
    }

    /// The key of the next result: the first result's name with the next number that no other benchmark of the input has.
    /// A name that would be too long stays.
    fn further_key(
        &mut self,
        name: &str,
        key: Number,
        names_before: usize,
        keys: &mut Keys,
    ) -> Number {
        self.highest = self.highest.max(self.all.len());
        loop {
            let number = self.highest + 1;
            let name = format!("{name} #{number}");
            if name.len() > LONGEST_TEXT {
                return key;
            }
            self.highest = number;
            let further = keys.renamed(key, &name);
            if further as usize >= names_before {
                return further;
            }
        }
    }
}

/// True if a metric of a row differs from its known value by more than the digits that a baseline keeps.
fn contradicts(row: &Row, known: &HashMap<Name, Value, RandomState>) -> bool {
    const KEPT: f64 = 1e-6;
    for (name, value) in row.metrics.iter() {
        let Some(known) = known.get(name) else {
            continue;
        };
        let (value, known) = (value.as_f64(), known.as_f64());
        if (value - known).abs() > KEPT * value.abs().max(known.abs()) {
            return true;
        }
    }
    false
}
