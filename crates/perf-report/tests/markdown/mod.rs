//! Markdown: escaping, tables, marked sections, truncation.

mod cut;
mod escape;
mod region;
mod table;
