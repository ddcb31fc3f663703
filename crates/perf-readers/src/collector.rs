//! Reads inputs: selects the format of each, and reports what else is in it.

use std::io::{self, Read};

use perf_config::Config;

use crate::format::{Format, Kind, Likeness};
use crate::input::source::Source;
use crate::rows::memory::Memory;
#[cfg(doc)]
use crate::rows::memory::OutOfMemory;
use crate::rows::parse_report::{InputSummary, ParseReport};
use crate::rows::{Place, RowCollector};
use crate::tools::{FORMATS, HISTORIES, TEST_REPORT};
use crate::{csv_table, log, terminal};

/// Date columns of a history besides `measuredAt`, in small letters without separators.
const HISTORY_DATES: [&str; 3] = ["snapshotdate", "date", "timestamp"];

/// Reads inputs one after the other into one [`ParseReport`].
pub struct Collector<'c> {
    sink: RowCollector<'c>,
    /// Formats that are tried before those of tools.
    histories: &'static [Format],
}

impl<'c> Collector<'c> {
    /// A collector with the metrics, layouts and columns of `config`.
    pub fn new(config: &'c Config) -> Self {
        Self { sink: RowCollector::new(config, &[]), histories: &[] }
    }

    /// As [`Self::new`], for files of many commits: their dates may be in the column `snapshotDate`, `date` or
    /// `timestamp`, too, and they may be what another service exports.
    pub fn of_history(config: &'c Config) -> Self {
        Self { sink: RowCollector::new(config, &HISTORY_DATES), histories: HISTORIES }
    }

    /// The same, whose rows take no more than this memory.
    #[must_use]
    pub fn within(self, memory: &Memory) -> Self {
        Self { sink: self.sink.within(memory.clone()), ..self }
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
        let stop = self.sink.stop();
        let mut source = Source::open(input, || stop.check())?;
        let likeness = self.likeness(source.head());
        let recognised = likeness.iter().filter(|(_, likeness)| *likeness == Likeness::Yes);
        let found: Vec<&Format> = recognised.map(|(format, _)| *format).collect();
        let Format { name: first, samples, .. } = *found.first().copied().unwrap_or(&log::FORMAT);
        let nearest = likeness.iter().find_map(|(format, likeness)| match likeness {
            Likeness::Near(but) => Some((format.name, *but)),
            _ => None,
        });
        self.sink.begin(InputSummary { nearest, ..InputSummary::new(name, first, source.head()) }, samples);
        let lines = FORMATS.iter().filter(|format| matches!(format.kind, Kind::Lines(..)));
        self.read_by(&found, lines.collect(), &mut source)?;
        self.report_unread(&found, source.head());
        stop.check()?;
        self.recognise(source.head());
        Ok(())
    }

    /// How much an input looks like each format that it may be.
    fn likeness(&self, head: &[u8]) -> Vec<(&'static Format, Likeness)> {
        // What begins with the header of a table is one, and may be one of thousands of small inputs.
        if self.histories.is_empty() && csv_table::begins(head) {
            return vec![(&csv_table::FORMAT, Likeness::Yes)];
        }
        let all = self.histories.iter().chain(FORMATS);
        all.map(|format| (format, (format.looks_like)(head))).collect()
    }

    /// Looks at what has no rows once more: it may be what a tool prints for people.
    fn recognise(&mut self, head: &[u8]) {
        if self.sink.rows() == 0 {
            self.sink.is_for_people(terminal::recognise(head));
        }
    }

    /// Reads one input as this format.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_as(&mut self, format: &Format, name: &str, input: &mut dyn Read) -> io::Result<()> {
        let stop = self.sink.stop();
        let mut source = Source::open(input, || stop.check())?;
        let summary = InputSummary { named: true, ..InputSummary::new(name, format.name, source.head()) };
        self.sink.begin(summary, format.samples);
        self.read_by(&[format], Vec::new(), &mut source)?;
        stop.check()?;
        self.recognise(source.head());
        Ok(())
    }

    /// A document is read by one format: reports other formats in the same input.
    fn report_unread(&mut self, found: &[&Format], head: &[u8]) {
        let (Some(first), true) = (found.first(), found.len() > 1) else { return };
        // Reports that a tool writes in XML are XML, too.
        let others =
            found.iter().skip(1).filter(|other| ![TEST_REPORT.name, log::FORMAT.name].contains(&other.name));
        // hyperfine exports the same results twice.
        let is_twice = |other: &Format| [first.name, other.name] == ["hyperfine", "hyperfine-markdown"];
        let others = others.filter(|other| !is_twice(other));
        // Names in a baseline may look like anything.
        let is_csv = first.name == csv_table::FORMAT.name;
        let before = &head[..csv_table::start(head).unwrap_or_default()];
        let is_apart = |other: &&&Format| !is_csv || (other.looks_like)(before) == Likeness::Yes;
        if matches!(first.kind, Kind::Document(_)) {
            for other in others.filter(is_apart) {
                let why = || {
                    format!("also contains {}, but only {} was read: split the input", other.name, first.name)
                };
                self.sink.skip(1, b"", why);
            }
        }
    }

    /// Reads by the first of these formats if it is a document, else by all line formats; `others` may begin later.
    fn read_by(
        &mut self,
        formats: &[&Format],
        others: Vec<&'static Format>,
        source: &mut Source<'_>,
    ) -> io::Result<()> {
        match formats.first() {
            Some(first) if first.name == log::FORMAT.name => {
                log::read_with(&[], others, source, &mut self.sink)
            }
            Some(Format { kind: Kind::Document(read), .. }) => read(source, &mut self.sink),
            _ => log::read_with(formats, others, source, &mut self.sink),
        }
    }

    /// The report: duplicates collapsed, conflicts found.
    pub fn finish(self) -> ParseReport {
        self.sink.finish()
    }
}
