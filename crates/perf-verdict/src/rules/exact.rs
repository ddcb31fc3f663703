//! Deterministic values: an exact count that gets worse by one has regressed.
//!
//! Some counts vary between process runs of the same program, because of hash seeds, garbage-collected pools or
//! threads. For such a count, only a difference beyond that variation is a change.

use std::cmp::Ordering;

use crate::statistics::order::{quantile, range, sorted};
use crate::statistics::ranks::mann_whitney;
use perf_model::decimal::exceeds;
use perf_model::metric::Direction;
use perf_model::row::Value;

use super::{Case, Judgement, Reason};
use crate::verdict::{Rule, Verdict};

/// The largest one-sided p-value of a significant difference between varying counts. If 10 process runs are all above
/// 10 others, p = 0.000005. With 0.0001, 8 of 1,000 simulated suites with 120 counts and 8 process runs had a false
/// alarm.
const SIGNIFICANT: f64 = 0.000_01;
/// With at least this many process runs on each side, ranges that are far apart show that the two sides differ. In
/// simulations with normal noise, the ranges of unchanged counts were apart in one of 20 cases with 2 process runs, in
/// one of 3,600 with 4, and in one of 42,000 with 5.
const FEWEST: usize = 5;
/// With at least this many process runs on each side, a small difference is ignored.
const MANY: usize = 8;
/// Above this p-value, no increase is visible.
const NOTHING_SEEN: f64 = 0.05;
/// The largest variation of unchanged code: the highest count divided by the lowest one.
const MOST_VARIED: f64 = 1.5;
/// A difference is small up to this share of the range of all process runs.
const SMALL: f64 = 0.25;

/// How the two counts differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// The current count minus the baseline count.
    pub difference: Value,
    /// The lowest and the highest count of all process runs, if that variation explains the difference.
    pub explained_by: Option<(Value, Value)>,
    /// True if the range is from earlier runs rather than from process runs.
    pub is_by_history: bool,
}

pub(super) fn judge(case: &Case<'_>) -> Option<Judgement> {
    let Rule::Exact = case.evidence.rule else {
        return None;
    };
    let (baseline, current) = case.numbers()?;
    let mut finding = Finding {
        difference: difference(baseline, current),
        explained_by: None,
        is_by_history: false,
    };
    let mut verdict = verdict(case.direction(), baseline, current);
    if verdict != Verdict::Unchanged {
        if let Some(usual) = usual_range(case) {
            finding.explained_by = Some(usual);
            finding.is_by_history = true;
            verdict = Verdict::Unchanged;
        } else if let Some((range, is_small)) = range_of_launches(case, finding.difference) {
            finding.explained_by = Some(range);
            verdict = match verdict {
                Verdict::Regressed if !is_small => Verdict::Inconclusive,
                _ => Verdict::Unchanged,
            };
        }
    }
    let mut judgement = case.judgement(verdict, Reason::Exact(finding));
    judgement.moved &= verdict != Verdict::Unchanged;
    Some(judgement)
}

/// Returns the usual range of earlier counts, if they went up and down from run to run and the current count is within
/// the range. Code changes seldom undo each other. So if at least a quarter of the steps go up and a quarter go down,
/// the count varies by itself.
fn usual_range(case: &Case<'_>) -> Option<(Value, Value)> {
    let thresholds = case.context.history;
    let counts = &case.evidence.extra.history;
    let counts = &counts[counts.len().saturating_sub(thresholds.last)..];
    if counts.len() < thresholds.least {
        return None;
    }
    let up = counts.windows(2).filter(|two| two[1] > two[0]).count();
    let down = counts.windows(2).filter(|two| two[1] < two[0]).count();
    if 4 * up.min(down) < counts.len() - 1 {
        return None;
    }
    let ordered = sorted(counts);
    let reach = quantile(&ordered, 0.75)? - quantile(&ordered, 0.25)?;
    let lowest = (quantile(&ordered, 0.05)? - reach).round();
    let highest = (quantile(&ordered, 0.95)? + reach).round();
    // A range this wide contains two levels, which is not variation.
    if lowest <= 0.0 || highest > MOST_VARIED * lowest {
        return None;
    }
    let current = case.evidence.current?.as_f64();
    if !(lowest..=highest).contains(&current) {
        return None;
    }
    Value::new(lowest).zip(Value::new(highest))
}

/// Returns the range of all process runs if their variation explains the difference, and whether the difference is
/// small. It is small if it is within the tolerance, or if it is small compared with the range of many process runs.
/// Returns `None` if the two sides clearly differ.
fn range_of_launches(case: &Case<'_>, difference: Value) -> Option<((Value, Value), bool)> {
    let (base, current) = case.evidence.extra.process_runs();
    let (of_base, of_current) = (range(&base)?, range(&current)?);
    let width = (of_base.1 - of_base.0).max(of_current.1 - of_current.0);
    let gap = (of_current.0 - of_base.1).max(of_base.0 - of_current.1);
    let launches = base.len().min(current.len());
    let p = [mann_whitney(&current, &base), mann_whitney(&base, &current)];
    let least = p.into_iter().flatten().fold(1.0, f64::min);
    let is_apart = gap > width && launches >= FEWEST;
    if width == 0.0 || is_apart || least <= SIGNIFICANT {
        return None;
    }
    let (lowest, highest) = (of_base.0.min(of_current.0), of_base.1.max(of_current.1));
    let range = Value::new(lowest).zip(Value::new(highest))?;
    let is_within_tolerance = case
        .change
        .is_some_and(|change| !exceeds(change.abs(), case.context.tolerance));
    let is_small = difference.as_f64().abs() <= SMALL * (highest - lowest);
    let is_usual = launches >= MANY && is_small && least > NOTHING_SEEN;
    Some((range, is_within_tolerance || is_usual))
}

/// Returns the exact difference, even for huge integers.
fn difference(baseline: Value, current: Value) -> Value {
    let counted = match (baseline, current) {
        (Value::Int(baseline), Value::Int(current)) => {
            current.checked_sub(baseline).map(Value::Int)
        }
        _ => None,
    };
    counted
        .or_else(|| Value::new(current.as_f64() - baseline.as_f64()))
        .unwrap_or(Value::Int(0))
}

/// Returns regressed, improved or unchanged, however small the difference is.
fn verdict(direction: Direction, baseline: Value, current: Value) -> Verdict {
    let growth = match (baseline, current) {
        (Value::Int(baseline), Value::Int(current)) => current.cmp(&baseline),
        _ => current.as_f64().total_cmp(&baseline.as_f64()),
    };
    match if direction == Direction::Higher {
        growth.reverse()
    } else {
        growth
    } {
        Ordering::Greater => Verdict::Regressed,
        Ordering::Equal => Verdict::Unchanged,
        Ordering::Less => Verdict::Improved,
    }
}

/// Returns the smallest possible change, a step of one, as a share of the baseline count.
pub(super) fn smallest_step(case: &Case<'_>) -> Option<f64> {
    let Some(Value::Int(baseline @ 1..)) = case.evidence.baseline else {
        return None;
    };
    Some(1.0 / Value::Int(baseline).as_f64())
}

/// Judges values that a deterministic program reproduces exactly, such as the number of calls. Any difference is a
/// regression.
pub(super) fn judge_equal(case: &Case<'_>) -> Option<Judgement> {
    let Rule::Equal = case.evidence.rule else {
        return None;
    };
    let (baseline, current) = case.numbers()?;
    let verdict = if baseline == current {
        Verdict::Unchanged
    } else {
        Verdict::Regressed
    };
    let reason = Reason::Equal(difference(baseline, current));
    Some(case.judgement(verdict, reason))
}

/// A count's growth and its limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountFinding {
    /// The growth as a share of the baseline; `None` if the baseline is zero.
    pub growth: Option<f64>,
    /// The largest growth that passes, as a share of the baseline.
    pub limit: f64,
    /// How many earlier counts determine the limit; 0 if the limit does not come from the history.
    pub values: usize,
}

/// Judges counts that vary slightly from build to build, such as instructions. Only growth beyond the usual variation
/// between earlier counts is a regression: beyond Tukey's outer fence, Q3 + 3·IQR (*Exploratory Data Analysis*, 1977,
/// 2C).
pub(super) fn judge_count(case: &Case<'_>) -> Option<Judgement> {
    let Rule::Count(limit) = case.evidence.rule else {
        return None;
    };
    let (baseline, current) = case.numbers()?;
    let thresholds = case.context.history;
    let earlier = case.evidence.extra.history.len();
    let values = if earlier >= thresholds.least {
        earlier.min(thresholds.last)
    } else {
        0
    };
    let is_beyond = case.change.is_none_or(|growth| growth.abs() > limit);
    let verdict = if is_beyond {
        verdict(case.direction(), baseline, current)
    } else {
        case.within_limits()
    };
    let finding = CountFinding {
        growth: case.change,
        limit,
        values,
    };
    Some(case.judgement(verdict, Reason::Count(finding)))
}

#[cfg(test)]
mod tests {
    use crate::evidence::gate::{DEFAULT_GROWTH, usual_growth};

    #[test]
    fn a_steady_count_has_the_default_limit() {
        assert!((usual_growth(&[1e6; 12], 30, 10) - DEFAULT_GROWTH).abs() < 1e-12);
        assert!((usual_growth(&[1e6, 2e6], 30, 10) - DEFAULT_GROWTH).abs() < 1e-12);
        assert!((usual_growth(&[0.0; 12], 30, 10) - DEFAULT_GROWTH).abs() < 1e-12);
    }

    #[test]
    fn usual_steps_raise_the_limit() {
        let counts: Vec<f64> = (0..20)
            .map(|build| 1e6 * (1.0 + 0.004 * f64::from(build % 2)))
            .collect();
        let limit = usual_growth(&counts, 30, 10);
        assert!((0.003_9..0.005).contains(&limit), "{limit}");
    }
}
