//! Reads the output of benchmark tools: converts it to rows, and reports everything that is not a row.
//!
//! An input is read whole, up to 256 MB. Its escape sequences and runner prefixes are removed once (`input`). The start
//! of the text determines which *format* reads it; the file's name is only used if the content is ambiguous. Each
//! format has a module (most are in `formats`) or an entry in `specs.toml`, and is listed in [`FORMATS`]. A *document*
//! (JSON, XML, CSV) is read by one format. A log's lines are read by all formats that occur in the text, and are
//! searched for rows that a project prints itself (`log`, `text_rows`). Readers pass rows to a collector (`rows`),
//! which enforces limits and finally numbers samples and finds duplicates and conflicts.
//!
//! A *malformed row* looks like a row but is not a valid one, because a number is invalid or the line is truncated. It
//! is skipped and reported.
//!
//! A module imports from its own layer and from the layers above it in this list. There are two exceptions: `format`
//! refers to the formats that `formats::spec` describes, and `formats` and `log` import each other.

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
