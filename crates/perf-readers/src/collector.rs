//! Reads inputs: selects the format of each, and reports what else is in it.

use std::io::{self, Read};

use perf_config::Config;

use crate::format::{Format, Likeness};
use crate::formats::{FORMATS, HISTORIES, TEST_REPORT, TEXTS, spec, table};
use crate::input::prefixes::{self, Prefix};
use crate::input::source::{HEAD, Source};
use crate::rows::memory::Memory;
#[cfg(doc)]
use crate::rows::memory::OutOfMemory;
use crate::rows::parse_report::{InputSummary, ParseReport};
use crate::rows::{Place, RowCollector};
use crate::{csv_table, log, propose, terminal};
use perf_model::row::{Outcome, Row};

/// Date columns of a history besides `measuredAt`, in small letters without separators.
const HISTORY_DATES: [&str; 3] = ["snapshotdate", "date", "timestamp"];

/// Reads inputs one after the other into one [`ParseReport`].
pub struct Collector<'c> {
    sink: RowCollector<'c>,
    /// Formats that are tried before those of tools.
    histories: &'static [Format],
    /// Formats of the config, which are tried before all others.
    described: Vec<&'static Format>,
}

impl<'c> Collector<'c> {
    /// A collector with the metrics, layouts and columns of `config`.
    pub fn new(config: &'c Config) -> Self {
        Self {
            sink: RowCollector::new(config, &[]),
            histories: &[],
            described: described(config),
        }
    }

    /// As [`Self::new`], for files of many commits: their dates may be in the column `snapshotDate`, `date` or
    /// `timestamp`, too, and they may be what another service exports.
    pub fn of_history(config: &'c Config) -> Self {
        Self {
            sink: RowCollector::new(config, &HISTORY_DATES),
            histories: HISTORIES,
            described: described(config),
        }
    }

    /// The same, whose rows take no more than this memory.
    #[must_use]
    pub fn within(self, memory: &Memory) -> Self {
        Self {
            sink: self.sink.within(memory.clone()),
            ..self
        }
    }

    /// Says where the inputs that follow were measured, for their rows that do not say it. Rows of several places are
    /// never samples of one measurement.
    pub fn measured_on(&mut self, place: Place) {
        self.sink.measured_on(place);
    }

    /// Reads one input to its end. `name` is what messages call it.
    ///
    /// # Errors
    /// I/O errors, and an [`OutOfMemory`] as one; malformed input is part of the [`ParseReport`].
    pub fn read(&mut self, name: &str, input: &mut dyn Read) -> io::Result<()> {
        self.read_source(name, None, &mut self.open(name, None, input)?)
    }

    /// Opens an input, and removes what a runner has put before its lines.
    fn open<'r>(
        &self,
        name: &str,
        format: Option<&Format>,
        input: &'r mut dyn Read,
    ) -> io::Result<Source<'r>> {
        let stop = self.sink.stop();
        let mut source = Source::open(input, move || stop.check())?;
        for prefix in self.prefixes(name, format, source.head()) {
            source.remove(prefix)?;
        }
        Ok(source)
    }

    /// The prefixes without which the beginning of an input has more rows, the same ones with other names or numbers, or
    /// rows without the prefix in their names. Where further rows may come, those of runners go that change nothing so
    /// far.
    fn prefixes(&self, name: &str, format: Option<&Format>, head: &[u8]) -> Vec<Prefix> {
        let layers = if csv_table::begins(head) {
            Vec::new()
        } else {
            prefixes::layers(head)
        };
        if layers.is_empty() {
            return Vec::new();
        }
        let (mut best, mut rows) = (0, self.rows(name, format, head));
        for (at, (prefix, rest)) in layers.iter().enumerate() {
            let found = self.rows(name, format, rest);
            let removed = &layers[best..=at];
            let may_have_more = head.len() >= HEAD && prefix.is_of_runner();
            let is_better = (may_have_more && best == at) || found != rows;
            if *prefix == Prefix::Bars && !rows.iter().all(|row| found.contains(row)) {
                break;
            }
            if found.len() > rows.len() || (is_better && is_same(&rows, &found, removed)) {
                (best, rows) = (at + 1, found);
            }
        }
        layers
            .into_iter()
            .take(best)
            .map(|(prefix, _)| prefix)
            .collect()
    }

    fn rows(&self, name: &str, format: Option<&Format>, mut text: &[u8]) -> Vec<Row> {
        let sink = RowCollector::new(self.sink.config, self.sink.date_columns);
        let described = self.described.clone();
        let mut collector = Self {
            sink,
            histories: self.histories,
            described,
        };
        let source = Source::open(&mut text, || Ok(()));
        let read = source.and_then(|mut source| collector.read_source(name, format, &mut source));
        read.map(|()| collector.finish().rows).unwrap_or_default()
    }

    /// Reads an input as this format, or as what it looks like.
    fn read_source(
        &mut self,
        name: &str,
        format: Option<&Format>,
        source: &mut Source<'_>,
    ) -> io::Result<()> {
        match format {
            Some(format) => self.read_named(name, format, source)?,
            None => self.read_recognized(name, source)?,
        }
        self.sink.stop().check()?;
        self.sink
            .change_input(|input| input.removed = source.removed());
        self.recognise(source.head());
        Ok(())
    }

    fn read_recognized(&mut self, name: &str, source: &mut Source<'_>) -> io::Result<()> {
        let mut likeness = self.likeness(source.head());
        for (format, likeness) in &mut likeness {
            let is_named =
                !format.file.is_empty() && name.rsplit(['/', '\\']).next() == Some(format.file);
            if is_named && matches!(likeness, Likeness::Near(_)) {
                *likeness = Likeness::Yes;
            }
        }
        let found = recognised(&likeness);
        let Format {
            name: first,
            samples,
            ..
        } = *found.first().copied().unwrap_or(&log::FORMAT);
        let nearest = likeness
            .iter()
            .find_map(|(format, likeness)| match likeness {
                Likeness::Near(but) => Some((format.name, *but)),
                _ => None,
            });
        self.sink.begin(
            InputSummary {
                nearest,
                ..InputSummary::new(name, first, source.head())
            },
            samples,
        );
        let mut rest = self.read_by(&found, self.all_but_log(), source)?;
        self.report_unread(&found, source.head());
        while let Some(text) = rest {
            source.take_back(text)?;
            let found = recognised(&self.likeness(source.head()));
            let Format { name, samples, .. } = *found.first().copied().unwrap_or(&log::FORMAT);
            self.sink.go_on(name, samples);
            rest = self.read_by(&found, self.all_but_log(), source)?;
            self.report_unread(&found, source.head());
        }
        Ok(())
    }

    /// Rates how well the head of an input matches each format that it may be.
    fn likeness(&self, head: &[u8]) -> Vec<(&'static Format, Likeness)> {
        // What begins with the header of a table is one, and may be one of thousands of small inputs.
        if self.histories.is_empty() && self.described.is_empty() && csv_table::begins(head) {
            return vec![(&csv_table::FORMAT, Likeness::Yes)];
        }
        let all = self
            .described
            .iter()
            .copied()
            .chain(self.histories)
            .chain(FORMATS.iter());
        TEXTS.likeness(head, all).collect()
    }

    /// Looks at what has no rows once more: it may be what a tool prints for people.
    fn recognise(&mut self, head: &[u8]) {
        if self.sink.rows() == 0 {
            let nearest = || table::nearest(head).or_else(|| propose::nearest(head));
            self.sink.change_input(|input| {
                input.terminal = input.terminal.or_else(|| terminal::recognise(head));
                input.nearest = input.nearest.or_else(nearest);
            });
        }
    }

    /// Reads one input as this format, or as that of the config with its name.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_as(&mut self, format: &Format, name: &str, input: &mut dyn Read) -> io::Result<()> {
        let format = self
            .described
            .iter()
            .find(|described| described.name == format.name)
            .copied()
            .unwrap_or(format);
        self.read_source(
            name,
            Some(format),
            &mut self.open(name, Some(format), input)?,
        )
    }

    fn read_named(
        &mut self,
        name: &str,
        format: &Format,
        source: &mut Source<'_>,
    ) -> io::Result<()> {
        let summary = InputSummary {
            named: true,
            ..InputSummary::new(name, format.name, source.head())
        };
        self.sink.begin(summary, format.samples);
        self.read_by(&[format], Vec::new(), source).map(drop)
    }

    /// A document is read by one format: reports other formats in the same input.
    fn report_unread(&mut self, found: &[&Format], head: &[u8]) {
        let (Some(first), true) = (found.first(), found.len() > 1) else {
            return;
        };
        // Reports that a tool writes in XML are XML, too.
        let others = found
            .iter()
            .skip(1)
            .filter(|other| ![TEST_REPORT.name, log::FORMAT.name].contains(&other.name));
        // Names in a baseline may look like anything.
        let is_csv = first.name == csv_table::FORMAT.name;
        let before = &head[..csv_table::start(head).unwrap_or_default()];
        let is_apart = |other: &&&Format| !is_csv || other.likeness(before) == Likeness::Yes;
        if first.is_document() {
            for other in others.filter(is_apart) {
                let why = || {
                    format!(
                        "also contains {}, but only {} was read: split the input",
                        other.name, first.name
                    )
                };
                self.sink.skip(1, b"", why);
            }
        }
    }

    /// Reads by the first of these formats if it is a document, else by all line formats; `others` may begin later.
    /// Returns the text from which one of them reads the rest.
    fn read_by(
        &mut self,
        formats: &[&Format],
        others: Vec<&'static Format>,
        source: &mut Source<'_>,
    ) -> io::Result<Option<Vec<u8>>> {
        match formats.first() {
            Some(first) if first.name == log::FORMAT.name => {
                log::read_with(&[], others, source, &mut self.sink)
            }
            Some(first) if first.is_document() => {
                first.read_document(source, &mut self.sink).map(|()| None)
            }
            _ => log::read_with(formats, others, source, &mut self.sink),
        }
    }

    /// The formats that may begin behind other text.
    fn all_but_log(&self) -> Vec<&'static Format> {
        let known = FORMATS
            .iter()
            .filter(|format| format.name != log::FORMAT.name);
        self.described.iter().copied().chain(known).collect()
    }

    /// The report: duplicates collapsed, conflicts found.
    pub fn finish(self) -> ParseReport {
        self.sink.finish()
    }
}

/// The formats that a config describes. They live as long as the program, which reads few configs.
fn described(config: &Config) -> Vec<&'static Format> {
    config
        .formats()
        .map(|entry| &*Box::leak(Box::new(spec::format(entry.clone()))))
        .collect()
}

/// True if the rows that were found without prefixes are those found with them, but for what the prefixes did to names:
/// a common indentation hides titles, and where other prefixes are in names, lines without numbers may pass as rows.
fn is_same(rows: &[Row], found: &[Row], removed: &[(Prefix, Vec<u8>)]) -> bool {
    let prefixes = || removed.iter().map(|(prefix, _)| prefix);
    let has_prefix = |row: &Row| prefixes().any(|prefix| prefix.is_in(&row.scenario));
    let is_clean = |row: &&Row| !has_prefix(row);
    if prefixes().any(|prefix| matches!(prefix, Prefix::Indentation(_)))
        || rows.iter().any(has_prefix)
    {
        return !found.is_empty()
            && found.iter().filter(is_clean).count() == found.len()
            && found.len() >= rows.iter().filter(is_clean).count();
    }
    let numbers = |rows: &[Row]| {
        let measured = rows.iter().filter(|row| row.outcome == Outcome::Measured);
        measured
            .map(|row| {
                row.metrics
                    .iter()
                    .map(|(_, value)| value)
                    .collect::<Vec<_>>()
            })
            .collect::<Vec<_>>()
    };
    if prefixes().all(|prefix| prefix.is_of_runner()) && numbers(rows) == numbers(found) {
        return true;
    }
    let without =
        |row: &Row| prefixes().fold(row.scenario.to_string(), |name, prefix| prefix.strip(&name));
    rows.iter()
        .map(without)
        .eq(found.iter().map(|row| row.scenario.to_string()))
}

fn recognised(likeness: &[(&'static Format, Likeness)]) -> Vec<&'static Format> {
    let recognised = likeness
        .iter()
        .filter(|(_, likeness)| *likeness == Likeness::Yes);
    let mut found: Vec<&Format> = recognised.map(|(format, _)| *format).collect();
    if found
        .iter()
        .any(|format| !format.is_alone() && format.name != log::FORMAT.name)
    {
        found.retain(|format| !format.is_alone());
    }
    found
}
