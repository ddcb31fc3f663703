//! Compares two suites: gathers each metric's evidence, applies the rules, tests itself, applies waivers.

mod clocks;
pub mod compare;
pub mod conclude;
mod findings;
pub mod gather;
pub mod judge;
pub mod self_test;
