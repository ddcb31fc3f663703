//! Compares two suites: gathers each metric's evidence, applies the rules, tests itself, applies waivers.

mod adjust;
pub mod compare;
pub mod conclude;
pub mod gather;
pub mod judge;
pub mod self_test;
