//! Compares two suites: gathers the evidence for each metric, asks the rules, tests itself, applies waivers.

mod clocks;
pub mod compare;
mod conclude;
mod findings;
mod gather;
pub mod judge;
pub mod replay;
pub mod self_test;
pub mod waive;
