//! Measures how often the rules of a gate are wrong, and which slowdowns they detect.
//!
//! A *history* is a sequence of [`runs`], the oldest first. It is [replayed](replay) as if each run had been a pull
//! request: the gate's own rules compare it with earlier runs, and later runs confirm it. If nothing changed, a flagged
//! row is a false alarm. If the row's cost was multiplied beforehand, the slowdown is *found*. Interleaved pairs are
//! drawn from A/A runs, simulated, or measured on this machine. Every [rate] has an interval and a number of trials.

mod case;
mod cli;
mod conclude;
mod draw;
mod gates;
mod json;
mod levels;
pub mod load;
mod machine;
pub mod plan;
pub mod power;
mod prepared;
mod progress;
mod proportion;
pub mod random;
pub mod rate;
mod recommend;
pub mod replay;
pub mod runs;
mod series;
mod simulate;
mod table;

pub use crate::cli::{Cli, run, workload};
