//! Compares rows: rules, their verdicts and the numbers that lead to them.
//!
//! | module | holds |
//! |---|---|
//! | [`statistics`] | quantiles, rank tests, change points, intervals: functions on slices that know no benchmarks |
//! | [`cost_scale`] | the logarithmic cost scale that all rules use |
//! | [`verdict`], [`thresholds`], [`sides`] | the terms: verdicts, limits, inputs |
//! | [`evidence`] | everything that is known about a metric before the rules judge it |
//! | [`signals`] | a metric's normal range, tests and shifts; the requirements of a suite |
//! | [`rules`] | the ordered list of rules, one file each |
//! | [`engine`] | compares two suites: gathers evidence, applies the rules, tests itself |
//!
//! Most lines import only from those above.
//!
//! Nothing is formatted here: `perf-report` turns the facts of a verdict into text.

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
