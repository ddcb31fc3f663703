//! Counts that vary a little from build to build, such as instructions: only growth beyond the usual steps is a
//! regression.

use super::exact;
use crate::case::{Case, Decision, RuleEntry};
use crate::finding;
use crate::verdict::{Power, Rule};

pub(crate) const RULE: RuleEntry<Finding> = RuleEntry {
    decide,
    power,
    ..RuleEntry::NONE
};

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

impl finding::Finding for Finding {
    fn effect(&self) -> Option<f64> {
        self.growth.map(f64::ln_1p)
    }
}

fn decide(case: &Case<'_>) -> Option<Decision<Finding>> {
    let Rule::Count(limit) = case.rule else {
        return None;
    };
    let thresholds = case.context.history;
    let earlier = case.extra().map_or(0, |extra| extra.history.len());
    let values = if earlier >= thresholds.least {
        earlier.min(thresholds.last)
    } else {
        0
    };
    let judged = case.by_one_value(|baseline, current| {
        let is_beyond = case.change.is_none_or(|growth| growth.abs() > limit);
        let verdict = if is_beyond {
            exact::verdict(case.direction(), baseline, current)
        } else {
            case.within_limits()
        };
        Ok((
            verdict,
            Finding {
                growth: case.change,
                limit,
                values,
            },
        ))
    });
    judged.map(Decision::Reached)
}

fn power(case: &Case<'_>) -> Option<Power> {
    let Rule::Count(limit) = case.rule else {
        return None;
    };
    let detectable = exact::smallest_step(case).map(|step| step.max(limit));
    Some(Power {
        limit: Some(limit),
        detectable,
        ..Power::default()
    })
}
