//! Processes all rows after reading. Equal names are numbered, failed process runs are dropped, duplicates are merged,
//! and conflicts are found.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::rows::keys::{Keys, Number};
use crate::rows::parse_report::{KEPT, Origin, ParseReport};
use crate::rows::repeats::Documents;
use perf_config::Config;
use perf_model::decimal::stored;
use perf_model::diagnostic::counted;
use perf_model::finding::{Finding, FindingKind};
use perf_model::row::{Key, LONGEST_TEXT, Metrics, Name, Outcome, Row, Value};
use perf_model::suite::Definitions;

/// Identifies a row within a measurement. The date is included for histories without commits, and the outcome because a
/// failed row never duplicates a measured one.
pub(crate) type Run = (Option<i64>, i64, Outcome);

pub(crate) fn run(row: &Row) -> Run {
    (row.measured_at, row.run_index, row.outcome)
}

/// Marks the keys that may contain a run twice. A key is marked if one of its rows comes neither before nor after all
/// earlier ones. Samples and their aggregate are in such an order, so they are not marked. Returns an empty list if
/// each row has a separate key.
pub(crate) fn unordered(rows: &[Row], keys: &Keys) -> Vec<bool> {
    // Keys are numbered in order of appearance. If the numbers increase, each row has a separate key.
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

/// Keeps each row once. Rows are compared as a baseline stores them. A row whose metrics are a subset of another row's
/// is a duplicate. Rows from one run with disjoint metrics are merged. If rows contradict each other, all of them are
/// kept and the first contradiction is reported.
pub(crate) fn dedup(report: &mut ParseReport, keys: &Keys, config: &Config) {
    let ParseReport {
        rows,
        origins,
        duplicates,
        merged,
        findings,
        inputs,
        ..
    } = report;
    let unordered = unordered(rows, keys);
    if !unordered.contains(&true) {
        return;
    }
    let mut firsts: HashMap<(Number, Run), usize, RandomState> = HashMap::default();
    let mut others: HashSet<(usize, Vec<(Name, Value)>), RandomState> = HashSet::default();
    let mut reported: HashSet<usize, RandomState> = HashSet::default();
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
            if is_subset || is_superset || !others.insert((first, metrics)) {
                *duplicates += 1;
                continue;
            }
            if findings.len() < KEPT && reported.insert(first) {
                let (earlier, later) = (origins[first], origins[at]);
                let text = if earlier.input() == later.input() {
                    format!("conflicts with line {}", earlier.line())
                } else {
                    let name = &inputs[earlier.input()].name;
                    format!("conflicts with {name}:{}", earlier.line())
                };
                let finding = Finding::about_rows(FindingKind::Ambiguous, &rows[at].key, text);
                findings.push(later.locate(finding));
            }
        }
        rows.swap(kept, at);
        origins.swap(kept, at);
        kept += 1;
    }
    rows.truncate(kept);
    origins.truncate(kept);
}

/// Returns the metrics sorted by name, with values as a baseline stores them.
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

/// Whether two sets of metrics have no name in common, so that they can be merged.
fn is_disjoint(some: &[(Name, Value)], others: &[(Name, Value)]) -> bool {
    !some.iter().any(|(name, _)| {
        others
            .binary_search_by(|(other, _)| other.cmp(name))
            .is_ok()
    })
}

/// Whether `all` contains everything in `some`. Both must be sorted.
fn is_within(some: &[(Name, Value)], all: &[(Name, Value)]) -> bool {
    let mut all = all.iter();
    some.iter().all(|wanted| all.any(|pair| pair == wanted))
}

/// The formats of rows that a project prints itself. In these formats, equal names without a run index are a conflict,
/// because they are more likely samples than different benchmarks.
const OWN_ROWS: [&str; 2] = ["log", "csv"];

/// The maximum number of results with the same name to which a row is compared, so that the time stays linear.
const MOST_COPIED: usize = 64;

/// The results with one name in a document.
#[derive(Default)]
struct Results {
    all: Vec<Found>,
    /// The highest number that was appended to the name.
    highest: usize,
}

/// One result: its key, and for each run the metrics with their first values.
struct Found {
    key: Number,
    runs: HashMap<Run, HashMap<Name, Value, RandomState>, RandomState>,
}

/// Numbers results with equal names in order of appearance: `parse`, `parse #2`. Rows with a written run index and a
/// tool's repeated lines are samples, and keep their names.
pub(super) fn number_equal_names(report: &mut ParseReport, keys: &mut Keys, documents: &Documents) {
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
        // If a document contains every name twice, it was printed twice.
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

/// Returns the documents that contain at least one name without repeating it in a run.
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
    /// Returns the index of the result to which a row belongs; `None` for the first row of another result.
    fn place_of(&self, row: &Row, has_copies: bool) -> Option<usize> {
        let run = run(row);
        if has_copies {
            // A row that equals an earlier one is a copy.
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

    /// Returns the next result's key. Its name is the first result's name with the next number that no other benchmark
    /// in the input uses. If that name is too long, the key stays the same.
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

/// Whether one of the row's metrics differs from its known value by more than a baseline's precision.
fn contradicts(row: &Row, known: &HashMap<Name, Value, RandomState>) -> bool {
    const DIGITS: f64 = 1e-6;
    for (name, value) in row.metrics.iter() {
        let Some(known) = known.get(name) else {
            continue;
        };
        let (value, known) = (value.as_f64(), known.as_f64());
        if (value - known).abs() > DIGITS * value.abs().max(known.abs()) {
            return true;
        }
    }
    false
}

/// The failed and the measured process runs, for a benchmark with at least one failure.
struct Failures {
    origin: Origin,
    failed: u64,
    measured: u64,
    is_reported: bool,
}

#[derive(Default)]
pub(super) struct FailedRuns(IndexMap<*const Key, Failures, RandomState>);

impl FailedRuns {
    /// Counts failed and measured process runs, before repeated rows are merged.
    pub(super) fn count(report: &ParseReport) -> Self {
        let mut all = Self::default();
        for (row, origin) in report.rows.iter().zip(&report.origins) {
            if row.outcome == Outcome::Failed {
                let new = Failures {
                    origin: *origin,
                    failed: 0,
                    measured: 0,
                    is_reported: false,
                };
                all.0.entry(Arc::as_ptr(&row.key)).or_insert(new).failed += 1;
            }
        }
        if all.0.is_empty() {
            return all;
        }
        for row in &report.rows {
            if row.outcome == Outcome::Measured
                && let Some(failures) = all.0.get_mut(&Arc::as_ptr(&row.key))
            {
                failures.measured += 1;
            }
        }
        all
    }

    /// Drops a benchmark's failed rows if it also has measured ones. If all process runs of a benchmark failed, keeps
    /// one failed row. Adds a finding for each benchmark with failures.
    pub(super) fn settle(mut self, report: &mut ParseReport) {
        if self.0.is_empty() {
            return;
        }
        let rows = std::mem::take(&mut report.rows);
        let origins = std::mem::take(&mut report.origins);
        for (row, origin) in rows.into_iter().zip(origins) {
            if row.outcome == Outcome::Failed
                && let Some(failures) = self.0.get_mut(&Arc::as_ptr(&row.key))
            {
                let is_first = !std::mem::replace(&mut failures.is_reported, true);
                if is_first {
                    report.findings.push(failures.finding(&row.key));
                }
                if !is_first || failures.measured > 0 {
                    continue;
                }
            }
            report.rows.push(row);
            report.origins.push(origin);
        }
    }
}

impl Failures {
    fn finding(&self, key: &Key) -> Finding {
        let (kind, text) = if self.measured == 0 {
            (FindingKind::Failed, "failed".to_owned())
        } else {
            let all = counted(self.failed + self.measured, "process run");
            let text = format!("{} of {all} failed", self.failed);
            (FindingKind::PartlyFailed, text)
        };
        self.origin.locate(Finding::about_rows(kind, key, text))
    }
}
