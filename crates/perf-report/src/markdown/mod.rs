//! Markdown for any document: escaping, tables, marked sections, truncation.
//!
//! A *cell* is the finished Markdown between two pipes of a table, with escaped text. A *region* is a marked section: the
//! generated part of a document between two marker comments.

pub mod cut;
pub mod escape;
pub mod region;
pub mod table;
