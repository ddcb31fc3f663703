//! Obstacles to a comparison: a value is missing, or the two sides were measured under different conditions.

use perf_model::contradiction::Contradiction;
use perf_model::machine::target;
use perf_model::methodology::{are_benchmarked_otherwise, are_built_otherwise};
use perf_model::metric::{GateRule, Metric};
use perf_model::row::{Name, Row};
use perf_model::suite::{Measurement, Unlike};

use crate::verdict::{Rule, Verdict};

/// Why two values cannot be compared.
#[derive(Clone, Debug, PartialEq)]
pub enum Obstacle {
    /// The baseline is zero, so the change cannot be expressed as a fraction of it.
    ZeroBaseline,
    /// The current value is zero, although the metric cannot be zero.
    FellToZero,
    /// The value improved by this factor, which is implausible.
    Implausible(f64),
    /// One of the values is negative.
    Negative,
    /// The value is not positive in this many process runs (first number), out of all process runs (second number).
    FewPositive((usize, usize)),
    /// The two sides were measured on different machine types.
    OtherMachine,
    /// The two sides have different methodologies: the baseline's and the current side's.
    OtherMethodology(Name, Name),
    /// The base ran this file, which is from the head's build.
    SharedOutput(Name),
    /// Statistics of one side contradict each other.
    Contradiction(Contradiction),
    /// A finding about the benchmark makes its values doubtful.
    Doubtful(String),
    /// The two sides were built by different toolchains, and the metric depends on the compiler.
    OtherToolchain,
    /// This scenario, which the metric is relative to, was not measured on both sides.
    NoReference(Name),
    /// Nothing remains after subtracting this scenario's value.
    NothingLeft(Name),
    /// The baseline does not contain the metric.
    NoBaseline,
    /// The baseline contains the count for other benchmarks, but not for this one. The count may have been zero.
    MayHaveBeenZero,
    /// The current run does not contain the metric.
    NoCurrent,
}

impl Obstacle {
    /// Returns the verdict on values with this obstacle.
    pub fn verdict(&self) -> Verdict {
        match self {
            // As with insufficient data, another measurement can decide.
            Self::SharedOutput(_)
            | Self::Contradiction(_)
            | Self::Doubtful(_)
            | Self::MayHaveBeenZero => Verdict::Inconclusive,
            _ => Verdict::NotComparable,
        }
    }

    /// True if the current value shows that the benchmark no longer does its work.
    pub fn is_broken(&self) -> bool {
        matches!(self, Self::FellToZero | Self::Implausible(_))
    }
}

/// Finds the first contradiction between a metric and other statistics of the same values.
pub(crate) fn contradiction(metric: &str, sides: [&Measurement<'_>; 2]) -> Option<Obstacle> {
    // Consecutive samples usually share their list of names, so check each list once.
    let mut known = (0, false);
    let mut may_contradict = |row: &&&Row| {
        let names = row.metrics.names_at();
        if known.0 != names {
            known = (names, Contradiction::is_possible(&row.metrics));
        }
        known.1
    };
    let mut rows = sides
        .into_iter()
        .flat_map(|side| side.rows.iter())
        .filter(|row| may_contradict(row));
    rows.find_map(|row| Contradiction::around(metric, row))
        .map(Obstacle::Contradiction)
}

/// Returns the difference in conditions that prevents comparing two measurements.
pub(crate) fn between(
    metric: &Metric,
    rule: Rule,
    baseline: &Measurement<'_>,
    current: &Measurement<'_>,
) -> Option<Obstacle> {
    if is_compiled(metric, rule) && has_other_toolchain(baseline, current) {
        return Some(Obstacle::OtherToolchain);
    }
    let other_methodology = || {
        let [before, now] = [baseline, current].map(|side| side.methodology().unwrap_or_default());
        Obstacle::OtherMethodology(before.into(), now.into())
    };
    // A benchmark whose code changed executes different instructions.
    if is_compiled(metric, rule) && differ(baseline, current, are_benchmarked_otherwise) {
        return Some(other_methodology());
    }
    let same_target = has_same_target(baseline, current);
    let is_count = matches!(rule, Rule::Count(_)) && same_target == Some(true);
    if is_count || metric.meaning.exact || matches!(rule, Rule::Exact | Rule::Equal) {
        return None;
    }
    match baseline.unlike(current)? {
        // Metrics such as allocations do not depend on the processor model.
        Unlike::Machine if metric.is_same_on_any_machine() && same_target != Some(false) => None,
        Unlike::Machine => Some(Obstacle::OtherMachine),
        Unlike::Method => Some(other_methodology()),
    }
}

/// True if different toolchains built the two sides.
pub(crate) fn has_other_toolchain(before: &Measurement<'_>, now: &Measurement<'_>) -> bool {
    differ(before, now, are_built_otherwise)
}

/// True if both sides state a methodology, and `so` returns true for the two.
fn differ(before: &Measurement<'_>, now: &Measurement<'_>, so: fn(&str, &str) -> bool) -> bool {
    before
        .methodology()
        .zip(now.methodology())
        .is_some_and(|(before, now)| so(before, now))
}

/// True if the metric depends on the compiler, as instruction counts do.
pub(crate) fn is_compiled(metric: &Metric, rule: Rule) -> bool {
    let by_nature = metric.default_gate == Some(GateRule::Count);
    by_nature || matches!(rule, Rule::Count(_))
}

/// Returns whether both sides ran on the same architecture and operating system, and so execute the same instructions.
/// Returns `None` unless both sides state them.
fn has_same_target(before: &Measurement<'_>, now: &Measurement<'_>) -> Option<bool> {
    let [before, now] = [before, now].map(|side| target(side.machine_class().unwrap_or_default()));
    (before.len() == 2 && now.len() == 2).then(|| before == now)
}
