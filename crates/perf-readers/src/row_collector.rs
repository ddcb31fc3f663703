//! Where readers put what they find. What is refused here is refused for all of them, so that whatever was
//! read can be written as a baseline and read again.

use std::sync::Arc;

use super::again::Documents;
use super::cells::Instance;
use super::keys::{Keys, Number};
use super::log;
use super::measured::{Measured, Metric, Shapes};
use super::metric_names::MetricNames;
use super::parse_report::{InputSummary, Origin, ParseReport, Skipped};
use super::settle::settle;
use perf_config::{Config, Unlisted};
use perf_model::key_column::KeyColumn;
use perf_model::metric::Declared;
use perf_model::row::{Name, Outcome, Row, Value};

pub(super) use super::cells::Cells;

/// How many near-rows are kept word for word; the rest is only counted, as a hostile input may have millions.
const KEPT: usize = 1000;

/// How many rows all inputs give at most: a small archive can hold more than any memory.
const MOST_ROWS: usize = 2_000_000;

/// How many characters of a near-row, and of the reason why it is one, are kept.
const EXCERPT: usize = 200;

/// Collects rows, near-rows and counts of all inputs.
pub(super) struct RowCollector<'c> {
    pub(super) config: &'c Config,
    /// Date columns besides `measuredAt`, in small letters without separators.
    date_columns: &'static [&'static str],
    keys: Keys,
    shapes: Shapes,
    /// What is being read of a row.
    measured: Measured,
    metrics: MetricNames<'c>,
    documents: Documents,
    readout: ParseReport,
}

impl<'c> RowCollector<'c> {
    pub(super) fn new(config: &'c Config, date_columns: &'static [&'static str]) -> Self {
        Self {
            config,
            date_columns,
            keys: Keys::default(),
            shapes: Shapes::default(),
            measured: Measured::default(),
            metrics: MetricNames::new(config),
            documents: Documents::default(),
            readout: ParseReport::default(),
        }
    }

    /// Starts the account of an input.
    pub(super) fn begin(&mut self, input: InputSummary) {
        self.documents.begin(input.format, false);
        self.readout.inputs.push(input);
    }

    /// Begins another document of the same input: what it measured again is another sample.
    pub(super) fn next_document(&mut self) {
        self.documents.next();
    }

    /// Begins a document among others, and gives what [`Self::turn_to`] goes on with it by. Lines of a tool are a
    /// new one where something is said again.
    pub(super) fn document_of(&mut self, tool: &'static str, is_lines: bool) -> u32 {
        self.documents.begin(tool, is_lines)
    }

    /// Rows from now on are of this document.
    pub(super) fn turn_to(&mut self, document: u32) {
        self.documents.turn_to(document);
    }

    /// What a metric is called that is written so in a row; `None` for a column that is not read.
    ///
    /// # Errors
    /// Why no metric can have the name.
    pub(super) fn metric(&mut self, written: &str) -> Result<Option<Metric>, String> {
        self.metrics.metric(written)
    }

    /// The stored name of a metric.
    pub(super) fn name(&self, metric: Metric) -> &Name {
        self.metrics.at(metric)
    }

    /// Whether a metric that is written so would be one too many.
    pub(super) fn is_beyond(&self, written: &str) -> bool {
        self.metrics.is_beyond(written)
    }

    /// What a column of this name holds besides numbers.
    pub(super) fn key(&self, written: &str) -> Option<KeyColumn> {
        let is_date = || self.date_columns.iter().any(|name| KeyColumn::is_spelled(written, name));
        KeyColumn::of(written).or_else(|| is_date().then_some(KeyColumn::MeasuredAt))
    }

    /// Takes a row.
    ///
    /// # Errors
    /// Why a baseline could not hold it.
    pub(super) fn row(&mut self, line: u64, cells: &Cells<'_>, measured: &Measured) -> Result<(), String> {
        if let Some(key) = self.number(cells)? {
            self.push(line, key, cells.instance(), measured);
        }
        Ok(())
    }

    fn push(&mut self, line: u64, key: Number, instance: Instance, measured: &Measured) {
        if self.readout.rows.len() >= MOST_ROWS {
            let scenario = Name::clone(&self.keys.key(key).scenario);
            return self.skip(line, scenario.as_bytes(), || {
                format!("one row more than the {MOST_ROWS} that are read")
            });
        }
        let metrics = self.shapes.metrics(measured, self.metrics.stored());
        let origin = self.origin(line);
        let shared = Arc::clone(self.keys.key(key));
        let Instance { run_index, is_numbered, outcome, measured_at } = instance;
        self.documents.row(is_numbered);
        self.readout.rows.push(Row { key: shared, run_index, outcome, measured_at, metrics });
        self.readout.origins.push(origin);
        self.keys.of_rows.push(key);
        if let Some(input) = self.readout.inputs.last_mut() {
            input.rows += 1;
        }
    }

    /// The key of these cells; `None` when the config leaves the scenario out.
    fn number(&mut self, cells: &Cells<'_>) -> Result<Option<Number>, String> {
        cells.check()?;
        let cells = cells.trimmed();
        if self.config.unlisted == Unlisted::Drop && !self.config.lists(cells.scenario) {
            *self.readout.unlisted.entry(cells.scenario.into()).or_insert(0) += 1;
            return Ok(None);
        }
        Ok(Some(self.keys.number(&cells)))
    }

    /// Takes what a tool measured, by the names of metrics; what is `None` was not measured. A row that cannot
    /// be one is told as a near-row.
    pub(super) fn measured<'m>(
        &mut self,
        line: u64,
        cells: &Cells<'_>,
        metrics: impl IntoIterator<Item = (&'m str, Option<Value>)>,
    ) {
        let mut measured = std::mem::take(&mut self.measured);
        for (written, value) in metrics {
            match (self.metric(written), value) {
                (Ok(Some(_)), Some(value)) if value.is_unmeasured() => {
                    let why = || format!("`{written}` is −1, which stands for what was not measured");
                    self.skip(line, cells.scenario.as_bytes(), why);
                }
                (Ok(Some(metric)), Some(value)) => measured.insert(metric, value),
                // It costs the metric, and not what was measured beside it.
                (Err(why), Some(_)) => self.skip(line, cells.scenario.as_bytes(), || why),
                _ => {}
            }
        }
        let nothing = measured.is_empty() && cells.outcome == Outcome::Measured;
        let problem = nothing.then(|| "nothing was measured".to_owned());
        if let Some(why) = problem.or_else(|| self.row(line, cells, &measured).err()) {
            self.skip(line, cells.scenario.as_bytes(), || why);
        }
        measured.clear();
        self.measured = measured;
    }

    /// Takes the samples of one metric, a row for each, numbered from 0.
    pub(super) fn samples(&mut self, line: u64, cells: &Cells<'_>, metric: &str, values: &[Option<Value>]) {
        let mut runs = self.runs(line, cells, &[metric]);
        for (run_index, value) in (0..).zip(values) {
            runs.row(run_index, cells.outcome, [*value]);
        }
    }

    /// For the runs of one measurement, of which there may be many thousands: what they share is looked at once.
    pub(super) fn runs<'s>(&'s mut self, line: u64, cells: &Cells<'_>, metrics: &[&str]) -> Runs<'s, 'c> {
        let known: Result<Vec<Option<Metric>>, String> =
            metrics.iter().map(|metric| self.metric(metric)).collect();
        let shared = known.and_then(|metrics| Ok((metrics, self.number(cells)?)));
        let (metrics, key) = shared.unwrap_or_else(|why| {
            self.skip(line, cells.scenario.as_bytes(), || why);
            (Vec::new(), None)
        });
        let measured_at = cells.measured_at;
        Runs { sink: self, line, metrics, key, measured_at, measured: Measured::default() }
    }

    /// Remembers what a tool says of a metric that its name does not tell.
    pub(super) fn declare(&mut self, metric: &str, declared: Declared) {
        if let Ok(Some(metric)) = self.metric(metric) {
            self.readout.declared.add(self.metrics.at(metric), declared);
        }
    }

    /// Names a near-row. `reason` is only made when the near-row is kept.
    pub(super) fn skip(&mut self, line: u64, text: &[u8], reason: impl FnOnce() -> String) {
        self.readout.skipped_count += 1;
        if self.readout.skipped.len() < KEPT {
            let (origin, reason, text) = (self.origin(line), reason(), excerpt(text));
            let reason = match reason.char_indices().nth(EXCERPT) {
                Some((end, _)) => format!("{}…", &reason[..end]),
                None => reason,
            };
            self.readout.skipped.push(Skipped { origin, reason, text });
        }
    }

    pub(super) fn lines(&mut self, count: u64) {
        if let Some(input) = self.readout.inputs.last_mut() {
            input.lines += count;
        }
    }

    /// Remembers metrics that a header named.
    pub(crate) fn columns<'n>(&mut self, named: impl Iterator<Item = &'n Name>) {
        self.readout.columns.extend(named.cloned());
    }

    /// How many rows the input gave so far.
    pub(super) fn rows(&self) -> u64 {
        self.readout.inputs.last().map_or(0, |input| input.rows)
    }

    /// Says that the input turned out to be of another format than the one that began to read it.
    pub(super) fn is_of(&mut self, format: &'static str) {
        if let Some(input) = self.readout.inputs.last_mut() {
            input.format = format;
        }
    }

    /// Says that lines of this format were found in a log that was one of nothing else so far.
    pub(super) fn is_later(&mut self, format: &'static str) {
        if let Some(input) = self.readout.inputs.last_mut().filter(|input| input.format == log::FORMAT.name) {
            input.format = format;
        }
    }

    /// What messages call the input.
    pub(super) fn input(&self) -> &str {
        self.readout.inputs.last().map_or("", |input| &input.name)
    }

    fn origin(&self, line: u64) -> Origin {
        Origin { input: self.readout.inputs.len().saturating_sub(1), line }
    }

    pub(super) fn finish(mut self) -> ParseReport {
        self.documents.number_on(&mut self.readout, &self.keys);
        settle(&mut self.readout, &self.keys);
        self.readout
    }
}

/// Takes run after run of one measurement.
pub(super) struct Runs<'s, 'c> {
    sink: &'s mut RowCollector<'c>,
    line: u64,
    /// The metrics that values are of, in their order; `None` for those that are not read.
    metrics: Vec<Option<Metric>>,
    /// `None` when there are to be no rows.
    key: Option<Number>,
    /// When they were measured, in seconds since 1970.
    measured_at: Option<i64>,
    /// What is being read of a run.
    measured: Measured,
}

impl Runs<'_, '_> {
    /// Takes what one run measured, in the order of the metrics.
    pub(super) fn row(
        &mut self,
        run_index: i64,
        outcome: Outcome,
        values: impl IntoIterator<Item = Option<Value>>,
    ) {
        let Some(key) = self.key else { return };
        let mut says_unmeasured = false;
        self.measured.clear();
        for (metric, value) in self.metrics.iter().zip(values) {
            match (metric, value) {
                (Some(_), Some(value)) if value.is_unmeasured() => says_unmeasured = true,
                (Some(metric), Some(value)) => self.measured.add(*metric, value),
                _ => {}
            }
        }
        let is_blank = self.measured.is_empty() && outcome == Outcome::Measured;
        if says_unmeasured || is_blank {
            let why = || "nothing was measured, or −1, which stands for that".to_owned();
            let scenario = Name::clone(&self.sink.keys.key(key).scenario);
            self.sink.skip(self.line, scenario.as_bytes(), why);
        }
        if !is_blank {
            let instance = Instance { run_index, outcome, is_numbered: false, measured_at: self.measured_at };
            self.sink.push(self.line, key, instance, &self.measured);
        }
    }
}

fn excerpt(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[..text.len().min(EXCERPT)]).trim().to_owned()
}
