//! Interleaved A/B pairs: how often one side was slower, in three interim analyses and no more.
//!
//! Each look is a one-sided sign test against "slower by 2%"; three looks share a level of 0.001, which the tests
//! of [`perf_stats::binomial`] check.
//!
//! Several noisy launches a side make one pair, by the mean of the better half (rounded up): where noise only adds,
//! that is nearly as good as the minimum, and where it goes both ways far better.

use perf_stats::order::{median, quantile, sorted};
use perf_stats::shift::{median_lower_bound, median_upper_bound};
use serde::{Deserialize, Serialize};

use crate::engine::case::{Case, Decision, Judged, RuleEntry};
use crate::model::{Power, Verdict};
use crate::oriented::{share, share_report};
use crate::rules::{FindingReports, Reason};

/// How much slower a pair must be to count: 2% of the cost.
const SLOWER: f64 = 0.019_802_627_296_179_7; // ln 1.02
/// The bound below which a slowdown is negligible: 5% of the cost.
const NEGLIGIBLE: f64 = 0.048_790_164_169_432; // ln 1.05
/// Pairs at each look, and how many of them must be slower.
pub const LOOKS: [(usize, usize); 3] = [(20, 18), (40, 32), (60, 44)];
/// Launches a side in one pair, by the noise of single ones: the largest noise, and the number. With single launches
/// the last look misses some slowdowns of 5% above 1.5% noise; with three, some of 10% above 6%.
const LAUNCHES_A_PAIR: [(f64, usize); 3] = [(0.015, 1), (0.06, 3), (f64::INFINITY, 5)];
/// The distance between the quartiles of a normal distribution, in standard deviations.
const QUARTILES: f64 = 1.349;
/// The confidence of the bounds of an effect.
const CONFIDENCE: f64 = 0.95;

pub(crate) const RULE: RuleEntry = RuleEntry { decide, power, ..RuleEntry::NONE };

/// The outcome of the interim analyses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// Slower, at one of the looks.
    Slower,
    /// Faster, by the same rule.
    Faster,
    /// Neither, and any slowdown is below 5% with 95% confidence.
    Same,
    /// The pairs do not suffice.
    Open,
}

/// What the pairs show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// The outcome.
    pub outcome: Outcome,
    /// The number of pairs at the look that decided, else at the last one.
    pub pairs: usize,
    /// How many of them were slower by more than 2%; for [`Outcome::Faster`], faster.
    pub slower: usize,
    /// How many the look needs; `None` before the first look.
    pub needed: Option<usize>,
    /// The median difference, as a distance of costs.
    pub median: f64,
    /// The one-sided upper bound of the median, which decides [`Outcome::Same`]; `None` for too few pairs.
    pub upper: Option<f64>,
    /// The lower bound.
    pub lower: Option<f64>,
    /// The number of pairs until the next look; `None` after the last.
    pub until_next: Option<usize>,
    /// Launches a side in one pair.
    pub launches: usize,
    /// The standard deviation of the differences.
    pub noise: f64,
}

impl Finding {
    /// The slowdown, as a distance, that this many pairs detect with a probability of 0.9.
    pub fn detectable(&self) -> f64 {
        // For 18 of 20, 32 of 40 and 44 of 60: the normal quantile of the share that reaches them with 0.9.
        const NEEDED: [(usize, f64); 3] = [(20, 1.68), (40, 1.10), (60, 0.84)];
        let of_look = NEEDED.iter().rev().find(|(pairs, _)| *pairs <= self.pairs);
        SLOWER + of_look.map_or(NEEDED[0].1, |(_, quantile)| *quantile) * self.noise
    }
}

impl super::Finding for Finding {
    fn name(&self) -> Option<&'static str> {
        Some("pairs")
    }

    fn effect(&self) -> Option<f64> {
        Some(self.median)
    }

    fn is_waiting(&self) -> bool {
        self.needed.is_none()
    }

    fn report(&self, reports: &mut FindingReports) {
        reports.pairs = Some(PairsReport {
            pairs: self.pairs,
            slower: self.slower,
            needed: self.needed,
            median: share_report(self.median),
            low: self.lower.map(share_report),
            high: self.upper.map(share_report),
            until_next: self.until_next,
            launches: self.launches,
        });
    }
}

/// Interleaved pairs. Effects are shares of the cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PairsReport {
    /// The number of pairs at the look.
    pub pairs: usize,
    /// How many of them were slower by more than 2%; for an improvement, faster.
    pub slower: usize,
    /// How many the look needs; null before the first look.
    pub needed: Option<usize>,
    /// The median difference.
    pub median: f64,
    /// The lower bound of the median with 95% confidence; null for too few pairs.
    pub low: Option<f64>,
    /// The upper bound of the median with 95% confidence; null for too few pairs.
    pub high: Option<f64>,
    /// The number of pairs until the next look; null after the last.
    pub until_next: Option<usize>,
    /// Launches a side in one pair.
    pub launches: usize,
}

/// Before the first look, a weaker rule that fails the metric is still right.
fn decide(case: &Case<'_>) -> Option<Decision> {
    let finding = case.screen.pairs.filter(|_| case.fixed_limit().is_some())?;
    let verdict = match finding.outcome {
        Outcome::Slower if case.is_allowed(finding.median) => Verdict::Moved,
        Outcome::Slower => Verdict::Regressed,
        Outcome::Faster => Verdict::Improved,
        Outcome::Same => Verdict::Unchanged,
        Outcome::Open => Verdict::Inconclusive,
    };
    let judged = Judged::new(verdict, Reason::Pairs(Box::new(finding)));
    let decision = if finding.needed.is_none() { Decision::Provisional } else { Decision::Reached };
    Some(decision(judged))
}

fn power(case: &Case<'_>) -> Option<Power> {
    let finding = case.screen.pairs?;
    let detectable = case.detectable(finding.detectable());
    Some(Power { noise: Some(share(finding.noise)), detectable: Some(detectable), ..Power::default() })
}

/// Analyses pairs of costs (base, current) in the order of measurement. `None` without any.
pub fn look(pairs: &[(f64, f64)]) -> Option<Finding> {
    let launches = launches_a_pair(pairs);
    let differences: Vec<f64> = pairs.chunks_exact(launches).map(difference).collect();
    let (outcome, seen) = interim_analyses(&differences);
    let used = &differences[..seen];
    let counted = |sign: f64| used.iter().filter(|difference| sign * **difference > SLOWER).count();
    let look = LOOKS.iter().find(|(pairs, _)| *pairs >= seen).filter(|(pairs, _)| *pairs == seen);
    let next = LOOKS.iter().find(|(pairs, _)| *pairs > differences.len());
    let ordered = sorted(used);
    Some(Finding {
        outcome,
        pairs: seen,
        slower: counted(if outcome == Outcome::Faster { -1.0 } else { 1.0 }),
        needed: look.map(|(_, needed)| *needed),
        median: median(&ordered)?,
        upper: median_upper_bound(used, CONFIDENCE),
        lower: median_lower_bound(used, CONFIDENCE),
        until_next: next.map(|(pairs, _)| pairs - differences.len()),
        launches,
        noise: noise(&sorted(&differences)),
    })
}

/// The outcome, and after how many pairs.
fn interim_analyses(differences: &[f64]) -> (Outcome, usize) {
    for (pairs, needed) in LOOKS {
        let Some(seen) = differences.get(..pairs) else { break };
        let beyond = |sign: f64| seen.iter().filter(|difference| sign * **difference > SLOWER).count();
        if beyond(1.0) >= needed {
            return (Outcome::Slower, pairs);
        }
        if beyond(-1.0) >= needed {
            return (Outcome::Faster, pairs);
        }
    }
    let [.., (last, _)] = LOOKS;
    let Some(seen) = differences.get(..last) else {
        let looked = LOOKS.iter().rev().map(|(pairs, _)| *pairs).find(|pairs| *pairs <= differences.len());
        return (Outcome::Open, looked.unwrap_or(differences.len()));
    };
    let bound = median_upper_bound(seen, CONFIDENCE);
    let outcome = if bound.is_some_and(|bound| bound < NEGLIGIBLE) { Outcome::Same } else { Outcome::Open };
    (outcome, last)
}

/// The difference of the better halves of both sides.
fn difference(launches: &[(f64, f64)]) -> f64 {
    let side = |side: fn(&(f64, f64)) -> f64| better(launches.iter().map(side).collect());
    side(|pair| pair.1) - side(|pair| pair.0)
}

/// The mean of the lower half, rounded up: one of one, two of three, three of five.
#[expect(clippy::cast_precision_loss, reason = "a handful")]
fn better(mut costs: Vec<f64>) -> f64 {
    costs.sort_unstable_by(f64::total_cmp);
    costs.truncate(costs.len() / 2 + 1);
    costs.iter().sum::<f64>() / costs.len() as f64
}

/// Launches a side in one pair. Only the launches of the first look decide it: deciding again with every launch would
/// add looks.
fn launches_a_pair(pairs: &[(f64, f64)]) -> usize {
    let noise = launch_noise(&pairs[..pairs.len().min(LOOKS[0].0)]);
    let launches =
        LAUNCHES_A_PAIR.iter().find(|(most, _)| noise <= *most).map_or(1, |(_, launches)| *launches);
    // Fewer launches than make one pair decide nothing anyway.
    if pairs.len() < launches { 1 } else { launches }
}

/// The noise of single launches as a standard deviation of costs; zero without any. The quartiles of the differences
/// ignore a drift that both sides share, and disturbed launches up to one in four.
pub fn launch_noise(pairs: &[(f64, f64)]) -> f64 {
    let differences: Vec<f64> = pairs.iter().map(|(base, current)| current - base).collect();
    noise(&sorted(&differences)) / std::f64::consts::SQRT_2
}

/// The standard deviation of ordered values from their interquartile range; zero without any.
fn noise(ordered: &[f64]) -> f64 {
    let quartiles = quantile(ordered, 0.25).zip(quantile(ordered, 0.75));
    quartiles.map_or(0.0, |(first, third)| (third - first) / QUARTILES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(slower: usize, of: usize, by: f64) -> Vec<(f64, f64)> {
        (0..of).map(|pair| (0.0, if pair < slower { by } else { 0.0 })).collect()
    }

    #[test]
    fn each_look_needs_its_count() {
        for (slower, of, expected) in [
            (18, 20, Outcome::Slower),
            (17, 20, Outcome::Open),
            (32, 40, Outcome::Slower),
            (31, 40, Outcome::Open),
            (44, 60, Outcome::Slower),
            (43, 60, Outcome::Open),
            (0, 60, Outcome::Same),
            (19, 19, Outcome::Open),
        ] {
            // Those that are not slower come first, so that no earlier look decides.
            let differences: Vec<f64> =
                (0..of).map(|pair| if pair < of - slower { 0.0 } else { 0.06 }).collect();
            assert_eq!(interim_analyses(&differences).0, expected, "{slower} of {of}");
        }
    }

    #[test]
    fn pairs_after_the_last_look_are_ignored() {
        let mut taken = pairs(0, 60, 0.0);
        taken.extend(pairs(200, 200, 0.3));
        assert_eq!(look(&taken).unwrap().outcome, Outcome::Same);
        assert_eq!(look(&taken).unwrap().until_next, None);
    }

    #[test]
    fn slower_by_two_percent_or_less_does_not_count() {
        assert_eq!(look(&pairs(60, 60, 1.019f64.ln())).unwrap().outcome, Outcome::Same);
        assert_eq!(look(&pairs(60, 60, 1.021f64.ln())).unwrap().outcome, Outcome::Slower);
        assert_eq!(look(&pairs(60, 60, -1.05f64.ln())).unwrap().outcome, Outcome::Faster);
    }

    /// Launches slower by a tenth, two in three of them disturbed.
    fn disturbed(launches: u32, by: f64) -> Vec<(f64, f64)> {
        let noise = |launch: u32| if launch.is_multiple_of(3) { 0.0 } else { by };
        (0..launches).map(|launch| (noise(launch), noise(launch + 1) + 0.1)).collect()
    }

    #[test]
    fn noisy_launches_are_grouped() {
        let of = |launches, by| look(&disturbed(launches, by)).map(|finding| finding.launches);
        assert_eq!([of(300, 0.4), of(300, 0.05), of(300, 0.01)], [Some(5), Some(3), Some(1)]);
        assert_eq!(look(&disturbed(60, 0.05)).unwrap().outcome, Outcome::Slower);
        assert_eq!(look(&disturbed(60, 0.4)).unwrap().outcome, Outcome::Open);
        assert_eq!(look(&[]), None);
    }

    #[test]
    fn only_the_first_look_decides_the_group_size() {
        let mut taken = pairs(0, 60, 0.0);
        taken.extend(disturbed(240, 0.4));
        assert_eq!(look(&taken).map(|finding| finding.launches), Some(1));
    }

    #[test]
    fn the_better_half_of_a_group_counts() {
        assert!((better(vec![9.0, 1.0, 3.0]) - 2.0).abs() < 1e-12);
        assert!((better(vec![9.0, 1.0, 3.0, 2.0, 7.0]) - 2.0).abs() < 1e-12);
        assert!((better(vec![9.0]) - 9.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn swapped_sides_mirror_the_outcome(taken in prop::collection::vec((0f64..0.3, 0f64..0.3), 1..70)) {
            let swapped: Vec<(f64, f64)> = taken.iter().map(|(base, current)| (*current, *base)).collect();
            let (one, other) = (look(&taken).unwrap().outcome, look(&swapped).unwrap().outcome);
            prop_assert_eq!(one == Outcome::Slower, other == Outcome::Faster);
        }

        #[test]
        fn an_improvement_never_adds_a_regression(taken in prop::collection::vec((0f64..0.05, 0f64..0.2), 1..70), by in 0f64..1.0) {
            let better: Vec<(f64, f64)> = taken.iter().map(|(base, current)| (*base, current - by)).collect();
            if look(&taken).unwrap().outcome != Outcome::Slower {
                prop_assert_ne!(look(&better).unwrap().outcome, Outcome::Slower);
            }
        }
    }
}
