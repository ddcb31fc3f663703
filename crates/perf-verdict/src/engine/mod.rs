//! Compares two suites: gathers the evidence for each metric, asks the rules, tests itself, applies waivers.

mod blind;
pub(crate) mod case;
pub mod compare;
mod conclude;
pub mod judge;
pub mod screen;
pub mod self_test;
pub mod waive;
