//! Rows, from readers to the report.

mod cells;
mod collect;
pub(crate) mod header;
mod keys;
pub(crate) mod launches;
pub(crate) mod metric_names;
mod metrics;
pub(crate) mod parse_report;
pub(crate) mod repeats;
pub(crate) mod sections;
mod settle;
pub(crate) mod values;

pub(crate) use self::cells::Cells;
pub use self::cells::Provenance;
pub(crate) use self::collect::Rows;
pub(crate) use self::launches::Process;
pub(crate) use self::metrics::Metrics;
