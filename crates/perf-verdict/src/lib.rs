//! Comparing rows: rules, and the verdicts that they reach with the numbers behind them.
//!
//! | module | holds |
//! |---|---|
//! | [`model`] | verdicts, comparisons and their tally |
//! | [`evidence`] | what is known about one metric before a rule looks at it |
//! | [`rules`] | the list of rules, and one file for each: its finding, decision, power and serialised form |
//! | [`engine`] | compares two suites: gathers evidence, asks the rules in order, tests itself |
//! | [`oriented`] | the logarithmic cost scale that all rules use |
//!
//! Nothing is formatted here: a verdict carries facts, and `perf-report` says them.

pub mod engine;
pub mod evidence;
pub mod model;
pub mod oriented;
pub mod rules;

pub use self::engine::compare::compare;
pub use self::model::blind::{Blind, Missed};
pub use self::model::comparison::{
    Comparison, Fails, MetricComparison, Policy, ScenarioComparison, ScopeComparison, WaiverUse,
};
pub use self::model::sides::Sides;
pub use self::model::tally::Tally;
pub use self::model::{Confirmation, Judgement, Limits, Power, Rule, Screening, Verdict};
pub use self::rules::Reason;
