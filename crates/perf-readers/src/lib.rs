//! Readers: from the bytes that a benchmark printed to rows, with an account of everything that was not a row.
//!
//! A *format* is one way in which rows are printed; each has a module of its own and a line in [`FORMATS`].
//! Which one reads an input is decided by looking at its *head*, never at its name. A *document* is read by one
//! format; the lines of a log are read by all formats made of lines that its head announces, side by side. A
//! *near-row* has the shape of a row but cannot be one (a number that is none, a line that was cut off): it is
//! skipped, and named.

mod again;
pub mod baseline;
mod cells;
mod csv_rows;
mod delimited;
mod diagnostics;
mod fields;
pub mod folder;
mod header;
mod json;
mod keys;
mod lines;
mod log;
mod log_header;
mod log_row;
mod measured;
mod metric_names;
mod parse_report;
mod prefix;
mod records;
mod row_collector;
mod settle;
mod source;
mod stamps;
mod structured;
mod text_rows;
mod tools;
mod waiting;
mod xml;

use std::io::{self, Read};

pub use self::parse_report::{Conflict, InputSummary, NoRows, Origin, ParseReport, Skipped};
use self::row_collector::RowCollector;
use self::source::Source;
use perf_config::Config;

/// One way in which rows are printed.
#[derive(Debug)]
pub struct Format {
    /// Its name, as reports and `--format` have it.
    pub name: &'static str,
    /// What it carries, in a line for people.
    pub about: &'static str,
    /// Whether an input that begins so is one, or has it in it.
    looks_like: fn(&[u8]) -> Likeness,
    /// How it is read.
    kind: Kind,
}

/// How far an input is like what a format reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Likeness {
    /// Not at all.
    No,
    /// So much that it should be said when nothing else reads it; the text completes "it …, but …".
    Near(&'static str),
    /// It is one.
    Yes,
}

impl From<bool> for Likeness {
    fn from(is: bool) -> Self {
        if is { Self::Yes } else { Self::No }
    }
}

/// What reads a format.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// The whole input is one document.
    Document(fn(&mut Source<'_>, &mut RowCollector<'_>) -> io::Result<()>),
    /// Lines among others, with texts of which one is in them whatever the tool measured: they are looked for in
    /// what is too long for all of it to be looked at closer. They have at least four bytes, and rare ones first.
    Lines(fn() -> Box<dyn LineReader>, &'static [&'static str]),
}

/// Reads the lines of one tool, whatever stands between them.
trait LineReader {
    /// Looks at a line without its end and without the escape sequences of a terminal. Whether it was the
    /// tool's, so that no other format needs to look at it.
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool;

    /// As [`Self::line`], for the last line of an input, when that has no end: what may be cut off there is told, and
    /// not read.
    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        self.line(number, line, sink)
    }

    /// The input has ended; what waited for more is given or told now.
    fn end(&mut self, sink: &mut RowCollector<'_>);
}

/// Every format, the most particular first: the first document that recognises an input reads it. The last one
/// takes anything.
pub const FORMATS: &[Format] = &[
    tools::junit::FORMAT,
    tools::unity::FORMAT,
    tools::catch2::XML,
    xml::FORMAT,
    csv_rows::FORMAT,
    tools::rustls::FORMAT,
    tools::criterion::FORMAT,
    tools::hyperfine::FORMAT,
    tools::google_benchmark::FORMAT,
    tools::pytest_benchmark::FORMAT,
    tools::jmh::FORMAT,
    tools::benchmarkdotnet::FORMAT,
    tools::vitest::FORMAT,
    tools::tinybench::FORMAT,
    tools::julia::FORMAT,
    tools::k6::FORMAT,
    tools::oha::FORMAT,
    tools::autocannon::FORMAT,
    tools::bmf::FORMAT,
    tools::custom::FORMAT,
    tools::custom::SMALLER,
    tools::custom::BIGGER,
    tools::benchmarkjs::FORMAT,
    tools::cargo_criterion::FORMAT,
    tools::criterion_text::FORMAT,
    tools::libtest::FORMAT,
    tools::divan::FORMAT,
    tools::gungraun::FORMAT,
    tools::iai::FORMAT,
    tools::go::FORMAT,
    tools::unity::LOG,
    tools::catch2::FORMAT,
    tools::wrk::WRK,
    tools::wrk::WRK2,
    tools::hdrhistogram::FORMAT,
    tools::hdrhistogram::LOG,
    log::FORMAT,
];

/// The format of this name.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// Which format may have been meant by a name that none has.
pub fn suggest_format(name: &str) -> String {
    perf_model::suggest::suggest(name, FORMATS.iter().map(|format| format.name)).unwrap_or_default()
}

/// Date columns of a history besides `measuredAt`, in small letters without separators.
const HISTORY_DATES: [&str; 3] = ["snapshotdate", "date", "timestamp"];

/// Reads inputs one after the other into one [`ParseReport`].
pub struct Collector<'c> {
    sink: RowCollector<'c>,
}

impl<'c> Collector<'c> {
    /// A collector that knows metrics, layouts and columns from `config`.
    pub fn new(config: &'c Config) -> Self {
        Self { sink: RowCollector::new(config, &[]) }
    }

    /// As [`Self::new`], for files of many commits: their dates may be in the column `snapshotDate`, `date` or
    /// `timestamp`, too.
    pub fn of_history(config: &'c Config) -> Self {
        Self { sink: RowCollector::new(config, &HISTORY_DATES) }
    }

    /// Reads one input to its end. `name` is what messages call it.
    ///
    /// # Errors
    /// Only what reading the input reports; what is wrong in it is accounted for in the [`ParseReport`].
    pub fn read(&mut self, name: &str, input: &mut dyn Read) -> io::Result<()> {
        let mut source = Source::open(input)?;
        let likeness: Vec<(&Format, Likeness)> =
            FORMATS.iter().map(|format| (format, (format.looks_like)(source.head()))).collect();
        let recognised = likeness.iter().filter(|(_, likeness)| *likeness == Likeness::Yes);
        let found: Vec<&Format> = recognised.map(|(format, _)| *format).collect();
        let first = found.first().map_or(log::FORMAT.name, |format| format.name);
        let nearest = likeness.iter().find_map(|(format, likeness)| match likeness {
            Likeness::Near(but) => Some((format.name, *but)),
            _ => None,
        });
        self.sink.begin(InputSummary { nearest, ..InputSummary::new(name, first, source.head()) });
        let lines = FORMATS.iter().filter(|format| matches!(format.kind, Kind::Lines(..)));
        self.read_by(&found, lines.collect(), &mut source)?;
        self.tell_unread(&found, source.head());
        Ok(())
    }

    /// Reads one input that is said to be of this format.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_as(&mut self, format: &Format, name: &str, input: &mut dyn Read) -> io::Result<()> {
        let mut source = Source::open(input)?;
        self.sink.begin(InputSummary { named: true, ..InputSummary::new(name, format.name, source.head()) });
        self.read_by(&[format], Vec::new(), &mut source)
    }

    /// A document is read by one format. When there is something else in the same input, that is told.
    fn tell_unread(&mut self, found: &[&Format], head: &[u8]) {
        let (Some(first), true) = (found.first(), found.len() > 1) else { return };
        // Reports that a tool writes in XML are XML, too.
        let others =
            found.iter().skip(1).filter(|other| ![xml::FORMAT.name, log::FORMAT.name].contains(&other.name));
        // Names in a baseline may look like anything.
        let is_csv = first.name == csv_rows::FORMAT.name;
        let before = &head[..csv_rows::start(head).unwrap_or_default()];
        let is_apart = |other: &&&Format| !is_csv || (other.looks_like)(before) == Likeness::Yes;
        if matches!(first.kind, Kind::Document(_)) {
            for other in others.filter(is_apart) {
                let why = || {
                    format!(
                        "it looks like {}, too, but only {} was read: give each an input of its own",
                        other.name, first.name
                    )
                };
                self.sink.skip(1, b"", why);
            }
        }
    }

    /// Reads by the first of these formats when that is a document, else by all that are lines; `others` may show
    /// up later.
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

    /// What was read: exact duplicates collapsed, contradictions found.
    pub fn finish(self) -> ParseReport {
        self.sink.finish()
    }
}
