//! Measures how often the rules of a gate are wrong, and how large a slowdown they find.
//!
//! A *history* is a sequence of [`runs`], the oldest first. It is [replayed](replay) as if each run had been a pull
//! request: judged by the rules themselves against what came before, and confirmed by the run that came after. What
//! is flagged then is a false alarm, as far as nothing changed; and what is flagged once the cost of one row was
//! multiplied is *found*. Interleaved pairs are drawn from A/A runs, simulated, or taken
//! on the machine at hand. Every [rate] has its interval and the number of trials that it comes from.

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
