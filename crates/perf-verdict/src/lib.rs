//! Comparing rows: rules, and the verdicts that they reach with the numbers that made them.
//!
//! [`rules`] holds the rules, pure functions of numbers; [`compare()`] gathers the [`evidence`] for each metric of
//! two suites, looks at all of it at once ([`screen`]) and then at each ([`mod@judge`]), and finds what vanished and
//! what is new; [`self_test`] shows that a regression would have been caught. Nothing is formatted here: a verdict
//! carries the facts, and words are made of them elsewhere.

pub mod compare;
mod conclude;
mod effective_gate;
pub mod evidence;
pub mod gather;
pub mod halves;
pub mod judge;
pub mod oriented;
pub mod rules;
pub mod screen;
pub mod self_test;
pub mod tally;
pub mod verdict;
pub mod waive;

pub use self::compare::{Comparison, Policy, ScenarioComparison, ScopeComparison, Sides, compare};
pub use self::judge::judge;
pub use self::tally::Tally;
pub use self::verdict::{Judgement, Reason, Rule, Verdict};
