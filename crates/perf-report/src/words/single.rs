//! What the rules for one baseline value say.

use perf_model::metric::Direction;
use perf_model::row::Value;
use perf_verdict::Verdict;
use perf_verdict::compare::MetricComparison;

use super::numbers::{Numbers, change_of_drop, signed, signed_pair};
use super::percent;
use crate::number::thousands;

/// From this share on, one more of what is counted is told to be the smallest step there is.
const LARGE_STEP: f64 = 0.01;

/// `12.10 → 16.00 ms (+32.2 % against the baseline)`.
pub(super) fn change(compared: &MetricComparison) -> String {
    change_as(compared, signed)
}

fn change_as(compared: &MetricComparison, told: impl Fn(f64) -> String) -> String {
    let judgement = &compared.judgement;
    let (Some(baseline), Some(current)) = (compared.baseline, compared.current) else {
        return "not measured on both sides".to_owned();
    };
    if compared.relative_to.is_some() {
        let against = |change| format!("{} against the baseline", told(change));
        return judgement.change.map_or_else(|| "no longer zero".to_owned(), against);
    }
    if baseline == current {
        return "exactly the same".to_owned();
    }
    let both = from_to(compared, baseline, current);
    match judgement.change {
        Some(change) => format!("{both} ({} against the baseline)", told(change)),
        None if baseline.as_f64() == 0.0 => format!("{both}: no longer zero"),
        None => both,
    }
}

fn from_to(compared: &MetricComparison, baseline: Value, current: Value) -> String {
    let (from, to) = (baseline.as_f64(), current.as_f64());
    if compared.metric.meaning.exact && compared.metric.format.is_none() {
        // Counts are exact however large, and a sentence is about as many as there are.
        return format!("{} → {}", thousands(&baseline.to_string()), thousands(&current.to_string()));
    }
    Numbers::new(compared, &[from, to]).arrow(from, to)
}

/// What happened, and what would have failed, in the metric's own terms.
pub(super) fn drop(compared: &MetricComparison, drop: f64, limit: f64) -> String {
    let most = change_of_drop(compared.metric.meaning.direction, limit);
    let (said, most) = match (compared.judgement.change, most) {
        (Some(change), Some(limit)) => {
            let (change, limit) = signed_pair(change, limit);
            (change_as(compared, |_| change.clone()), Some(limit))
        }
        (_, most) => (change(compared), most.map(signed)),
    };
    match (compared.judgement.verdict, most) {
        _ if drop == 0.0 => said,
        (Verdict::Regressed, Some(most)) => format!("{said}; the limit is {most}"),
        (Verdict::Regressed, None) => format!("{said}; nothing may be lost"),
        (Verdict::Improved, _) => format!("{said}; the opposite would fail"),
        (_, Some(most)) if drop > 0.0 => format!("{said}; up to {most} passes"),
        _ => said,
    }
}

/// What was counted, where any growth fails.
pub(super) fn difference(compared: &MetricComparison, difference: Value) -> String {
    if difference == Value::Int(0) {
        return "exactly the same".to_owned();
    }
    let (Some(baseline), Some(current)) = (compared.baseline, compared.current) else {
        return change(compared);
    };
    let both = from_to(compared, baseline, current);
    let fails = compared.judgement.verdict == Verdict::Regressed;
    if baseline.as_f64() == 0.0 {
        return if fails { format!("{both}: any at all fails") } else { both };
    }
    let text = difference.to_string();
    let way = if difference.as_f64() > 0.0 { "more" } else { "fewer" };
    let more = format!("{} {way}", thousands(text.trim_start_matches('-')));
    let said = match smallest_step(baseline, current) {
        Some(step) if fails => format!("{both}: {step}"),
        _ => format!("{both}: {more}"),
    };
    if fails { format!("{said}, and any at all fails") } else { said }
}

/// What was counted, where a little growth is usual.
pub(super) fn growth(compared: &MetricComparison, growth: Option<f64>, limit: f64, values: usize) -> String {
    let (Some(baseline), Some(current)) = (compared.baseline, compared.current) else {
        return change(compared);
    };
    let Some(growth) = growth.filter(|_| compared.relative_to.is_none()) else {
        let both = from_to(compared, baseline, current);
        return match compared.judgement.verdict {
            Verdict::Regressed => format!("{both}: any at all fails"),
            _ => change(compared),
        };
    };
    let worse = if compared.metric.meaning.direction == Direction::Higher { -limit } else { limit };
    let (told, most) = signed_pair(growth, worse);
    let said = change_as(compared, |_| told.clone());
    let by = match values {
        0 => String::new(),
        values => format!(", as {values} earlier counts tell"),
    };
    match compared.judgement.verdict {
        Verdict::Regressed => {
            let step = smallest_step(baseline, current).map_or(String::new(), |step| format!("; {step}"));
            format!("{said}; the limit is {most}{by}{step}")
        }
        Verdict::Improved => format!("{said}; more than counts usually step{by}"),
        _ if growth == 0.0 => said,
        _ => format!("{said}; up to {most} is usual{by}"),
    }
}

/// That a step of a small count is a large share of it.
fn smallest_step(baseline: Value, current: Value) -> Option<String> {
    let (Value::Int(before @ 1..), Value::Int(now)) = (baseline, current) else { return None };
    let share = 1.0 / Value::Int(before).as_f64();
    let way = if now > before { "more" } else { "fewer" };
    (before.abs_diff(now) == 1 && share >= LARGE_STEP)
        .then(|| format!("1 {way} of {before} is the smallest step there is ({})", percent(share, 0)))
}

/// What would have failed, had it been more.
pub(super) fn below_floor(compared: &MetricComparison, difference: f64, floor: f64) -> String {
    let numbers = Numbers::new(compared, &[difference, floor]);
    format!(
        "{}, but a difference of {} is below the floor of {}",
        change(compared),
        numbers.bare(difference),
        numbers.full(floor)
    )
}
