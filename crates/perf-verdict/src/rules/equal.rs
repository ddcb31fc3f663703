//! Numbers that a deterministic program repeats, such as calls: any other number is a regression.

use perf_model::row::Value;

use super::exact::difference;
use crate::case::{Case, Decision, RuleEntry};
use crate::finding;
use crate::verdict::{Power, Rule, Verdict};

pub(crate) const RULE: RuleEntry<Finding> = RuleEntry {
    decide,
    power,
    ..RuleEntry::NONE
};

/// The difference of two numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// Current less baseline.
    pub difference: Value,
}

impl finding::Finding for Finding {}

fn decide(case: &Case<'_>) -> Option<Decision<Finding>> {
    let Rule::Equal = case.rule else { return None };
    let judged = case.by_one_value(|baseline, current| {
        let verdict = if baseline == current {
            Verdict::Unchanged
        } else {
            Verdict::Regressed
        };
        Ok((
            verdict,
            Finding {
                difference: difference(baseline, current),
            },
        ))
    });
    judged.map(Decision::Reached)
}

fn power(case: &Case<'_>) -> Option<Power> {
    let Rule::Equal = case.rule else { return None };
    Some(Power {
        noise: Some(0.0),
        ..Power::default()
    })
}
