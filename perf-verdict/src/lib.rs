//! Comparing rows: rules, and the verdicts that they reach with the numbers that made them.
//!
//! [`mod@judge`] holds the rules, one metric at a time; [`compare()`] applies them to two suites and finds what
//! vanished and what is new. Nothing is formatted here: a verdict carries the facts, and words are made of them
//! elsewhere.

pub mod compare;
pub mod judge;
pub mod stats;

pub use self::compare::{Comparison, Policy, ScenarioComparison, ScopeComparison, Tally, compare};
pub use self::judge::{Because, Judgement, Rule, Verdict, judge};
