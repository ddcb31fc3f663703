//! Verdicts in words: one sentence for each, with the numbers that made it.

use perf_rows::metric::Direction;
use perf_rows::row::{Outcome, Value};
use perf_verdict::compare::MetricComparison;
use perf_verdict::{Because, Rule, Verdict};

use crate::number::{fixed, thousands};

/// A fraction as a percentage with so many decimals, without trailing zeros behind the point: `33 %`.
pub fn percent(fraction: f64, decimals: usize) -> String {
    let text = fixed(fraction * 100.0, decimals);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{} %", thousands(text))
}

/// The word for a verdict.
pub fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Regressed => "regressed",
        Verdict::Improved => "improved",
        Verdict::Inconclusive => "inconclusive",
        Verdict::Moved => "moved",
        Verdict::Unchanged => "unchanged",
        Verdict::NotComparable => "not comparable",
        Verdict::Unmeasured => "unmeasured",
    }
}

/// The rule, as the report names it.
pub fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::Threshold(_) => "threshold",
        Rule::Exact => "exact",
        Rule::Count(_) => "count",
        Rule::Report => "report",
    }
}

/// Why a metric got its verdict, as a sentence without its full stop.
pub fn reason(compared: &MetricComparison) -> String {
    match &compared.judgement.because {
        Because::Drop { drop, limit } => drop_reason(compared, *drop, *limit),
        Because::Difference(difference) => difference_reason(compared, *difference),
        Because::NotGated => format!("{}; not gated", change(compared)),
        Because::NoDirection => {
            format!("{}; not gated, as it is not known which way is better", change(compared))
        }
        Because::ZeroBaseline => "the baseline is zero, so there is nothing to lose".to_owned(),
        Because::Negative => "a negative number is no measurement".to_owned(),
        other @ (Because::Growth { .. }
        | Because::History(_)
        | Because::EnvironmentShift(_)
        | Because::Samples(_)
        | Because::Pairs(_)
        | Because::Ratchet(_)
        | Because::BelowFloor { .. }
        | Because::Tail { .. }
        | Because::OtherMethodology(..)
        | Because::NoReference(_)) => format!("{other:?}"),
        Because::OtherMachine => "measured on machines of different classes".to_owned(),
        Because::NoBaseline => "not measured in the baseline".to_owned(),
        Because::NoCurrent if compared.outcome != Outcome::Measured => {
            format!("measured in the baseline, {} now", compared.outcome.word())
        }
        Because::NoCurrent => "measured in the baseline, but not now".to_owned(),
    }
}

fn change(compared: &MetricComparison) -> String {
    match compared.judgement.change {
        _ if compared.baseline == compared.current => "exactly the same".to_owned(),
        None => "no longer zero".to_owned(),
        Some(change) if change > 0.0 => format!("{} more", percent(change, 2)),
        Some(change) => format!("{} less", percent(-change, 2)),
    }
}

/// What happened, and what would have failed, in the metric's own terms.
fn drop_reason(compared: &MetricComparison, drop: f64, limit: f64) -> String {
    let said = change(compared);
    if drop == 0.0 {
        return said;
    }
    let most = match compared.metric.meaning.direction {
        // A drop of throughput by a third is half as much time again.
        Direction::Lower if limit >= 1.0 => "any".to_owned(),
        Direction::Lower => format!("{} more", percent(limit / (1.0 - limit), 2)),
        _ => format!("{} less", percent(limit, 2)),
    };
    match compared.judgement.verdict {
        Verdict::Regressed => format!("{said} (over {most} fails)"),
        Verdict::Improved => format!("{said} (the opposite would fail)"),
        _ if drop > 0.0 => format!("{said} (up to {most} passes)"),
        _ => said,
    }
}

fn difference_reason(compared: &MetricComparison, difference: Value) -> String {
    if difference == Value::Int(0) {
        return "exactly the same".to_owned();
    }
    let text = difference.to_string();
    let size = thousands(text.trim_start_matches('-'));
    let way = if difference.as_f64() > 0.0 { "more" } else { "fewer" };
    match compared.judgement.verdict {
        Verdict::Regressed => format!("{size} {way} (any at all fails)"),
        _ => format!("{size} {way}"),
    }
}
