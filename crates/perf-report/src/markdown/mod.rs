//! Markdown for any document: escaping, tables, marked sections, truncation.
//!
//! A *cell* is finished Markdown between two pipes of a table, its text already escaped. A *region* is a marked
//! section: the generated part of a document between two marker comments.

pub mod cut;
pub mod escape;
pub mod region;
pub mod table;
