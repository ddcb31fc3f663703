//! The power of a metric's rule: the changes that it allows, and the minimum that it detects.

use super::{exact, history, pairs, samples};
use crate::case::Case;
use crate::cost_scale::{distance_of_limit, share};
use crate::verdict::{Power, Rule};

/// The limits, the noise and the minimum detectable change.
pub(crate) fn power(case: &Case<'_>) -> Power {
    if let Some(analysis) = &case.signals.pairs {
        return pairs::power(case, analysis);
    }
    if let Some(band) = &case.signals.band {
        return history::power(case, band);
    }
    match case.rule {
        Rule::Limit(limit) => {
            let limit = distance_of_limit(case.direction(), limit).map(share);
            Power {
                limit,
                noise: samples::noise(case),
                detectable: limit,
                ..Power::default()
            }
        }
        Rule::Equal => Power {
            noise: Some(0.0),
            ..Power::default()
        },
        Rule::Exact => Power {
            noise: Some(0.0),
            limit: Some(0.0),
            detectable: exact::smallest_step(case),
            ..Power::default()
        },
        Rule::Count(limit) => Power {
            limit: Some(limit),
            detectable: exact::smallest_step(case).map(|step| step.max(limit)),
            ..Power::default()
        },
        Rule::Budget | Rule::Report => Power::default(),
    }
}
