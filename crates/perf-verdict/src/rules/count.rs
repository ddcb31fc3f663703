//! Counts that vary a little from build to build, such as instructions.
//!
//! Only growth beyond the usual steps is a regression. Usual steps are those between earlier values up to Tukey's outer
//! fence, Q3 + 3·IQR (*Exploratory Data Analysis*, 1977, 2C); without a history the limit is 0.2%.

use perf_config::HistoryPolicy;
use perf_stats::order::{quantile, sorted, steps};

use super::exact;
use crate::engine::case::{Case, Decision, RuleEntry};
use crate::evidence::Evidence;
use crate::model::{Power, Rule};
use crate::rules::Reason;

pub(crate) const RULE: RuleEntry = RuleEntry { decide, power, ..RuleEntry::NONE };

/// The growth that one source shows from build to build.
pub const DEFAULT: f64 = 0.002;

/// The growth of a count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// (current − baseline) / baseline; `None` from zero.
    pub growth: Option<f64>,
    /// The largest growth that passes.
    pub limit: f64,
    /// The number of earlier counts behind the limit; 0 for the default.
    pub values: usize,
}

impl super::Finding for Finding {
    fn effect(&self) -> Option<f64> {
        self.growth.map(f64::ln_1p)
    }
}

fn decide(case: &Case<'_>) -> Option<Decision> {
    let Rule::Count(limit) = case.rule else { return None };
    let policy = case.context.history;
    let earlier = case.extra().map_or(0, |extra| extra.history.len());
    let values = if earlier >= policy.least { earlier.min(policy.last) } else { 0 };
    let judged = case.by_one_value(|baseline, current| {
        let is_beyond = case.change.is_none_or(|growth| growth.abs() > limit);
        let verdict = if is_beyond {
            exact::verdict(case.direction(), baseline, current)
        } else {
            case.within_limits()
        };
        (verdict, Reason::Count(Finding { growth: case.change, limit, values }))
    });
    judged.map(Decision::Reached)
}

/// The gate's rule; unless the user chose the limit of a count, the history raises it.
pub(crate) fn with_history(evidence: &Evidence, policy: &HistoryPolicy) -> Rule {
    match (evidence.rule, &evidence.extra) {
        (Rule::Count(limit), Some(extra)) if !evidence.limits.is_chosen => {
            Rule::Count(limit.max(usual_growth(&extra.history, policy.last, policy.least)))
        }
        (rule, _) => rule,
    }
}

/// The gate's rule; no limit is below the spread of repeated counts of one build, as a share of the count.
pub(crate) fn above_spread(rule: Rule, spread: f64) -> Rule {
    match rule {
        Rule::Count(limit) => Rule::Count(limit.max(spread)),
        rule => rule,
    }
}

/// The largest usual growth as a share of the baseline, from earlier counts, oldest first; [`DEFAULT`] when there
/// are fewer than `fewest`.
fn usual_growth(counts: &[f64], last: usize, fewest: usize) -> f64 {
    let used = &counts[counts.len().saturating_sub(last)..];
    if used.len() < fewest {
        return DEFAULT;
    }
    let logarithms: Vec<f64> = used.iter().filter(|count| **count > 0.0).map(|count| count.ln()).collect();
    let ordered = sorted(&steps(&logarithms));
    let quartiles = quantile(&ordered, 0.25).zip(quantile(&ordered, 0.75));
    quartiles.map_or(DEFAULT, |(first, third)| DEFAULT.max((third + 3.0 * (third - first)).exp_m1()))
}

fn power(case: &Case<'_>) -> Option<Power> {
    let Rule::Count(limit) = case.rule else { return None };
    let detectable = exact::smallest_step(case).map(|step| step.max(limit));
    Some(Power { limit: Some(limit), certain: Some(limit), detectable, ..Power::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_count_has_the_default_limit() {
        assert!((usual_growth(&[1e6; 12], 30, 10) - DEFAULT).abs() < 1e-12);
        assert!((usual_growth(&[1e6, 2e6], 30, 10) - DEFAULT).abs() < 1e-12);
        assert!((usual_growth(&[0.0; 12], 30, 10) - DEFAULT).abs() < 1e-12);
    }

    #[test]
    fn usual_steps_raise_the_limit() {
        let counts: Vec<f64> = (0..20).map(|build| 1e6 * (1.0 + 0.004 * f64::from(build % 2))).collect();
        let limit = usual_growth(&counts, 30, 10);
        assert!((0.003_9..0.005).contains(&limit), "{limit}");
    }
}
