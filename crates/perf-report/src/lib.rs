//! Everything a reader of the results sees, as pure functions from values to text.
//!
//! Nothing here reads a file, decides a verdict or writes anything: a caller hands in values and gets back a
//! string, or says where to put one and gets back the whole document. The words used throughout:
//!
//! - a *cell* is finished Markdown that stands between two pipes of a table, its text already escaped;
//! - a *region* is the part of a document between two marker comments, which belongs to the generator, while
//!   everything around it belongs to the people who write the document;
//! - the *body* of a region is its text without the markers and the blank lines that set it off;
//! - a body is *settled* when a new one says nothing that the old one did not say already.

pub mod cell;
pub mod deltas;
pub mod explain;
pub mod fit;
pub mod json;
mod matrix;
pub mod number;
pub mod page;
mod plot;
mod series;
pub mod settled;
pub mod shell;
mod spark;
pub mod template;
pub mod words;
