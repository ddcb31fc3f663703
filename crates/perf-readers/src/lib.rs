//! Readers: from the text that a benchmark tool printed to rows, with a report of everything that was not a row.
//!
//! An input is read whole, up to 256 MB. Its escape sequences and the prefixes of a runner are removed once (`input`).
//! The text's beginning decides which *format* reads it, never the file name; each format has a module in
//! `formats` and an entry in [`FORMATS`]. One format reads a *document* (JSON, XML, CSV). A log's lines are
//! read by all formats that its text announces, and searched for rows that a project prints itself (`log`, `text_rows`).
//! Readers pass rows to a collector (`rows`), which enforces limits and, once all rows are read, numbers samples and
//! finds duplicates and conflicts.
//!
//! A *malformed row* has the shape of a row but cannot be one (an invalid number, a line that was cut off): it is
//! skipped and reported.
//!
//! Modules import only from the layers above them in this list, never in a circle.

// Layer 1: text, lines, fields, numbers with units.
mod input;
mod units;
// Layer 2: rows, and limits for all formats.
mod rows;
// Layer 3: the reader's interface, and helpers for text, tables, JSON and XML.
mod csv_table;
mod format;
mod json;
mod text_rows;
mod xml;
// Layer 4: one module per tool, and the registry.
mod formats;
mod log;
// Layer 5: from inputs to a report.
pub mod baseline;
mod collector;
mod diagnostics;
pub mod folder;
mod no_rows;
pub mod propose;
mod terminal;

pub use self::collector::Collector;
pub use self::format::{Format, Samples};
pub use self::formats::{FORMATS, format, format_of_config, suggest_format};
pub use self::input::prefixes::{Prefix, Removed};
pub use self::no_rows::NoRows;
pub use self::rows::Provenance;
pub use self::rows::parse_report::{Beginning, InputSummary, Origin, ParseReport};
