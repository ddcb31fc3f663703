//! Readers: from the bytes that a benchmark printed to rows, with an account of everything that was not a row.
//!
//! A *format* is one way in which rows are printed; each has a module of its own and a line in [`FORMATS`].
//! Which one reads an input is decided by looking at its *head*, never at its name. A *near-row* has the shape
//! of a row but cannot be one (a number that is none, a line that was cut off): it is skipped, and named.

mod csv_rows;
mod delimited;
mod fields;
mod header;
mod lines;
mod log;
mod log_header;
mod log_row;
mod prefix;
mod readout;
mod records;
mod settle;
mod sink;
mod source;
mod structured;
mod text_rows;
mod xml;

use std::io::{self, Read};

pub use self::readout::{Conflict, InputSummary, NoRows, Origin, Readout, Skipped};
use self::sink::Sink;
use self::source::Source;
use crate::catalogue::Catalogue;

/// One way in which rows are printed.
pub struct Format {
    /// Its name, as reports have it.
    pub name: &'static str,
    /// What it carries, in a line for people.
    pub about: &'static str,
    /// Whether an input that begins so is one.
    looks_like: fn(&[u8]) -> bool,
    /// Reads all rows of an input.
    read: fn(&mut Source<'_>, &mut Sink<'_>) -> io::Result<()>,
}

/// Every format, the most particular first: the first that recognises an input reads it. The last one takes
/// anything.
pub const FORMATS: [Format; 3] = [xml::FORMAT, csv_rows::FORMAT, log::FORMAT];

/// Whether a column of this name says what a row is of, so that no metric can have the name: `Run Index`,
/// `run_index` and `runIndex` are one.
pub(crate) fn is_key_column(name: &str) -> bool {
    header::Key::of(name).is_some()
}

/// Reads inputs one after the other into one [`Readout`].
pub struct Collector<'c> {
    sink: Sink<'c>,
}

impl<'c> Collector<'c> {
    /// A collector that knows metrics, layouts and columns from `catalogue`.
    pub fn new(catalogue: &'c Catalogue) -> Self {
        Self { sink: Sink::new(catalogue) }
    }

    /// Reads one input to its end. `name` is what messages call it.
    ///
    /// # Errors
    /// Only what reading the input reports; what is wrong in it is accounted for in the [`Readout`].
    pub fn read(&mut self, name: &str, input: &mut dyn Read) -> io::Result<()> {
        let mut source = Source::open(input)?;
        let format = FORMATS.iter().find(|format| (format.looks_like)(source.head()));
        let format = format.unwrap_or(&log::FORMAT);
        self.sink.begin(name, format.name, source.head());
        (format.read)(&mut source, &mut self.sink)
    }

    /// What was read: exact duplicates collapsed, contradictions found.
    pub fn finish(self) -> Readout {
        self.sink.finish()
    }
}
