//! Helpers that the readers of several tools share.

pub(crate) mod bars;
pub(crate) mod blocks;
pub(crate) mod cargo;
pub(crate) mod command;
pub(crate) mod csv_records;
pub(crate) mod headers;
pub(crate) mod names;
pub(crate) mod prelude;
pub(crate) mod tables;
pub(crate) mod text_table;
pub(crate) mod valgrind;
