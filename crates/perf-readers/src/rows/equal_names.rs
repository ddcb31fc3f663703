//! Several results with one name in a document: each further one gets a number, so that all are compared.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;

use crate::rows::dedup::{Run, run, unordered};
use crate::rows::keys::{Keys, Number};
use crate::rows::parse_report::ParseReport;
use crate::rows::repeats::Documents;
use perf_model::row::{LONGEST_TEXT, Name};

/// The results of one name in one document.
#[derive(Default)]
struct Results {
    /// The number of results so far, without the first.
    further: u64,
    /// The rows of the latest result, by their run.
    rows: HashMap<Run, Vec<usize>, RandomState>,
    /// The key of the latest result, if it is not the first.
    key: Option<Number>,
}

/// Numbers results in order of appearance: `parse`, `parse #2`. Rows with a written run index and repeated lines of a
/// log are samples, and keep their names.
pub(super) fn number(report: &mut ParseReport, keys: &mut Keys, documents: &Documents) {
    let may_repeat = unordered(&report.rows, keys);
    if !may_repeat.contains(&true) {
        return;
    }
    let names_before = keys.len();
    let mut all: HashMap<(u32, Number), Results, RandomState> = HashMap::default();
    let mut numbered: HashSet<Number, RandomState> = HashSet::default();
    let of_rows: Vec<Option<u32>> = documents.whole_documents().collect();
    for (at, document) in of_rows.into_iter().enumerate() {
        let key = keys.of_rows[at];
        let Some(document) = document.filter(|_| may_repeat[key as usize]) else {
            continue;
        };
        let results = all.entry((document, key)).or_default();
        let row = &report.rows[at];
        let repeats = |other: &usize| {
            row.metrics.is_empty() || row.metrics.shares_any(&report.rows[*other].metrics)
        };
        let same_run = results.rows.entry(run(row)).or_default();
        if same_run.iter().any(repeats) {
            results.rows.clear();
            results.key = further_key(&row.scenario, key, results, names_before, keys);
        }
        results.rows.entry(run(row)).or_default().push(at);
        let Some(new_key) = results.key else { continue };
        keys.of_rows[at] = new_key;
        report.rows[at].key = Arc::clone(keys.key(new_key));
        if numbered.insert(new_key) {
            let name = Name::clone(&report.rows[at].scenario);
            report.numbered.push(name);
        }
    }
}

/// The key of the next result: its name is that of the first with a number, unless the input has that name as well.
fn further_key(
    name: &str,
    key: Number,
    results: &mut Results,
    names_before: usize,
    keys: &mut Keys,
) -> Option<Number> {
    loop {
        results.further += 1;
        let name = format!("{name} #{}", results.further + 1);
        if name.len() > LONGEST_TEXT {
            return None;
        }
        let further = keys.renamed(key, &name);
        if further as usize >= names_before {
            return Some(further);
        }
    }
}
