//! Reports and pages as pure functions from values to text.
//!
//! Nothing here reads or writes files, or decides verdicts. A *cell* is the finished Markdown between two pipes of a table,
//! with escaped text. The *body* of a marked section is its text without the markers and the blank lines around them. A body
//! is *up to date* if a new body would only differ by noise.

pub mod cell;
pub mod explain;
pub mod json;
pub mod markdown;
mod matrix;
pub mod names;
pub mod number;
pub mod page;
mod plain;
pub mod reasons;
pub mod report;
mod series;
pub mod shell;
mod subject;
pub mod svg;
mod template;
pub mod units;
pub mod up_to_date;

pub use subject::percent;
pub use template::TemplateError;
