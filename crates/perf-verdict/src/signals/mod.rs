//! Signals in numbers alone: normal ranges, tests and shifts, without a word of gates.

pub mod band;
pub mod launches;
mod looks;
pub mod mixture;
pub mod pairs;
pub mod returns;
pub mod shift;
