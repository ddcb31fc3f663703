//! The result of a comparison: verdicts by scope, scenario and metric.

pub mod comparison;
pub mod paired;
pub mod tally;
