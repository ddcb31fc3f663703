//! Where readers put what they find. What is refused here is refused for all of them, so that whatever was
//! read can be written as a baseline and read again.

use std::collections::{HashMap, HashSet};

use super::again::Documents;
use super::header::Key;
use super::log;
use super::readout::{InputSummary, Origin, Readout, Skipped};
use super::settle::settle;
use crate::catalogue::{Catalogue, Declared, Unlisted, spread_of};
use crate::row::{AGGREGATE, Interner, LONGEST_TEXT, MOST_METRICS, Metrics, Name, Outcome, Row, Value};

/// How many near-rows are kept word for word; the rest is only counted, as a hostile input may have millions.
const KEPT: usize = 1000;

/// How many rows all inputs give at most: a small archive can hold more than any memory.
const MOST_ROWS: usize = 2_000_000;

/// How many metrics are found by looking through them: faster than hashing.
const RECENT: usize = 8;

/// How many characters of a near-row, and of the reason why it is one, are kept.
const EXCERPT: usize = 200;

/// A row's texts before they are stored.
#[derive(Clone, Copy)]
pub(super) struct Cells<'a> {
    pub scenario: &'a str,
    pub platform: &'a str,
    pub commit: &'a str,
    pub run_index: i64,
    /// Whether the row says the run index itself, so that it means the same in every document.
    pub is_numbered: bool,
    pub outcome: Outcome,
    pub machine_class: Option<&'a str>,
    pub methodology: Option<&'a str>,
    /// In seconds since 1970.
    pub measured_at: Option<i64>,
}

impl<'a> Cells<'a> {
    /// The texts of a row that says nothing but what was measured.
    pub(super) fn of(scenario: &'a str) -> Self {
        Self {
            scenario,
            platform: "",
            commit: "",
            run_index: AGGREGATE,
            is_numbered: false,
            outcome: Outcome::Measured,
            machine_class: None,
            methodology: None,
            measured_at: None,
        }
    }
}

/// Collects rows, near-rows and counts of all inputs.
pub(super) struct Sink<'c> {
    pub(super) catalogue: &'c Catalogue,
    texts: Interner,
    /// Apart from the others, as the samples of a benchmark come one after the other.
    scenarios: Interner,
    /// The first of those in `written`: most inputs have no more.
    recent: Vec<(String, Option<Name>)>,
    /// What written names stand for; `None` for columns that are not read.
    written: HashMap<String, Option<Name>>,
    /// The metrics of layouts, and others as they appear.
    metrics: HashSet<Name>,
    /// The same, with a spread as what it is the spread of: each has but a few of them.
    results: HashSet<Name>,
    /// How many those may be, so that a baseline does not have any number of columns.
    most_results: usize,
    documents: Documents,
    readout: Readout,
}

impl<'c> Sink<'c> {
    pub(super) fn new(catalogue: &'c Catalogue) -> Self {
        let agreed: HashSet<Name> = catalogue.layouts.iter().flatten().cloned().collect();
        let results: HashSet<Name> = agreed.iter().map(|name| Name::from(result(name))).collect();
        Self {
            catalogue,
            texts: Interner::default(),
            scenarios: Interner::default(),
            recent: Vec::new(),
            written: HashMap::new(),
            most_results: MOST_METRICS + results.len(),
            results,
            metrics: agreed,
            documents: Documents::default(),
            readout: Readout::default(),
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

    /// The stored name of a metric that is written so in a row; `None` for a column that is not read.
    ///
    /// # Errors
    /// Why no metric can have the name.
    pub(super) fn metric(&mut self, written: &str) -> Result<Option<Name>, String> {
        let written = written.trim();
        if let Some((_, known)) = self.recent.iter().find(|(recent, _)| recent == written) {
            return Ok(known.clone());
        }
        if let Some(known) = self.written.get(written) {
            return Ok(known.clone());
        }
        let ignored = self.catalogue.ignore_columns.iter().any(|ignored| ignored == written);
        let name = if ignored || written.is_empty() { None } else { Some(self.new_metric(written)?) };
        if self.recent.len() < RECENT {
            self.recent.push((written.to_owned(), name.clone()));
        }
        self.written.insert(written.to_owned(), name.clone());
        Ok(name)
    }

    /// What a column of this name holds besides numbers: a catalogue may name other columns of dates.
    pub(super) fn key(&self, written: &str) -> Option<Key> {
        let is_date = || self.catalogue.date_columns.iter().any(|name| Key::is_spelled(written, name));
        Key::of(written).or_else(|| is_date().then_some(Key::MeasuredAt))
    }

    /// Whether a metric of this name that was not there yet would be taken.
    fn has_room(&self, name: &str) -> bool {
        self.results.len() < self.most_results || self.results.contains(result(name))
    }

    /// Whether a metric that is written so would be one too many.
    pub(super) fn is_beyond(&self, written: &str) -> bool {
        let written = written.trim();
        !self.written.contains_key(written) && !self.has_room(self.catalogue.metric_name(written))
    }

    fn new_metric(&mut self, written: &str) -> Result<Name, String> {
        let name = self.catalogue.metric_name(written);
        if Key::of(name).is_some() {
            return Err(format!("`{name}` is the name of a column that is no metric"));
        }
        if name.len() > LONGEST_TEXT {
            return Err(format!("the name of a metric is longer than {LONGEST_TEXT} bytes: `{name}`"));
        }
        if let Some(name) = self.metrics.get(name) {
            return Ok(Name::clone(name));
        }
        if !self.has_room(name) {
            return Err(format!("`{name}` is one metric more than the {MOST_METRICS} that are read"));
        }
        let name = Name::from(name);
        self.results.insert(match result(&name) {
            result if result == &*name => Name::clone(&name),
            result => Name::from(result),
        });
        self.metrics.insert(Name::clone(&name));
        Ok(name)
    }

    /// Takes a row.
    ///
    /// # Errors
    /// Why a baseline could not hold it.
    pub(super) fn row(&mut self, line: u64, cells: &Cells<'_>, metrics: Metrics) -> Result<(), String> {
        if let Some(row) = self.placed(cells, metrics)? {
            self.push(line, row, cells.is_numbered);
        }
        Ok(())
    }

    fn push(&mut self, line: u64, row: Row, is_numbered: bool) {
        if self.readout.rows.len() >= MOST_ROWS {
            return self.skip(line, row.scenario.as_bytes(), || {
                format!("one row more than the {MOST_ROWS} that are read")
            });
        }
        let origin = self.origin(line);
        self.documents.row(is_numbered);
        self.readout.rows.push(row);
        self.readout.origins.push(origin);
        if let Some(input) = self.readout.inputs.last_mut() {
            input.rows += 1;
        }
    }

    /// The row of these cells; `None` when the catalogue leaves the scenario out.
    fn placed(&mut self, cells: &Cells<'_>, metrics: Metrics) -> Result<Option<Row>, String> {
        cells.check()?;
        let scenario = cells.scenario.trim();
        if self.catalogue.unlisted == Unlisted::Drop && !self.catalogue.lists(scenario) {
            *self.readout.unlisted.entry(scenario.into()).or_insert(0) += 1;
            return Ok(None);
        }
        let [class, methodology] = [cells.machine_class, cells.methodology]
            .map(|text| text.map(str::trim).filter(|text| !text.is_empty()));
        Ok(Some(Row {
            scenario: self.scenarios.intern(scenario),
            platform: self.texts.intern(cells.platform.trim()),
            commit: self.texts.intern(cells.commit.trim()),
            run_index: cells.run_index,
            outcome: cells.outcome,
            machine_class: class.map(|class| self.texts.intern(class)),
            methodology: methodology.map(|text| self.texts.intern(text)),
            measured_at: cells.measured_at,
            metrics,
        }))
    }

    /// Takes what a tool measured, by the names of metrics; what is `None` was not measured. A row that cannot
    /// be one is told as a near-row.
    pub(super) fn measured<'m>(
        &mut self,
        line: u64,
        cells: &Cells<'_>,
        metrics: impl IntoIterator<Item = (&'m str, Option<Value>)>,
    ) {
        let mut measured = Metrics::default();
        for (written, value) in metrics {
            match (self.metric(written), value) {
                (Ok(Some(_)), Some(value)) if value.is_unmeasured() => {
                    let why = || format!("`{written}` is −1, which stands for what was not measured");
                    self.skip(line, cells.scenario.as_bytes(), why);
                }
                (Ok(Some(name)), Some(value)) => drop(measured.insert(name, value)),
                // It costs the metric, and not what was measured beside it.
                (Err(why), Some(_)) => self.skip(line, cells.scenario.as_bytes(), || why),
                _ => {}
            }
        }
        let nothing = measured.is_empty() && cells.outcome == Outcome::Measured;
        let problem = nothing.then(|| "nothing was measured".to_owned());
        if let Some(why) = problem.or_else(|| self.row(line, cells, measured).err()) {
            self.skip(line, cells.scenario.as_bytes(), || why);
        }
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
        let names: Result<Vec<Option<Name>>, String> =
            metrics.iter().map(|metric| self.metric(metric)).collect();
        let row = names.and_then(|names| Ok((names, self.placed(cells, Metrics::default())?)));
        let (names, shared) = match row {
            Ok((names, shared)) => (names, shared),
            Err(why) => {
                self.skip(line, cells.scenario.as_bytes(), || why);
                (Vec::new(), None)
            }
        };
        Runs { sink: self, line, names, shared }
    }

    /// Remembers what a tool says of a metric that its name does not tell.
    pub(super) fn declare(&mut self, metric: &str, declared: Declared) {
        if let Ok(Some(name)) = self.metric(metric) {
            self.readout.declared.entry(name).or_insert(declared);
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

    pub(super) fn finish(mut self) -> Readout {
        self.documents.number_on(&mut self.readout);
        settle(&mut self.readout);
        self.readout
    }
}

/// Takes run after run of one measurement.
pub(super) struct Runs<'s, 'c> {
    sink: &'s mut Sink<'c>,
    line: u64,
    /// The metrics that values are of, in their order; `None` for those that are not read.
    names: Vec<Option<Name>>,
    /// A row but for its run and numbers; `None` when there are to be no rows.
    shared: Option<Row>,
}

impl Runs<'_, '_> {
    /// Takes what one run measured, in the order of the metrics.
    pub(super) fn row(
        &mut self,
        run_index: i64,
        outcome: Outcome,
        values: impl IntoIterator<Item = Option<Value>>,
    ) {
        let Some(shared) = &self.shared else { return };
        let mut measured = Vec::with_capacity(self.names.len());
        let mut says_unmeasured = false;
        for (name, value) in self.names.iter().zip(values) {
            match (name, value) {
                (Some(_), Some(value)) if value.is_unmeasured() => says_unmeasured = true,
                (Some(name), Some(value)) => measured.push((Name::clone(name), value)),
                _ => {}
            }
        }
        if says_unmeasured || (measured.is_empty() && outcome == Outcome::Measured) {
            let why = || "nothing was measured, or −1, which stands for that".to_owned();
            self.sink.skip(self.line, shared.scenario.as_bytes(), why);
        }
        if !measured.is_empty() || outcome != Outcome::Measured {
            let metrics = Metrics::of_distinct(measured);
            let row = Row { run_index, outcome, metrics, ..shared.clone() };
            self.sink.push(self.line, row, false);
        }
    }
}

impl Cells<'_> {
    fn texts(&self) -> [&str; 5] {
        let [class, methodology] = [self.machine_class, self.methodology].map(Option::unwrap_or_default);
        [self.scenario, self.platform, self.commit, class, methodology]
    }

    /// Whether a text holds what stands for bytes that are no text.
    pub(super) fn are_broken(&self) -> bool {
        self.texts().into_iter().any(|text| text.contains(char::REPLACEMENT_CHARACTER))
    }

    fn check(&self) -> Result<(), String> {
        if self.scenario.trim().is_empty() {
            return Err("the scenario is empty".to_owned());
        }
        if Key::of(self.scenario) == Some(Key::Scenario) {
            return Err(format!("`{}` is the name of a column, not a scenario", self.scenario));
        }
        if self.texts().into_iter().any(|text| text.trim().len() > LONGEST_TEXT) {
            return Err(format!("a text of the row is longer than {LONGEST_TEXT} bytes"));
        }
        Ok(())
    }
}

/// What a metric is the spread of, else the metric itself.
fn result(metric: &str) -> &str {
    spread_of(metric).unwrap_or(metric)
}

fn excerpt(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[..text.len().min(EXCERPT)]).trim().to_owned()
}
