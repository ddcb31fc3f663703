//! Compares two suites: gathers the evidence for each metric, applies the rules, tests itself, and applies waivers.

mod adjust;
pub mod compare;
pub mod conclude;
pub mod gather;
pub mod judge;
pub mod self_test;
