//! The cells of tables: columns, rows, signs and charts.

pub mod chart;
pub mod clause;
pub mod column;
pub mod count;
mod fit;
pub mod row;
pub mod state;
