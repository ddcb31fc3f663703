//! Markdown: escaping, tables, marked sections, cutting to a length.

mod cut;
mod escape;
mod region;
mod table;
