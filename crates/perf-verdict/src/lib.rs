//! Comparing rows: rules, and the verdicts that they reach with the numbers behind them.
//!
//! | module | holds |
//! |---|---|
//! | [`statistics`] | quantiles, rank tests, change points, intervals: functions on slices that know no benchmarks |
//! | [`cost_scale`] | the logarithmic cost scale that all rules use |
//! | [`verdict`], [`finding`], [`thresholds`], [`sides`] | the terms: verdicts, limits, what is compared |
//! | [`evidence`] | what is known about one metric before a rule looks at it |
//! | [`signals`] | normal ranges, tests and shifts in the numbers of one metric; what the metrics of a suite have in common |
//! | [`rules`] | the list of rules, and one file for each: its finding, decision, power and serialised form |
//! | [`model`] | comparisons with their judgements, and their tally |
//! | [`engine`] | compares two suites: gathers evidence, asks the rules in order, tests itself |
//!
//! Each line imports only from those above it.
//!
//! Nothing is formatted here: a verdict carries facts, and `perf-report` says them.

mod case;
pub mod cost_scale;
pub mod engine;
pub mod evidence;
pub mod model;
pub mod rules;
pub mod sides;
pub mod signals;
pub mod statistics;
pub mod thresholds;
pub mod verdict;

pub use self::engine::compare::compare;
pub use self::evidence::gate::NotGated;
pub use self::evidence::instrument::Instrument;
pub use self::model::comparison::{
    Comparison, Details, MetricComparison, ScenarioComparison, ScopeComparison, SideFinding, Tally,
    WaiverUse,
};
pub use self::model::judgement::Judgement;
pub use self::model::judgement::{Blind, CannotFail};
pub use self::model::paired::SelfComparison;
pub use self::rules::Reason;
pub use self::sides::Sides;
pub use self::thresholds::{FailingVerdicts, Thresholds};
pub use self::verdict::{Confirmation, Limits, Power, Rule, Screening, Verdict};
