//! Collects all readers' rows. Limits are enforced here for all formats, so everything that was read can be
//! written as a baseline and read back.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::rows::cells::{Cells, Provenance};
use crate::rows::keys::{Keys, Number};
use crate::rows::launches::{Launches, Samples, renumber};
use crate::rows::metric_names::{Measured, MetricNames, Shapes};
use crate::rows::parse_report::{InputSummary, KEPT, Origin, ParseReport};
use crate::rows::repeats::{Documents, far_apart};
use crate::rows::sections::{Named, Sections, has_time_of_day};
use crate::rows::settle::{FailedRuns, dedup, number_equal_names};
use crate::rows::values::HIGHEST_RUN;
use perf_config::{Config, Unlisted};
use perf_model::finding::{Finding, FindingKind};
use perf_model::key_column::KeyColumn;
use perf_model::metric::{Declared, Direction, Meaning, Unit};
use perf_model::row::{AGGREGATE, LONGEST_TEXT, Metrics, Name, Outcome, Row, Value};
use perf_model::suite::Definitions;

/// The maximum number of bytes that are quoted from a malformed row.
const EXCERPT: usize = 80;
/// The maximum number of characters in the reason why a row is malformed.
const LONGEST_REASON: usize = 200;

/// Collects rows, malformed rows and counts from all inputs.
pub(crate) struct Rows<'c> {
    pub(crate) config: &'c Config,
    /// Date columns in addition to `measuredAt`, in lower case without separators.
    pub(crate) date_columns: &'static [&'static str],
    /// The platform and the machine type for rows that contain none.
    place: Provenance,
    pub(super) keys: Keys,
    shapes: Shapes,
    /// All inputs' metric names.
    pub(crate) names: MetricNames<'c>,
    pub(crate) documents: Documents,
    queries: Queries,
    /// The titles in the current input.
    pub(crate) sections: Sections,
    launches: Launches,
    /// The number of the current input's lines that another format has already read.
    lines_before: u64,
    /// The index of the first row from the current input and format.
    first_row: usize,
    /// Metrics whose names are unknown units, each with the first line that contains the unit.
    unknown_units: IndexMap<String, u64>,
    report: ParseReport,
}

impl<'c> Rows<'c> {
    pub(crate) fn new(config: &'c Config, date_columns: &'static [&'static str]) -> Self {
        Self {
            config,
            date_columns,
            place: Provenance::default(),
            keys: Keys::default(),
            shapes: Shapes::default(),
            names: MetricNames::new(config),
            documents: Documents::default(),
            queries: Queries::default(),
            sections: Sections::default(),
            launches: Launches::default(),
            lines_before: 0,
            first_row: 0,
            unknown_units: IndexMap::new(),
            report: ParseReport::default(),
        }
    }

    /// Sets the platform and the machine type for rows in later inputs that contain none.
    pub(crate) fn measured_on(&mut self, place: Provenance) {
        self.place = place;
    }

    /// Starts an input. `samples` describes how its format measures repeated numbers.
    pub(crate) fn begin(&mut self, input: InputSummary, samples: Samples) {
        self.lines_before = 0;
        self.first_row = self.report.rows.len();
        self.sections = Sections::default();
        self.documents.begin(input.format, samples, false);
        self.report.inputs.push(input);
    }

    /// Returns the key column with this name. In a history, additional date columns are recognised.
    pub(crate) fn key(&self, written: &str) -> Option<KeyColumn> {
        let is_date = || {
            self.date_columns
                .iter()
                .any(|name| KeyColumn::is_spelled(written, name))
        };
        KeyColumn::of(written).or_else(|| is_date().then_some(KeyColumn::MeasuredAt))
    }

    /// Returns the name. If it occurred before with another URL query in `text`, a number is appended.
    pub(crate) fn apart(&mut self, name: String, text: &str) -> String {
        self.queries.name(&self.place.platform, name, text)
    }

    /// Adds a row.
    ///
    /// # Errors
    /// Fails if a baseline cannot store the row, and returns the reason.
    pub(crate) fn row(
        &mut self,
        line: u64,
        cells: &Cells<'_>,
        measured: &Measured,
    ) -> Result<(), String> {
        if let Some(key) = self.number(cells)? {
            self.push(line, key, cells, measured);
        }
        Ok(())
    }

    pub(super) fn push(&mut self, line: u64, key: Number, cells: &Cells<'_>, measured: &Measured) {
        let Cells {
            run_index,
            is_numbered,
            outcome,
            process,
            measured_at,
            ..
        } = *cells;
        if !(AGGREGATE..=HIGHEST_RUN).contains(&run_index) {
            let scenario = Name::clone(&self.keys.key(key).scenario);
            return self.skip(line, &scenario, || {
                format!("invalid run index `{run_index}`")
            });
        }
        // A failed process run has no valid numbers.
        let metrics = if outcome == Outcome::Failed {
            Metrics::default()
        } else {
            self.shapes.metrics(measured)
        };
        let origin = self.origin(line);
        let shared = Arc::clone(self.keys.key(key));
        let process = self.documents.process(process, is_numbered);
        let launch = process.map(|(document, process)| self.launches.number(document, process));
        self.change_input(|input| input.rows += 1);
        let row = Row {
            key: shared,
            run_index,
            outcome,
            launch,
            measured_at,
            metrics,
        };
        self.keys.of_rows.push(key);
        self.documents.row(is_numbered);
        self.report.rows.push(row);
        self.report.origins.push(origin);
    }

    /// Returns the key for these cells; `None` if the config drops the scenario.
    pub(super) fn number(&mut self, cells: &Cells<'_>) -> Result<Option<Number>, String> {
        cells.check()?;
        if self.documents.are_lines() && has_time_of_day(cells.scenario) {
            return Err(
                "the name contains a time of day: the line probably begins with a CI runner's timestamp".to_owned(),
            );
        }
        let mut cells = cells.trimmed();
        if self.config.unlisted == Unlisted::Drop && !self.config.lists(cells.scenario) {
            self.count_unlisted(cells.scenario);
            return Ok(None);
        }
        self.place.fill(&mut cells);
        Ok(Some(self.keys.number(&cells)))
    }

    fn count_unlisted(&mut self, scenario: &str) {
        if let Some(rows) = self.report.unlisted.get_mut(scenario) {
            *rows += 1;
            return;
        }
        self.report.unlisted.insert(scenario.into(), 1);
    }

    /// Adds a row with a tool's measurements. A metric with the value `None` was not measured. A malformed row is
    /// reported.
    pub(crate) fn measured<'m>(
        &mut self,
        line: u64,
        cells: &Cells<'_>,
        metrics: impl IntoIterator<Item = (&'m str, Option<Value>)>,
    ) {
        let mut measured = Measured::default();
        for (written, value) in metrics {
            self.add_metric(line, cells, written, value, &mut measured);
        }
        self.finish_row(line, cells, &measured);
    }

    /// Adds a benchmark without measurements.
    pub(crate) fn without_metrics(&mut self, line: u64, cells: &Cells<'_>, outcome: Outcome) {
        self.measured(line, &Cells { outcome, ..*cells }, []);
    }

    /// Adds a metric to a row. An invalid metric is reported and left out, and the row's other metrics are kept.
    fn add_metric(
        &mut self,
        line: u64,
        cells: &Cells<'_>,
        written: &str,
        value: Option<Value>,
        measured: &mut Measured,
    ) {
        match (self.names.metric(written), value) {
            (Ok(Some(_)), Some(value)) if value.is_unmeasured() => {
                let why = || format!("`{written}` is −1 (not measured)");
                self.skip(line, cells.scenario, why);
            }
            (Ok(Some(metric)), Some(value)) => measured.insert(&metric, value),
            (Err(why), Some(_)) => self.skip(line, cells.scenario, || why),
            _ => {}
        }
    }

    fn finish_row(&mut self, line: u64, cells: &Cells<'_>, measured: &Measured) {
        let nothing = measured.is_empty() && cells.outcome == Outcome::Measured;
        let problem = nothing.then(|| "no metric has a value".to_owned());
        if let Some(why) = problem.or_else(|| self.row(line, cells, measured).err()) {
            self.skip(line, cells.scenario, || why);
        }
    }

    /// Adds one metric's samples, one row each, numbered from 0.
    pub(crate) fn samples(
        &mut self,
        line: u64,
        cells: &Cells<'_>,
        metric: &str,
        values: &[Option<Value>],
    ) {
        for (run_index, value) in (0..).zip(values) {
            let sample = Cells {
                run_index,
                ..*cells
            };
            self.measured(line, &sample, [(metric, *value)]);
        }
    }

    /// Remembers a unit that is used as a metric's name, if the unit is unknown.
    pub(crate) fn see_unit(&mut self, line: u64, unit: &str) {
        let meaning = Meaning::of_name(unit);
        let is_unknown = meaning.unit == Unit::None && meaning.direction == Direction::Unknown;
        if is_unknown && unit != "%" && !self.unknown_units.contains_key(unit) {
            self.unknown_units
                .insert(unit.to_owned(), self.lines_before + line);
        }
    }

    /// Reports unknown units, unless the config or an input declares their direction.
    fn report_unknown_units(&mut self) {
        for (unit, line) in &self.unknown_units {
            let name = self.config.metric_name(unit);
            let declared = self.report.declared.get(name);
            let is_known = declared
                .is_some_and(|declared| declared.meaning.direction != Direction::Unknown)
                || self.config.metric(name).meaning.direction != Direction::Unknown;
            let is_measured = |row: &Row| row.metrics.get(name).is_some();
            if !is_known && self.report.rows.iter().any(is_measured) {
                let text =
                    format!("unknown unit `{unit}`: cannot tell whether higher or lower is better");
                let finding = Finding::about_input(FindingKind::UnknownUnit, text).on_line(*line);
                self.report.findings.push(finding);
            }
        }
    }

    /// Declares the meaning of a metric whose name does not imply it.
    pub(crate) fn declare(&mut self, metric: &str, declared: Declared) {
        if let Ok(Some(metric)) = self.names.metric(metric) {
            self.report.declared.add(&metric, declared);
        }
    }

    /// Declares the unit and the direction of a metric.
    pub(crate) fn means(&mut self, metric: &str, unit: Unit, direction: Direction) {
        self.declare(
            metric,
            Declared {
                label: None,
                meaning: Meaning {
                    unit,
                    direction,
                    exact: false,
                },
            },
        );
    }

    /// Declares a metric's direction if its name implies another one.
    pub(crate) fn means_direction(&mut self, metric: &str, unit: Unit, direction: Direction) {
        if Meaning::of_name(metric).direction != direction {
            self.means(metric, unit, direction);
        }
    }

    /// Reports a malformed row. `reason` is only called if the finding is kept.
    pub(crate) fn skip(&mut self, line: u64, text: &str, reason: impl FnOnce() -> String) {
        self.skip_as(FindingKind::Unreadable, line, text, reason);
    }

    /// Reports a malformed row, or missing rows, as a finding of this kind.
    pub(crate) fn skip_as(
        &mut self,
        kind: FindingKind,
        line: u64,
        row: &str,
        reason: impl FnOnce() -> String,
    ) {
        self.report.skipped_count += 1;
        if self.report.skipped_count > KEPT as u64 {
            return;
        }
        let mut text = reason();
        if let Some((end, _)) = text.char_indices().nth(LONGEST_REASON) {
            text.replace_range(end.., "…");
        }
        let excerpt = row[..row.floor_char_boundary(EXCERPT)].trim();
        if kind == FindingKind::Unreadable && !excerpt.is_empty() && !text.contains(excerpt) {
            text = format!("{text}: `{excerpt}`");
        }
        let finding = self.origin(line).locate(Finding::about_input(kind, text));
        self.report.findings.push(finding);
    }

    /// Reports missing benchmarks if a tool announced more of them than there are rows in the input, and no row follows
    /// the announcement. A benchmark may have several rows.
    pub(crate) fn check_count(&mut self, line: u64, announced: u64) {
        let input = self.report.inputs.len().saturating_sub(1);
        let of_input = self
            .report
            .origins
            .iter()
            .zip(&self.report.rows)
            .filter(|(at, _)| at.input() == input);
        let (mut names, mut rows, mut is_last) = (HashSet::new(), 0, true);
        for (origin, row) in of_input {
            is_last &= origin.line() < line;
            names.insert(&row.scenario);
            rows += 1;
        }
        let read = names.len() as u64;
        if is_last && read > 0 && rows < announced {
            self.expect_results(line, "benchmarks", announced, read);
        }
    }

    /// Reports missing results if a tool announced more of them than were read.
    pub(crate) fn expect_results(&mut self, line: u64, noun: &str, announced: u64, read: u64) {
        if read < announced {
            self.skip_as(FindingKind::TooFewResults, line, "", || {
                format!("{announced} {noun} announced, {read} read")
            });
        }
    }

    /// Reports the input's last line, which has no line end, if the tool would have printed more.
    pub(crate) fn skip_cut_off(&mut self, line: u64, text: &str) {
        self.skip(line, text, || "output is cut off in this line".to_owned());
    }

    /// Counts a latency with an unknown unit.
    pub(crate) fn lacks_unit(&mut self) {
        self.report.without_unit += 1;
    }

    /// Reports measurements with the same name that are probably different benchmarks.
    pub(crate) fn differ(&mut self, scenario: &str, metric: &str, ends: [Value; 2]) {
        if self.report.far_apart.len() < KEPT {
            self.report
                .far_apart
                .push(far_apart(scenario, metric, ends));
        }
    }

    /// Counts results that repeat an earlier result's name.
    pub(crate) fn repeats(&mut self, rows: u64) {
        self.report.repeated += rows;
    }

    /// Remembers the input's first header line.
    pub(crate) fn see_header(&mut self, line: u64) {
        let line = self.lines_before + line;
        self.change_input(|input| _ = input.header.get_or_insert(line));
    }

    pub(crate) fn lines(&mut self, count: u64) {
        self.change_input(|input| input.lines += count);
    }

    /// Adds the metrics in a header to the report's columns.
    pub(crate) fn columns<'n>(&mut self, named: impl Iterator<Item = &'n Name>) {
        self.report.columns.extend(named.cloned());
    }

    /// Returns the number of rows read from the input so far.
    pub(crate) fn rows(&self) -> u64 {
        self.report.inputs.last().map_or(0, |input| input.rows)
    }

    /// Changes the input's summary, if there is one.
    pub(crate) fn change_input(&mut self, change: impl FnOnce(&mut InputSummary)) {
        if let Some(input) = self.report.inputs.last_mut() {
            change(input);
        }
    }

    /// Continues with the rest of the input as another format.
    pub(crate) fn go_on(&mut self, format: &'static str, samples: Samples) {
        self.lines_before = self.report.inputs.last().map_or(0, |input| input.lines);
        self.first_row = self.report.rows.len();
        self.sections = Sections::default();
        self.documents.begin(format, samples, false);
        self.change_input(|input| input.format = format);
    }

    /// Adds titles as prefixes to names that a tool's lines repeat, if the titles distinguish the results. `shown`
    /// removes secrets from titles.
    pub(crate) fn tell_apart(&mut self, shown: fn(&str) -> String) {
        if self.sections.is_empty() {
            return;
        }
        let mut repeated = self.repeated();
        let mut named: Vec<&mut Named> = repeated.iter_mut().map(|(_, named)| named).collect();
        self.sections.tell_apart(&mut named, shown);
        for (at, Named { name, .. }) in repeated
            .into_iter()
            .filter(|(_, row)| row.name.len() <= LONGEST_TEXT)
        {
            let key = self.keys.renamed(self.keys.of_rows[at], &name);
            self.keys.of_rows[at] = key;
            self.report.rows[at].key = Arc::clone(self.keys.key(key));
        }
    }

    /// Returns the input's rows that come from a tool's lines and repeat a key, a run and a metric.
    fn repeated(&self) -> Vec<(usize, Named)> {
        let rows = || self.documents.lines_from(self.first_row);
        let mut first = vec![None; self.keys.len()];
        let mut repeated = HashSet::new();
        for (at, document) in rows() {
            let (key, of) = (
                self.keys.of_rows[at],
                (document, self.report.rows[at].run_index),
            );
            let known = first[key as usize].get_or_insert((at, of));
            let is_other = || {
                self.report.rows[known.0]
                    .metrics
                    .shares_any(&self.report.rows[at].metrics)
            };
            if known.0 != at && known.1 == of && is_other() {
                repeated.insert((key, document));
            }
        }
        let is_repeated =
            |(at, document): &(usize, u32)| repeated.contains(&(self.keys.of_rows[*at], *document));
        let row = |(at, _): (usize, u32)| {
            let line = self.report.origins[at].line() - self.lines_before;
            (
                at,
                Named {
                    name: self.report.rows[at].scenario.to_string(),
                    line,
                },
            )
        };
        rows().filter(is_repeated).map(row).collect()
    }

    /// Returns the formats that read rows from the input's lines, each with its last row's line.
    pub(crate) fn formats_of_lines(&self) -> HashMap<&'static str, u64> {
        let mut last = HashMap::new();
        for (row, document) in self.documents.lines_from(self.first_row) {
            let line = self.report.origins[row].line() - self.lines_before;
            last.insert(self.documents.tool(document), line);
        }
        last
    }

    /// Returns the name of the format that reads the input.
    pub(crate) fn format(&self) -> &'static str {
        self.report.inputs.last().map_or("", |input| input.format)
    }

    /// Returns the input's name in messages.
    pub(crate) fn input(&self) -> &str {
        self.report.inputs.last().map_or("", |input| &input.name)
    }

    fn origin(&self, line: u64) -> Origin {
        Origin::new(
            self.report.inputs.len().saturating_sub(1),
            self.lines_before + line,
        )
    }

    pub(crate) fn finish(mut self) -> ParseReport {
        number_equal_names(&mut self.report, &mut self.keys, &self.documents);
        let failed = FailedRuns::count(&self.report);
        self.documents
            .number_on(&mut self.report, &self.keys, self.config);
        dedup(&mut self.report, &self.keys, self.config);
        failed.settle(&mut self.report);
        renumber(&mut self.report.rows);
        self.report_unknown_units();
        self.report
    }
}

/// The maximum number of names that are remembered. A hostile input may contain millions.
const MOST_QUERIES: usize = 10_000;

/// For each name on a platform, hashes of the URL queries that occurred with it, in the order of the input.
#[derive(Default)]
pub(super) struct Queries {
    of_names: HashMap<(String, String), Vec<u64>, RandomState>,
}

impl Queries {
    /// Returns the name. If it occurred before with another query in `text`, a number is appended.
    pub(super) fn name(&mut self, platform: &str, name: String, text: &str) -> String {
        if self.of_names.len() >= MOST_QUERIES {
            return name;
        }
        let words = text.split([' ', '\t', '"', '\'']);
        let queries: Vec<&str> = words
            .filter_map(|word| word.find('?').map(|at| &word[at..]))
            .collect();
        let hash = self.of_names.hasher().hash_one(queries);
        let known = self
            .of_names
            .entry((platform.to_owned(), name.clone()))
            .or_default();
        let at = known
            .iter()
            .position(|known| *known == hash)
            .unwrap_or_else(|| {
                known.push(hash);
                known.len() - 1
            });
        if at == 0 {
            name
        } else {
            format!("{name} (query {})", at + 1)
        }
    }
}
