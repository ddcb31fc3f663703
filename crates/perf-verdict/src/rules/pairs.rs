//! Interleaved A/B pairs: how often one side was slower, looked at three times and no more.
//!
//! Each look is a one-sided sign test against "slower by 2 %"; three looks share a level of 0.001, which the tests
//! of [`perf_stats::binomial`] check.
//!
//! What an unlucky moment does to one launch is taken out by several launches a side that make one pair: the mean
//! of the better more than half of them. Where noise only ever adds, that is nearly as good as the best one; where
//! it goes both ways, it is far better. Quiet launches need none of that; others make use of as many as there are.

use perf_stats::order::{median, quantile, sorted};
use perf_stats::shift::{median_lower_bound, median_upper_bound};

/// How much slower one launch must be to count: 2 % of the cost.
const SLOWER: f64 = 0.019_802_627_296_179_7; // ln 1.02
/// What a difference must stay under to be called none: 5 % of the cost.
const NONE: f64 = 0.048_790_164_169_432; // ln 1.05
/// Pairs at each look, and how many of them must be slower.
pub const LOOKS: [(usize, usize); 3] = [(20, 18), (40, 32), (60, 44)];
/// How many launches a side make one pair, by how far single ones stray: the largest stray, and the number. Single ones
/// that stray by more than 1.5 % do not always find 5 % in the pairs of the last look, three by more than 6 % not 10 %.
const TOGETHER: [(f64, usize); 3] = [(0.015, 1), (0.06, 3), (f64::INFINITY, 5)];
/// The distance between the quartiles of a normal distribution, in standard deviations.
const QUARTILES: f64 = 1.349;
/// How sure the bounds of an effect are.
const SURE: f64 = 0.95;

/// What pairs came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// Slower, at one of the looks.
    Slower,
    /// Faster, by the same rule.
    Faster,
    /// Neither, and any slowdown is under 5 % with 95 % certainty.
    Same,
    /// The pairs cannot tell.
    Open,
}

/// Pairs, looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// What they came to.
    pub outcome: Outcome,
    /// How many pairs were looked at: those of the look that decided, else of the last one.
    pub pairs: usize,
    /// How many of them were slower by more than 2 %; where the outcome is faster, how many were faster.
    pub slower: usize,
    /// How many would have had to be; `None` before the first look.
    pub needed: Option<usize>,
    /// The middle difference, as a distance of costs.
    pub median: f64,
    /// The one-sided bound of the median effect that decides "the same"; `None` of too few pairs.
    pub upper: Option<f64>,
    /// The bound on the other side.
    pub lower: Option<f64>,
    /// How many pairs until the next look; `None` after the last.
    pub until_next: Option<usize>,
    /// Launches a side that made one pair.
    pub launches: usize,
    /// How far differences of pairs stray, as a standard deviation of costs.
    pub stray: f64,
}

impl Finding {
    /// The slowdown, as a distance, that is found nine times in ten by as many pairs: at the number that the look
    /// needs, and at the margin of its binomial above it.
    pub fn detectable(&self) -> f64 {
        // Of 18 in 20, 32 in 40 and 44 in 60, the quantile of the share that reaches them nine times in ten.
        const NEEDED: [(usize, f64); 3] = [(20, 1.68), (40, 1.10), (60, 0.84)];
        let of_look = NEEDED.iter().rev().find(|(pairs, _)| *pairs <= self.pairs);
        SLOWER + of_look.map_or(NEEDED[0].1, |(_, quantile)| *quantile) * self.stray
    }
}

/// Looks at pairs of costs (base, current), in the order in which they were taken. `None` without any.
pub fn look(pairs: &[(f64, f64)]) -> Option<Finding> {
    let launches = together(pairs);
    let differences: Vec<f64> = pairs.chunks_exact(launches).map(difference).collect();
    let (outcome, seen) = decide(&differences);
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
        upper: median_upper_bound(used, SURE),
        lower: median_lower_bound(used, SURE),
        until_next: next.map(|(pairs, _)| pairs - differences.len()),
        launches,
        stray: between_quartiles(&sorted(&differences)).map_or(0.0, |between| between / QUARTILES),
    })
}

/// The outcome, and after how many pairs.
fn decide(differences: &[f64]) -> (Outcome, usize) {
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
    let bound = median_upper_bound(seen, SURE);
    let outcome = if bound.is_some_and(|bound| bound < NONE) { Outcome::Same } else { Outcome::Open };
    (outcome, last)
}

/// How much worse the better of the current launches are than the better of the base's.
fn difference(launches: &[(f64, f64)]) -> f64 {
    let side = |side: fn(&(f64, f64)) -> f64| better(launches.iter().map(side).collect());
    side(|pair| pair.1) - side(|pair| pair.0)
}

/// The mean of the lower ones, which are more than half: of one that one, two of three, three of five.
#[expect(clippy::cast_precision_loss, reason = "a handful")]
fn better(mut costs: Vec<f64>) -> f64 {
    costs.sort_unstable_by(f64::total_cmp);
    costs.truncate(costs.len() / 2 + 1);
    costs.iter().sum::<f64>() / costs.len() as f64
}

/// How many launches a side make one pair. Those of the first look say so for good: were it decided anew with every
/// launch, each would be another look.
fn together(pairs: &[(f64, f64)]) -> usize {
    let stray = stray(&pairs[..pairs.len().min(LOOKS[0].0)]);
    let launches = TOGETHER.iter().find(|(most, _)| stray <= *most).map_or(1, |(_, launches)| *launches);
    // Fewer launches than make one decide nothing, whatever they are called.
    if pairs.len() < launches { 1 } else { launches }
}

/// How far single launches stray, as a standard deviation; zero of none. It is told by the quartiles of the
/// differences, so that neither a machine that gets slower over the pairs, which both sides share, nor a launch in
/// ten that something disturbed is taken for noise.
pub fn stray(pairs: &[(f64, f64)]) -> f64 {
    let ordered = sorted(&pairs.iter().map(|(base, current)| current - base).collect::<Vec<f64>>());
    between_quartiles(&ordered).map_or(0.0, |between| between / QUARTILES / std::f64::consts::SQRT_2)
}

fn between_quartiles(ordered: &[f64]) -> Option<f64> {
    Some(quantile(ordered, 0.75)? - quantile(ordered, 0.25)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(slower: usize, of: usize, by: f64) -> Vec<(f64, f64)> {
        (0..of).map(|pair| (0.0, if pair < slower { by } else { 0.0 })).collect()
    }

    #[test]
    fn each_look_needs_its_number() {
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
            assert_eq!(decide(&differences).0, expected, "{slower} of {of}");
        }
    }

    #[test]
    fn pairs_after_the_last_look_are_not_looked_at() {
        let mut taken = pairs(0, 60, 0.0);
        taken.extend(pairs(200, 200, 0.3));
        assert_eq!(look(&taken).unwrap().outcome, Outcome::Same);
        assert_eq!(look(&taken).unwrap().until_next, None);
    }

    #[test]
    fn slower_by_less_than_two_percent_does_not_count() {
        assert_eq!(look(&pairs(60, 60, 1.019f64.ln())).unwrap().outcome, Outcome::Same);
        assert_eq!(look(&pairs(60, 60, 1.021f64.ln())).unwrap().outcome, Outcome::Slower);
        assert_eq!(look(&pairs(60, 60, -1.05f64.ln())).unwrap().outcome, Outcome::Faster);
    }

    /// Launches of which two in three were disturbed, and all of them slower by a tenth.
    fn disturbed(launches: u32, by: f64) -> Vec<(f64, f64)> {
        let noise = |launch: u32| if launch.is_multiple_of(3) { 0.0 } else { by };
        (0..launches).map(|launch| (noise(launch), noise(launch + 1) + 0.1)).collect()
    }

    #[test]
    fn of_noisy_launches_several_make_one() {
        let of = |launches, by| look(&disturbed(launches, by)).map(|finding| finding.launches);
        assert_eq!([of(300, 0.4), of(300, 0.05), of(300, 0.01)], [Some(5), Some(3), Some(1)]);
        assert_eq!(look(&disturbed(60, 0.05)).unwrap().outcome, Outcome::Slower);
        assert_eq!(look(&disturbed(60, 0.4)).unwrap().outcome, Outcome::Open);
        assert_eq!(look(&[]), None);
    }

    #[test]
    fn launches_that_come_later_do_not_change_how_many_make_one() {
        let mut taken = pairs(0, 60, 0.0);
        taken.extend(disturbed(240, 0.4));
        assert_eq!(look(&taken).map(|finding| finding.launches), Some(1));
    }

    #[test]
    fn of_several_launches_the_better_ones_count() {
        assert!((better(vec![9.0, 1.0, 3.0]) - 2.0).abs() < 1e-12);
        assert!((better(vec![9.0, 1.0, 3.0, 2.0, 7.0]) - 2.0).abs() < 1e-12);
        assert!((better(vec![9.0]) - 9.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn sides_that_change_places_change_the_outcome(taken in prop::collection::vec((0f64..0.3, 0f64..0.3), 1..70)) {
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
