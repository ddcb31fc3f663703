//! Reads inputs. Detects each input's format, and reports content in other formats that is not read.

use std::io::{self, Read};

use perf_config::Config;

use crate::format::{Format, Kind, Likeness, likeness_of_each};
use crate::formats::{FORMATS, HISTORIES, TEST_REPORT, spec};
use crate::input::prefixes;
use crate::input::{Input, line_ends, read_text};
use crate::rows::parse_report::{InputSummary, ParseReport};
use crate::rows::{Provenance, Rows};
use crate::{csv_table, log, propose, terminal};

/// The date columns that a history may contain instead of `measuredAt`, in lower case without separators.
const HISTORY_DATES: [&str; 3] = ["snapshotdate", "date", "timestamp"];

/// In text with rows, the maximum distance in bytes between a hint's marks. Marks that are further apart are probably
/// from different outputs.
const HINT: usize = 4096;

/// The maximum number of lines between the last row that a config's format read and marks that belong to the same
/// output.
const MOST_LINES_BELOW: u64 = 200;

/// Reads any number of inputs into one [`ParseReport`].
pub struct Collector<'c> {
    sink: Rows<'c>,
    /// The formats of other services' exports, which are tried before the tools' formats. Empty unless histories are
    /// read.
    histories: &'static [Format],
    /// The config's formats, which are tried before all others.
    described: Vec<&'static Format>,
}

impl<'c> Collector<'c> {
    /// Creates a collector that uses the metrics, layouts and columns of `config`.
    pub fn new(config: &'c Config) -> Self {
        Self {
            sink: Rows::new(config, &[]),
            histories: &[],
            described: described(config),
        }
    }

    /// Like [`Self::new`], but for files with the results of many commits. Dates may also be in a column
    /// `snapshotDate`, `date` or `timestamp`, and exports of other services are read.
    pub fn of_history(config: &'c Config) -> Self {
        Self {
            sink: Rows::new(config, &HISTORY_DATES),
            histories: HISTORIES,
            described: described(config),
        }
    }

    /// Sets the platform and the machine type for rows in later inputs that contain none. Rows from different places
    /// are never samples of one measurement.
    pub fn measured_on(&mut self, place: Provenance) {
        self.sink.measured_on(place);
    }

    /// Reads one input to its end. Messages show the input as `name`. If the content is ambiguous, `name` may decide
    /// the format.
    ///
    /// # Errors
    /// Fails if the input cannot be read or is too large. Malformed content is not an error, but is part of the
    /// [`ParseReport`].
    pub fn read(&mut self, name: &str, input: &mut dyn Read) -> io::Result<()> {
        self.read_input(name, None, input)
    }

    /// Reads one input as `format`. If the config describes a format with the same name, that one is used instead.
    ///
    /// # Errors
    /// Fails like [`Self::read`], and if `format` is a placeholder for a format that the config does not describe.
    pub fn read_as(&mut self, format: &Format, name: &str, input: &mut dyn Read) -> io::Result<()> {
        let mut of_config = self.described.iter().copied();
        let described = of_config.find(|described| described.name == format.name);
        self.read_input(name, Some(described.unwrap_or(format)), input)
    }

    /// Reads an input as `format`, or as the detected format if `format` is `None`.
    fn read_input(
        &mut self,
        name: &str,
        format: Option<&Format>,
        input: &mut dyn Read,
    ) -> io::Result<()> {
        let mut text = read_text(input)?;
        let removed = if csv_table::begins(Input::new(&text).head()) {
            Vec::new()
        } else {
            prefixes::remove(&mut text)
        };
        match format {
            Some(format) => self.read_named(name, format, &text)?,
            None => self.read_recognized(name, &text),
        }
        self.sink.change_input(|input| input.removed = removed);
        self.explain_no_rows(&text);
        Ok(())
    }

    fn read_named(&mut self, name: &str, format: &Format, text: &str) -> io::Result<()> {
        const NONE: &str = "no such format in `[[formats]]` of the config";
        if matches!(format.kind, Kind::Unknown) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, NONE));
        }
        let input = Input::new(text);
        let summary = InputSummary {
            named: true,
            ..InputSummary::new(name, format.name, input.head())
        };
        self.sink.begin(summary, format.samples);
        if format.is_document() {
            format.read_document(&input, &mut self.sink);
        } else {
            log::read_with(&[format], &[], &input, &mut self.sink);
        }
        Ok(())
    }

    fn read_recognized(&mut self, name: &str, text: &str) {
        let mut input = Input::new(text);
        let mut likeness = self.likeness(input.head());
        for (format, likeness) in &mut likeness {
            let is_named =
                !format.file.is_empty() && name.rsplit(['/', '\\']).next() == Some(format.file);
            if is_named && matches!(likeness, Likeness::Near(_)) {
                *likeness = Likeness::Yes;
            }
        }
        let mut found = recognised(&likeness);
        let first = found[0];
        let nearest = likeness
            .iter()
            .find_map(|(format, likeness)| match likeness {
                Likeness::Near(but) => Some((format.name, *but)),
                _ => None,
            });
        let summary = InputSummary {
            nearest,
            ..InputSummary::new(name, first.name, input.head())
        };
        self.sink.begin(summary, first.samples);
        let mut others: Vec<&Format> = self.described.iter().copied().chain(&*FORMATS).collect();
        let rest = self.read_by(&found, &others, &input);
        self.report_unread(&found, input.head());
        let Some(rest) = rest else { return };
        // Search for a document after text without rows only once, so that the time stays linear.
        others.retain(|format| !format.is_document());
        input = Input::new(rest);
        found = recognised(&self.likeness(input.head()));
        self.sink.go_on(found[0].name, found[0].samples);
        self.read_by(&found, &others, &input);
        self.report_unread(&found, input.head());
    }

    /// Rates how well each possible format matches the head of an input.
    fn likeness(&self, head: &str) -> Vec<(&'static Format, Likeness)> {
        // Text that begins with a table header is a table. Trying no other formats saves time for thousands of small
        // inputs.
        if self.histories.is_empty() && self.described.is_empty() && csv_table::begins(head) {
            return vec![(&csv_table::FORMAT, Likeness::Yes)];
        }
        let all = self
            .described
            .iter()
            .copied()
            .chain(self.histories)
            .chain(FORMATS.iter());
        likeness_of_each(head, all).collect()
    }

    /// If no row was read, looks for a reason: the text may be a tool's terminal output, or resemble a known format.
    fn explain_no_rows(&mut self, text: &str) {
        if self.sink.rows() == 0 {
            let head = Input::new(text).head();
            self.sink.change_input(|input| {
                let hint = terminal::recognise(text, text.len()).next();
                input.terminal = hint.map(|(hint, _)| (&*hint.what, &*hint.advice));
                input.nearest = input.nearest.or_else(|| propose::nearest(head));
            });
        }
    }

    /// Reports the other formats that a document contains, because only the first of `found` reads it.
    fn report_unread(&mut self, found: &[&Format], head: &str) {
        let (Some(first), true) = (found.first(), found.len() > 1) else {
            return;
        };
        // Every tool's XML report is also generic XML, and the log format recognises any text.
        let others = found
            .iter()
            .skip(1)
            .filter(|other| ![TEST_REPORT.name, log::FORMAT.name].contains(&other.name));
        // Names in a baseline can look like any tool's output, so only the text before a CSV table is checked.
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
                self.sink.skip(1, "", why);
            }
        }
    }

    /// Reads the input as the first of `formats` if that is a document format. Otherwise reads its lines with all of
    /// `formats`, and with any of `others` whose output begins later. Returns the rest of the text if it must be read
    /// as another format.
    fn read_by<'t>(
        &mut self,
        formats: &[&'static Format],
        others: &[&'static Format],
        input: &Input<'t>,
    ) -> Option<&'t str> {
        let tools = match formats.first() {
            Some(first) if first.name == log::FORMAT.name => &[],
            Some(first) if first.is_document() => {
                first.read_document(input, &mut self.sink);
                return None;
            }
            _ => formats,
        };
        let rest = log::read_with(tools, others, input, &mut self.sink);
        if self.sink.rows() > 0 {
            self.report_hints(input.text);
        }
        rest
    }

    /// In text that contains rows, reports the outputs of known tools that no format reads.
    fn report_hints(&mut self, text: &str) {
        let read = self.sink.formats_of_lines();
        let is_read = |format: &String| format == "*" || read.contains_key(&**format);
        let described = self
            .described
            .iter()
            .filter_map(|format| read.get(format.name));
        // A config's format may have read the output that a hint describes. Its rows may be up to `MOST_LINES_BELOW`
        // lines above the hint's marks, or anywhere below them.
        let end_of_described = described.max().map_or(0, |last| last + MOST_LINES_BELOW);
        for (hint, at) in terminal::recognise(text, HINT) {
            let line = line_ends(&text[..at]) + 1;
            if line > end_of_described && !hint.also_in.iter().any(is_read) {
                let why = || format!("{} is not read: {}", hint.what, hint.advice);
                self.sink.skip(line, "", why);
            }
        }
    }

    /// Returns the report, in which duplicates are merged and conflicts are reported.
    pub fn finish(self) -> ParseReport {
        self.sink.finish()
    }
}

/// Creates the formats that a config describes. They are leaked, which is harmless because a program reads few configs.
fn described(config: &Config) -> Vec<&'static Format> {
    config
        .formats()
        .map(|entry| &*Box::leak(Box::new(spec::format(entry.clone()))))
        .collect()
}

/// Returns the formats that recognise the text. There is always at least one, because the log format recognises any
/// text.
fn recognised(likeness: &[(&'static Format, Likeness)]) -> Vec<&'static Format> {
    let recognised = likeness
        .iter()
        .filter(|(_, likeness)| *likeness == Likeness::Yes);
    recognised.map(|(format, _)| *format).collect()
}
