//! The model of benchmark results: rows, metrics, and suites of measurements.
//!
//! Nothing here reads or writes files, uses the environment or the network, or knows an input format.

pub mod aggregate;
pub mod commit;
pub mod contradiction;
pub mod date;
pub mod decimal;
pub mod diagnostic;
pub mod finding;
pub mod key_column;
pub mod machine;
pub mod methodology;
pub mod metric;
pub mod packages;
pub mod parallel;
pub mod row;
pub mod suggest;
pub mod suite;
pub mod system;
