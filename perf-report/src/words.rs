//! Verdicts in words: one sentence for each, with the numbers that made it.

use perf_rows::metric::Direction;
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
        Rule::Report => "report",
    }
}

/// Why a metric got its verdict, as a sentence without its full stop.
pub fn reason(compared: &MetricComparison) -> String {
    let judgement = &compared.judgement;
    match judgement.because {
        Because::Drop { drop, limit } => drop_reason(compared, drop, limit),
        Because::Difference(0.0) => "exactly the same".to_owned(),
        Because::Difference(difference) => difference_reason(compared, difference),
        Because::NotGated => format!("{}; not gated", change(judgement.change)),
        Because::NoDirection => {
            format!("{}; not gated, as it is not known which way is better", change(judgement.change))
        }
        Because::ZeroBaseline => "the baseline is zero, so there is nothing to lose".to_owned(),
        Because::Negative => "a negative number is no measurement".to_owned(),
        Because::NoBaseline => "not measured in the baseline".to_owned(),
        Because::NoCurrent => "measured in the baseline, but not now".to_owned(),
    }
}

fn change(change: Option<f64>) -> String {
    match change {
        None => "no longer zero".to_owned(),
        Some(change) if change > 0.0 => format!("{} more", percent(change, 2)),
        Some(change) if change < 0.0 => format!("{} less", percent(-change, 2)),
        Some(_) => "exactly the same".to_owned(),
    }
}

fn drop_reason(compared: &MetricComparison, drop: f64, limit: f64) -> String {
    if drop == 0.0 {
        return "exactly the same".to_owned();
    }
    let lower = compared.metric.meaning.direction == Direction::Lower;
    let moved = change(compared.judgement.change);
    // A time's limit is one on throughput, so both numbers are told.
    let said = if lower && drop > 0.0 {
        format!("{moved}, a throughput drop of {}", percent(drop, 2))
    } else {
        moved
    };
    let limit = percent(limit, 2);
    match compared.judgement.verdict {
        Verdict::Regressed => format!("{said} (a drop of more than {limit} fails)"),
        _ if drop > 0.0 => format!("{said} (a drop of up to {limit} passes)"),
        Verdict::Improved => format!("{said} (the opposite would fail)"),
        _ => said,
    }
}

fn difference_reason(compared: &MetricComparison, difference: f64) -> String {
    let size = thousands(
        &perf_rows::row::Value::new(difference.abs()).map_or_else(String::new, |value| value.to_string()),
    );
    let way = if difference > 0.0 { "more" } else { "fewer" };
    match compared.judgement.verdict {
        Verdict::Regressed => format!("{size} {way} (any at all fails)"),
        _ => format!("{size} {way}"),
    }
}
