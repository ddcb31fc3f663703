//! What a benchmark printed, as rows: the model, the catalogue and the readers.
//!
//! Nothing here touches a file, the environment or the network: readers take bytes, the catalogue takes text.

pub mod aggregate;
pub mod baseline;
pub mod catalogue;
pub mod date;
pub mod decimal;
pub mod machine;
pub mod methodology;
pub mod metric;
pub mod packages;
pub mod read;
pub mod row;
pub mod suite;
