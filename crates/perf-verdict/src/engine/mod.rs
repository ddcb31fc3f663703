//! Compares two suites: gathers the evidence for each metric, asks the rules, tests itself, applies waivers.

mod clocks;
pub mod compare;
pub mod conclude;
mod findings;
pub mod gather;
pub mod judge;
pub mod self_test;
pub mod waive;
