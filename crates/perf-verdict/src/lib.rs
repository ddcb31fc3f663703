//! Compares two benchmark suites: gathers the evidence for each metric, and applies rules that reach a verdict.
//!
//! | module | contents |
//! |---|---|
//! | [`statistics`] | quantiles, rank tests, change points, intervals: functions on slices, independent of benchmarks |
//! | [`cost_scale`] | the logarithmic cost scale that all rules use |
//! | [`verdict`], [`thresholds`], [`sides`] | the basic types: verdicts, limits, inputs |
//! | [`evidence`] | everything that is known about a metric before the rules judge it |
//! | [`signals`] | a metric's normal range, tests and shifts; statistics of the whole suite |
//! | [`rules`] | the ordered list of rules, one file each |
//! | [`engine`] | compares two suites: gathers evidence, applies the rules, tests itself |
//!
//! Most modules import only from modules above them in this table.
//!
//! Nothing is formatted here: `perf-report` turns verdicts and their numbers into text.

mod comparison;
pub mod cost_scale;
pub mod engine;
pub mod evidence;
pub mod rules;
pub mod sides;
pub mod signals;
pub mod statistics;
pub mod thresholds;
pub mod verdict;

pub use self::comparison::{
    Comparison, MetricComparison, ScenarioComparison, ScopeComparison, SelfComparison, SideFinding,
    Tally, WaiverUse,
};
pub use self::engine::compare::compare;
pub use self::evidence::gate::{Bound, Budget, NotGated};
pub use self::evidence::instrument::Instrument;
pub use self::evidence::obstacle::Obstacle;
pub use self::rules::{Blind, CannotFail, Judgement, Reason};
pub use self::sides::Sides;
pub use self::signals::shift::Shift;
pub use self::thresholds::{FailingVerdicts, Thresholds};
pub use self::verdict::{Confirmation, Limits, Power, Rule, Verdict};
