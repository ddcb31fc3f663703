//! Verdicts in sentences: plain text without a full stop, whichever rule decided.

use perf_config::{Config, Plus};
use perf_verdict::{Comparison, Instrument, MetricComparison};

use crate::number::{significant, whole};
use crate::rules::{self, ShownNumbers};
pub use crate::rules::{count_of_pairs, next_look};
use crate::words::{SentenceNumbers, Subject, clock, percent, power, rule};

/// The smallest slowdown that the pairs find by each clock, as in `2.1% of CPU time, 9.3% of wall time`; `None` where no clock
/// measured them.
pub fn detectable_by_clock(comparison: &Comparison) -> Option<String> {
    let said = |(instrument, share): (Instrument, f64)| {
        let slowdown = if share > 1.0 {
            format!("{}×", significant(1.0 + share, 2))
        } else {
            percent(share, 1)
        };
        format!("{slowdown} of {}", clock(instrument))
    };
    let all: Vec<String> = comparison
        .detectable_by_clock()
        .into_iter()
        .map(said)
        .collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// The result of comparing unchanged code with itself; `None` without pairs.
pub fn self_comparison(comparison: &Comparison) -> Option<String> {
    let found = comparison.self_comparison()?;
    Some(format!(
        "unchanged code compared with itself: {} of {} flagged",
        whole(found.flagged),
        whole(found.benchmarks)
    ))
}

/// A metric to say something about.
pub(crate) fn subject<'c>(compared: &'c MetricComparison, config: &Config) -> Subject<'c> {
    Subject::new(compared, config.deltas.plus)
}

/// The rule that decided: the gate's, or a stronger one.
pub fn decided_by(compared: &MetricComparison) -> &'static str {
    let judgement = &compared.judgement;
    judgement
        .reason
        .name()
        .unwrap_or_else(|| rule(judgement.rule))
}

/// The reason for a metric's verdict, with the scenarios that it is judged relative to.
pub fn reason(compared: &MetricComparison, plus: Plus) -> String {
    let reason = rules::reason(&Subject::new(compared, plus));
    // Without a change there is no quotient.
    let relative_to = compared
        .relative_to
        .as_ref()
        .filter(|_| compared.judgement.change.is_some());
    match (relative_to, &compared.minus) {
        (Some(reference), Some(minus)) => {
            format!("less {minus}, relative to {reference}: {reason}")
        }
        (Some(reference), None) => format!("relative to {reference}: {reason}"),
        (None, Some(minus)) if compared.judgement.change.is_some() => {
            format!("less {minus}: {reason}")
        }
        (None, _) => reason,
    }
}

/// The reason, a soft limit that it exceeds, and a waiver that excuses it.
pub fn sentence(compared: &MetricComparison, config: &Config) -> String {
    let mut said = reason(compared, config.deltas.plus);
    if compared.judgement.warned {
        said += "; above the soft limit";
    }
    if let Some(waiver) = compared
        .judgement
        .waived
        .and_then(|at| config.waivers.get(at as usize))
    {
        said = format!(
            "{said}; waived: {} ({}, until {})",
            waiver.reason, waiver.by, waiver.until
        );
    }
    said
}

/// The rule, and the numbers behind the verdict that the reason has not; `None` where one side was not measured.
pub(crate) fn evidence(compared: &Subject<'_>) -> Option<String> {
    let (baseline, current) = (compared.baseline?, compared.current?);
    let shown = rules::shown(&compared.judgement.reason);
    let is_same = baseline == current;
    let numbers = SentenceNumbers::of_metric(compared, &[baseline.as_f64(), current.as_f64()]);
    let (baseline, current) = (numbers.value(baseline), numbers.value(current));
    let mut said = vec![format!("Rule: {}", rules::rule(compared))];
    match shown {
        // Without a change there are no numbers to show.
        ShownNumbers::Baseline if !is_same => {}
        ShownNumbers::History => said.push(format!("newest baseline {baseline}")),
        ShownNumbers::Baseline | ShownNumbers::Neither => {
            said.push(format!("baseline {baseline}, current {current}"));
        }
    }
    said.extend(power::band(compared).filter(|_| shown != ShownNumbers::History));
    said.extend(power::numbers(compared));
    said.extend(rules::iterations(compared));
    Some(said.join("; ") + ".")
}
