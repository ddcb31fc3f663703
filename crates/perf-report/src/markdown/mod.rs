//! Markdown for any document: escaping, tables, marked sections, cutting to a length.
//!
//! A *cell* is finished Markdown between two pipes of a table, its text already escaped. A *region* is a marked section: the
//! part of a document between two marker comments, which is generated.

pub mod cut;
pub mod escape;
pub mod region;
pub mod table;
