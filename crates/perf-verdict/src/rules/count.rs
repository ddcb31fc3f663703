//! Counts that vary slightly from build to build, such as instructions: only growth beyond the usual steps is a
//! regression.
//!
//! These are steps between earlier values up to Tukey's outer fence, Q3 + 3·IQR (*Exploratory Data Analysis*, 1977,
//! 2C).

use super::{Reason, exact};
use crate::case::Case;
use crate::rules::judgement::Judgement;
use crate::verdict::Rule;

/// The growth and its limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// (current − baseline) / baseline; `None` if the baseline is zero.
    pub growth: Option<f64>,
    /// The largest growth that passes.
    pub limit: f64,
    /// The number of earlier counts that determine the limit; 0 for the default.
    pub values: usize,
}

pub(super) fn judge(case: &Case<'_>) -> Option<Judgement> {
    let Rule::Count(limit) = case.rule else {
        return None;
    };
    let (baseline, current) = case.numbers()?;
    let thresholds = case.context.history;
    let earlier = case.extra().map_or(0, |extra| extra.history.len());
    let values = if earlier >= thresholds.least {
        earlier.min(thresholds.last)
    } else {
        0
    };
    let is_beyond = case.change.is_none_or(|growth| growth.abs() > limit);
    let verdict = if is_beyond {
        exact::verdict(case.direction(), baseline, current)
    } else {
        case.within_limits()
    };
    let finding = Finding {
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
