//! Numbers results of a document that share a name, so that all of them are compared.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;

use crate::rows::dedup::{Run, run, unordered};
use crate::rows::keys::{Keys, Number};
use crate::rows::parse_report::ParseReport;
use crate::rows::repeats::Documents;
use perf_model::row::{LONGEST_TEXT, Name, Row};

/// The formats of rows that a project prints itself, possibly in logs that contain each line twice.
const OWN_ROWS: [&str; 2] = ["log", "csv"];

/// One result: its key, and its rows by their run.
struct Found {
    key: Number,
    rows: HashMap<Run, Vec<usize>, RandomState>,
}

/// Numbers results in order of appearance: `parse`, `parse #2`. Rows with a written run index and repeated lines of a
/// tool are samples, and keep their names.
pub(super) fn number(report: &mut ParseReport, keys: &mut Keys, documents: &Documents) {
    let may_repeat = unordered(&report.rows, keys);
    if !may_repeat.contains(&true) {
        return;
    }
    let of_rows: Vec<Option<u32>> = documents.whole_documents().collect();
    let single = documents_with_single_results(&of_rows, keys, report);
    let names_before = keys.len();
    let mut all: HashMap<(u32, Number), Vec<Found>, RandomState> = HashMap::default();
    let mut numbered: HashSet<Number, RandomState> = HashSet::default();
    for (at, document) in of_rows.into_iter().enumerate() {
        let key = keys.of_rows[at];
        let Some(document) = document.filter(|_| may_repeat[key as usize]) else {
            continue;
        };
        let results = all.entry((document, key)).or_default();
        // A document that has everything twice was printed twice.
        let has_copies =
            OWN_ROWS.contains(&documents.tool(document)) || !single.contains(&document);
        let known = place_of(&report.rows[at], results, has_copies, &report.rows);
        let place = if let Some(place) = known {
            place
        } else {
            let key = if results.is_empty() {
                key
            } else {
                let name = &report.rows[at].scenario;
                further_key(name, key, results, names_before, keys)
            };
            let rows = HashMap::default();
            results.push(Found { key, rows });
            results.len() - 1
        };
        let result = &mut results[place];
        let of_run = result.rows.entry(run(&report.rows[at])).or_default();
        of_run.push(at);
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

/// The result that a row belongs to; `None` for the first row of another result.
fn place_of(row: &Row, results: &[Found], has_copies: bool, rows: &[Row]) -> Option<usize> {
    let same_run = |result: &Found| -> Vec<usize> {
        let places = result.rows.get(&run(row));
        places.cloned().unwrap_or_default()
    };
    if has_copies {
        // A row that says the same as an earlier one is a copy of it.
        return results.iter().position(|result| {
            let same_run = same_run(result);
            same_run.iter().all(|at| !contradicts(row, &rows[*at]))
        });
    }
    let last = results.last()?;
    let repeats = |at: &usize| {
        let other = &rows[*at].metrics;
        row.metrics.is_empty() || row.metrics.shares_any(other)
    };
    (!same_run(last).iter().any(repeats)).then(|| results.len() - 1)
}

/// True if a metric of both rows differs by more than the digits that a baseline keeps.
fn contradicts(one: &Row, other: &Row) -> bool {
    const KEPT: f64 = 1e-6;
    for (name, value) in one.metrics.iter() {
        let Some(known) = other.metrics.get(name) else {
            continue;
        };
        let (value, known) = (value.as_f64(), known.as_f64());
        if (value - known).abs() > KEPT * value.abs().max(known.abs()) {
            return true;
        }
    }
    false
}

/// The key of the next result: the first result's name with the next number that no other benchmark has. A name that would
/// become too long is kept.
fn further_key(
    name: &str,
    key: Number,
    results: &[Found],
    names_before: usize,
    keys: &mut Keys,
) -> Number {
    let mut number = results.len() + 1;
    loop {
        let name = format!("{name} #{number}");
        if name.len() > LONGEST_TEXT {
            return key;
        }
        let further = keys.renamed(key, &name);
        let is_taken = results.iter().any(|result| result.key == further);
        if further as usize >= names_before && !is_taken {
            return further;
        }
        number += 1;
    }
}
