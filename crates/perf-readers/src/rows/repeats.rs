//! Repeated measurements. If a tool's output is passed several times with different numbers, these are samples.
//!
//! A *document* is the output of one run: a file, one of several documents in a file, or lines in a log until the tool
//! repeats a row. Run indices restart in each document. Only the run indices that rows themselves contain are global. A
//! *part* consists of one measurement's rows in one document.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::rows::keys::{Keys, Number};
use crate::rows::launches::{Process, Samples};
use crate::rows::{parse_report::ParseReport, values::HIGHEST_RUN};
use perf_config::Config;
use perf_model::metric::{UnitFamily, spread_of};
use perf_model::row::{Metrics, Name, Outcome, Row, Value};
use perf_model::suite::Definitions;

/// The maximum number of earlier documents with which a document is compared, so that the time stays linear.
const LOOK_BACK: usize = 64;

/// The minimum number of digits that two runs do not share by chance. The first three digits of each number are not
/// included.
const TELLING: usize = 6;

/// The documents, and the document of each row.
#[derive(Debug)]
pub(crate) struct Documents {
    all: Vec<Document>,
    current: u32,
    /// Whether the current document is still empty.
    is_new: bool,
    /// The index of each row's document; 0 if the row's run index is global.
    of_rows: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Document {
    tool: &'static str,
    samples: Samples,
    /// Whether the document consists of log lines. A repeated row then starts another document.
    is_lines: bool,
}

impl Default for Documents {
    fn default() -> Self {
        Self {
            all: vec![Document {
                tool: "",
                samples: Samples::Launches,
                is_lines: false,
            }],
            current: 0,
            is_new: true,
            of_rows: Vec::new(),
        }
    }
}

impl Documents {
    /// Starts a document of a tool and returns its number for [`Self::turn_to`].
    pub(crate) fn begin(&mut self, tool: &'static str, samples: Samples, is_lines: bool) -> u32 {
        self.all.push(Document {
            tool,
            samples,
            is_lines,
        });
        self.is_new = true;
        self.current = u32::try_from(self.all.len() - 1).unwrap_or_default();
        self.current
    }

    /// Starts another document of the same tool, unless the current one is empty. Repeated rows in it are additional
    /// samples.
    pub(crate) fn next(&mut self) {
        let Document {
            tool,
            samples,
            is_lines,
        } = self.all[self.current as usize];
        if !self.is_new {
            self.begin(tool, samples, is_lines);
        }
    }

    /// Continues an earlier document.
    pub(crate) fn turn_to(&mut self, document: u32) {
        self.current = document;
    }

    /// Whether the current document consists of lines in a log.
    pub(crate) fn are_lines(&self) -> bool {
        self.all[self.current as usize].is_lines
    }

    /// Returns the document and the process in it, if the process measured several rows. Returns `None` for a separate
    /// process run.
    pub(crate) fn process(&self, process: Process, is_numbered: bool) -> Option<(u32, u32)> {
        match process {
            Process::Written(launch) => {
                Some((if is_numbered { 0 } else { self.current }, launch?.get()))
            }
            Process::OfDocument(process) => {
                let repeats = self.all[self.current as usize].samples == Samples::Iterations;
                repeats.then_some((self.current, process))
            }
        }
    }

    /// Adds a row. A numbered row has a global run index.
    pub(crate) fn row(&mut self, is_numbered: bool) {
        self.is_new = false;
        let document = if is_numbered { 0 } else { self.current };
        self.of_rows.push(document);
    }

    /// Returns the document of each row; `None` for a tool's lines in a log and for rows with a written run index.
    pub(crate) fn whole_documents(&self) -> impl Iterator<Item = Option<u32>> {
        let is_whole = |document: &u32| *document > 0 && !self.all[*document as usize].is_lines;
        self.of_rows
            .iter()
            .map(move |document| Some(*document).filter(is_whole))
    }

    /// Returns the name of a document's format.
    pub(crate) fn tool(&self, document: u32) -> &'static str {
        self.all[document as usize].tool
    }

    /// Returns the rows that come from a tool's lines, starting at index `from`, with their documents.
    pub(crate) fn lines_from(&self, from: usize) -> impl Iterator<Item = (usize, u32)> {
        let rows = self.of_rows.iter().copied().enumerate().skip(from);
        rows.filter(|(_, document)| self.all[*document as usize].is_lines)
    }

    /// Numbers the runs of repeated measurements consecutively.
    pub(crate) fn number_on(&self, report: &mut ParseReport, keys: &Keys, config: &Config) {
        let measurements = self.measurements(&report.rows, keys);
        if measurements
            .iter()
            .all(|measurement| measurement.parts.len() < 2)
        {
            return;
        }
        let copies = copies(&measurements, &report.rows, config);
        for measurement in measurements {
            if measurement.parts.len() > 1 {
                let originals = measurement.originals(&copies, &report.rows);
                report.far_apart.extend(differing(&originals));
                report.repeated += measurement.number_on(&copies, &mut report.rows);
            }
        }
    }

    /// Groups the rows by measurement, in order of appearance. Rows with different dates or from different tools are
    /// different measurements. Rows with a global run index are left out.
    fn measurements(&self, rows: &[Row], keys: &Keys) -> Vec<Measurement> {
        let mut all: IndexMap<(Number, Option<i64>, &str), Measurement, RandomState> =
            IndexMap::default();
        let of_rows = rows.iter().zip(self.of_rows.iter().copied()).enumerate();
        for (at, (row, document)) in of_rows.filter(|(_, (_, document))| *document > 0) {
            let Document { tool, is_lines, .. } = self.all[document as usize];
            let measurement = all
                .entry((keys.of_rows[at], row.measured_at, tool))
                .or_default();
            let pass = match measurement.parts.last() {
                Some(last) if last.of.0 == document => {
                    let begins = is_lines && measurement.has(last, row, rows);
                    if begins { Some(last.of.1 + 1) } else { None }
                }
                _ => Some(0),
            };
            measurement.push(at, pass.map(|pass| (document, pass)));
        }
        all.into_values().collect()
    }
}

/// A document, and the number of the pass if a log repeats the document's rows.
type Of = (u32, u32);

/// One measurement's rows.
#[derive(Default)]
struct Measurement {
    rows: Vec<usize>,
    /// Consecutive parts of `rows`, one per document and pass.
    parts: Vec<Part>,
}

struct Part {
    of: Of,
    at: Range<usize>,
}

impl Measurement {
    /// Adds a row to the last part, or to a new part if one begins here.
    fn push(&mut self, row: usize, begins: Option<Of>) {
        let end = self.rows.len();
        self.rows.push(row);
        if let Some(of) = begins {
            self.parts.push(Part { of, at: end..end });
        }
        if let Some(last) = self.parts.last_mut() {
            last.at.end = end + 1;
        }
    }

    fn of<'r>(&self, part: &Part, rows: &'r [Row]) -> impl DoubleEndedIterator<Item = &'r Row> {
        self.rows[part.at.clone()].iter().map(|at| &rows[*at])
    }

    /// Returns each part's rows. Copies are left out.
    fn originals<'r>(
        &self,
        copies: &HashMap<Of, Of, RandomState>,
        rows: &'r [Row],
    ) -> Vec<Vec<&'r Row>> {
        let originals = self
            .parts
            .iter()
            .filter(|part| !copies.contains_key(&part.of));
        originals
            .map(|part| self.of(part, rows).collect())
            .collect()
    }

    /// Whether a part already contains one of the row's metrics for the same run.
    fn has(&self, part: &Part, row: &Row, rows: &[Row]) -> bool {
        // Samples are in ascending order, so this row is the first of its run.
        if self
            .of(part, rows)
            .next_back()
            .is_some_and(|last| last.run_index < row.run_index)
        {
            return false;
        }
        let mut of_run = self.of(part, rows).filter(|other| run(row) == run(other));
        of_run.any(|other| row.metrics.is_empty() || row.metrics.shares_any(&other.metrics))
    }

    /// Numbers the runs consecutively across all parts. Returns the number of additional samples.
    fn number_on(&self, copies: &HashMap<Of, Of, RandomState>, rows: &mut [Row]) -> u64 {
        let mut numbering = Numbering::default();
        let mut starts: HashMap<Of, i64, RandomState> = HashMap::default();
        for part in &self.parts {
            let start = match copies.get(&part.of) {
                Some(original) => starts.get(original).copied(),
                None => numbering.add(|| self.of(part, rows)),
            };
            start.and_then(|start| starts.insert(part.of, start));
        }
        if numbering.further > 0 {
            for part in &self.parts {
                let Some(start) = starts.get(&part.of) else {
                    continue;
                };
                let (first, _) = runs(self.of(part, rows));
                self.rows[part.at.clone()]
                    .iter()
                    .for_each(|at| rows[*at].run_index += start - first);
            }
        }
        numbering.further
    }
}

/// Returns the values that identify a row within a part.
fn run(row: &Row) -> (i64, Outcome) {
    (row.run_index, row.outcome)
}

/// Returns the first and the last run index.
fn runs<'r>(rows: impl Iterator<Item = &'r Row>) -> (i64, i64) {
    let runs = rows.map(|row| row.run_index);
    runs.fold((i64::MAX, i64::MIN), |(first, last), run| {
        (first.min(run), last.max(run))
    })
}

/// Finds documents that only repeat an earlier document's rows, such as a file that was passed twice. Returns the
/// original of each copy. Two different runs may both measure 18 ns or 100 instructions, so only times and rates with
/// enough digits can show that a document is a copy.
fn copies(
    measurements: &[Measurement],
    rows: &[Row],
    config: &Config,
) -> HashMap<Of, Of, RandomState> {
    let mut parts: Vec<(Of, usize, &[usize])> = Vec::new();
    for (number, measurement) in measurements.iter().enumerate() {
        for part in &measurement.parts {
            parts.push((part.of, number, &measurement.rows[part.at.clone()]));
        }
    }
    parts.sort_by_key(|(of, ..)| *of);
    let mut copies: HashMap<Of, Of, RandomState> = HashMap::default();
    let mut timed = HashMap::default();
    // For the content of a part, the latest documents that contain such a part and are not copies.
    let mut known: HashMap<Content<'_>, VecDeque<Of>, RandomState> = HashMap::default();
    for document in parts.chunk_by(|(one, ..), (other, ..)| one == other) {
        let contents = || {
            document
                .iter()
                .map(|(_, measurement, places)| content(*measurement, places, rows))
        };
        let mut same: Option<Vec<Of>> = None;
        for content in contents() {
            let of_part = known.get(&content);
            let is_in_part = |of: &Of| of_part.is_some_and(|all| all.contains(of));
            same = Some(match same {
                None => of_part.into_iter().flatten().copied().collect(),
                Some(same) => same.into_iter().filter(is_in_part).collect(),
            });
        }
        let places = document.iter().flat_map(|(_, _, places)| *places);
        let mut of_document = places.map(|at| &rows[*at]);
        let of = document[0].0;
        if let Some(original) = same.unwrap_or_default().first()
            && are_distinctive(&mut of_document, config, &mut timed)
        {
            copies.insert(of, *original);
            continue;
        }
        for content in contents() {
            let originals = known.entry(content).or_default();
            if originals.len() == LOOK_BACK {
                originals.pop_front();
            }
            originals.push_back(of);
        }
    }
    copies
}

/// A part's measurement, and each row's run and metrics.
type Content<'r> = (usize, Vec<((i64, Outcome), &'r Metrics)>);

fn content<'r>(measurement: usize, places: &[usize], rows: &'r [Row]) -> Content<'r> {
    let rows = places.iter().map(|at| &rows[*at]);
    (
        measurement,
        rows.map(|row| (run(row), &row.metrics)).collect(),
    )
}

/// Whether the rows have so many digits that two runs would not have the same numbers by chance. `timed` caches which
/// metrics are times or rates.
fn are_distinctive<'r>(
    rows: impl Iterator<Item = &'r Row>,
    config: &Config,
    timed: &mut HashMap<&'r Name, bool, RandomState>,
) -> bool {
    let mut is_timed = |name: &'r Name| {
        *timed.entry(name).or_insert_with(|| {
            let family = config.metric(name).meaning.unit.line().family;
            let is_timed = matches!(
                family,
                UnitFamily::Time | UnitFamily::Rate | UnitFamily::ByteRate
            );
            is_timed && spread_of(name).is_none()
        })
    };
    let metrics = rows.flat_map(|row| row.metrics.iter());
    let digits = metrics.map(|(name, value)| {
        if is_timed(name) {
            noisy_digits(value)
        } else {
            0
        }
    });
    // The digits are added one number at a time, because the first few are usually sufficient.
    digits
        .scan(0, |all, digits| {
            *all += digits;
            Some(*all)
        })
        .any(|all| all >= TELLING)
}

/// Returns the number of digits after the third. Two runs often agree in the first three.
fn noisy_digits(value: Value) -> usize {
    let text = format!("{:e}", value.as_f64().abs());
    let digits = text
        .split('e')
        .next()
        .unwrap_or_default()
        .bytes()
        .filter(u8::is_ascii_digit)
        .count();
    digits.saturating_sub(3)
}

/// Assigns the first run index of each part of a measurement.
#[derive(Default)]
struct Numbering {
    /// The next run index of each metric. Parts with different metrics may get the same run indices, and their rows are
    /// then merged.
    next: HashMap<Name, i64, RandomState>,
    /// The number of additional samples.
    further: u64,
}

impl Numbering {
    /// Returns the new first run index of these rows; `None` if they keep their run indices.
    fn add<'r, I: Iterator<Item = &'r Row>>(&mut self, rows: impl Fn() -> I) -> Option<i64> {
        let (first, last) = runs(rows());
        let mut names: HashSet<&Name, RandomState> = HashSet::default();
        for row in rows() {
            names.extend(row.metrics.iter().map(|(name, _)| name));
        }
        let before = names.iter().filter_map(|name| self.next.get(*name)).max();
        let before = before.copied();
        let start = before.unwrap_or_default();
        let end = start.checked_add(last.checked_sub(first)?)?;
        // A failed row has no value and is not a sample.
        if end > HIGHEST_RUN || names.is_empty() {
            return None;
        }
        if before.is_some() {
            self.further += rows().count() as u64;
        }
        for name in names {
            self.next.insert(Name::clone(name), end + 1);
        }
        Some(start)
    }
}

/// Results for the same benchmark differ by less than this factor.
const FACTOR: f64 = 2.0;

/// The metric that is compared first. For a load generator, the requested rate distinguishes benchmarks better than the
/// resulting latency.
pub(crate) const RATE: &str = "requestsPerSecond";

/// Whether two measurements are too far apart to be from one benchmark.
pub(crate) fn is_far(least: Value, most: Value) -> bool {
    least.as_f64() > 0.0 && most.as_f64() > least.as_f64() * FACTOR
}

/// Returns a measurement's main metric: the request rate, or the first metric that is not a spread. Spreads vary more,
/// and latencies depend on the rate.
pub(crate) fn main_metric<'n, I: Iterator<Item = &'n str>>(
    names: impl Fn() -> I,
) -> Option<&'n str> {
    names()
        .find(|metric| *metric == RATE)
        .or_else(|| names().find(|metric| spread_of(metric).is_none()))
}

/// Returns the minimum and the maximum of these values.
pub(crate) fn ends(mut values: Vec<Value>) -> Option<[Value; 2]> {
    values.sort_by(|one, other| one.as_f64().total_cmp(&other.as_f64()));
    Some([*values.first()?, *values.last()?])
}

/// Describes the measurements of a benchmark if they are far apart.
fn differing(all: &[Vec<&Row>]) -> Option<String> {
    let first = all.iter().flatten().find(|row| !row.metrics.is_empty())?;
    let metric = main_metric(|| first.metrics.iter().map(|(name, _)| &**name))?;
    let typical = |rows: &Vec<&Row>| {
        middle(
            rows.iter()
                .filter_map(|row| row.metrics.get(metric))
                .collect(),
        )
    };
    let ends = ends(all.iter().filter_map(typical).collect())?;
    is_far(ends[0], ends[1]).then(|| far_apart(&first.scenario, metric, ends))
}

/// Describes measurements with the same name that are probably different benchmarks.
pub(super) fn far_apart(scenario: &str, metric: &str, [least, most]: [Value; 2]) -> String {
    format!("`{scenario}`: {metric} from {least} to {most}")
}

/// Returns the median. Of the two values in the middle, the larger one is used.
fn middle(mut values: Vec<Value>) -> Option<Value> {
    values.sort_by(|a, b| a.as_f64().total_cmp(&b.as_f64()));
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::rows::cells::Cells;

    /// Numbers one measurement's rows in two documents, and returns the run indices. The last row has the index
    /// `second`.
    fn runs(second: i64) -> Vec<i64> {
        let mut keys = Keys::default();
        let number = keys.number(&Cells::of("open"));
        keys.of_rows = vec![number; 4];
        let row = |(run_index, time): (i64, i64)| Row {
            key: Arc::clone(keys.key(number)),
            run_index,
            outcome: Outcome::Measured,
            launch: None,
            measured_at: None,
            metrics: Metrics::from_iter([("timeNs".into(), Value::Int(time))]),
        };
        let mut report = ParseReport::default();
        let mut documents = Documents::default();
        for document in [[(0, 5), (1, 6)], [(0, 7), (second, 8)]] {
            documents.begin("tool", Samples::Launches, false);
            documents.row(false);
            documents.row(false);
            report.rows.extend(document.map(row));
        }
        documents.number_on(&mut report, &keys, &Config::default());
        report.rows.iter().map(|row| row.run_index).collect()
    }

    #[test]
    fn run_index_stays_in_range() {
        assert_eq!(runs(HIGHEST_RUN - 2), [0, 1, 2, HIGHEST_RUN]);
        for too_high in [HIGHEST_RUN - 1, i64::MAX] {
            assert_eq!(runs(too_high), [0, 1, 0, too_high]);
        }
    }
}
