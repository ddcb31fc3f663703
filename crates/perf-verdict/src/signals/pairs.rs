//! Interleaved A/B pairs: how often one side was slower, in three interim analyses and no more.
//!
//! Each look is a one-sided sign test against "slower by 2%", and one against "slower by 5%" that ends the measurement of
//! an unchanged program early. Three looks flag a slowdown of exactly 2% with a probability of 0.00044, and acquit one of
//! exactly 5% with 0.048.
//!
//! A sign test takes pairs as independent. At each look the lag-1 autocorrelation of their ranks (Wald and Wolfowitz 1943,
//! doi:10.1214/aoms/1177731358) must allow that, else the look concludes nothing.
//!
//! Several noisy launches a side make one pair, by the mean of the better half (rounded up): where noise only adds,
//! that is nearly as good as the minimum, and where it goes both ways far better.

use perf_stats::order::{median, quantile, sorted};
use perf_stats::serial::serial_correlation;
use perf_stats::shift::{median_lower_bound, median_upper_bound};

/// How much slower a pair must be to count: 2% of the cost.
const SLOWER: f64 = 0.019_802_627_296_179_7; // ln 1.02
/// The bound below which a slowdown is negligible: 5% of the cost.
const NEGLIGIBLE: f64 = 0.048_790_164_169_432; // ln 1.05
/// The interim analyses. In simulations of 400,000 series the correlation of independent differences exceeded these
/// values in 10%, 2% and 0.1% of them; as a later look can still conclude, 0.05% remain open for that alone.
pub const LOOKS: [Look; 3] = [
    Look { pairs: 20, slower: 18, within: 15, serial: 0.227 },
    Look { pairs: 40, slower: 32, within: 27, serial: 0.291 },
    Look { pairs: 60, slower: 44, within: 38, serial: 0.368 },
];
/// A median beyond 2% by this many standard deviations counts although pairs depend on each other: what an
/// autocorrelation of 0.9 adds to a median stays well below.
const FAR: f64 = 10.0;
/// Launches a side in one pair, by the noise of single ones: the largest noise, and the number. With single launches
/// the last look misses some slowdowns of 5% above 1.5% noise; with three, some of 10% above 6%.
const LAUNCHES_A_PAIR: [(f64, usize); 3] = [(0.015, 1), (0.06, 3), (f64::INFINITY, 5)];
/// The distance between the quartiles of a normal distribution, in standard deviations.
const QUARTILES: f64 = 1.349;
/// The confidence of the bounds of an effect.
const CONFIDENCE: f64 = 0.95;

/// One interim analysis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// After how many pairs.
    pub pairs: usize,
    /// How many of them must be slower, or faster, by more than 2%.
    pub slower: usize,
    /// How many must be slower by less than 5% for "unchanged".
    pub within: usize,
    /// The largest lag-1 autocorrelation at which pairs are taken as independent.
    pub serial: f64,
}

impl Look {
    /// The look after this many pairs.
    fn after(pairs: usize) -> Option<&'static Self> {
        LOOKS.iter().find(|look| look.pairs == pairs)
    }

    /// What the pairs of this look show, where that suffices.
    fn conclude(&self, differences: &[f64]) -> Option<Outcome> {
        let (is_last, is_serial) = (self.pairs == LAST, self.is_serial(differences));
        let is_far = !is_serial || is_far(differences);
        let unchanged = |sign| !is_serial && within(differences, sign) >= self.within;
        match () {
            () if is_far && beyond(differences, 1.0) >= self.slower => Some(Outcome::Slower),
            () if is_far && beyond(differences, -1.0) >= self.slower => Some(Outcome::Faster),
            // What may be faster by more than 5% is measured to the end.
            () if unchanged(1.0) && (is_last || unchanged(-1.0)) => Some(Outcome::Same),
            () => None,
        }
    }

    fn is_serial(&self, differences: &[f64]) -> bool {
        serial_correlation(differences).is_some_and(|correlation| correlation > self.serial)
    }
}

/// Pairs at the last look.
const LAST: usize = LOOKS[LOOKS.len() - 1].pairs;

/// How many pairs are slower by more than 2%; with a sign of −1, faster.
fn beyond(differences: &[f64], sign: f64) -> usize {
    differences.iter().filter(|difference| sign * **difference > SLOWER).count()
}

/// How many pairs are slower by less than 5%; with a sign of −1, faster.
fn within(differences: &[f64], sign: f64) -> usize {
    differences.iter().filter(|difference| sign * **difference < NEGLIGIBLE).count()
}

fn is_far(differences: &[f64]) -> bool {
    let ordered = sorted(differences);
    median(&ordered).is_some_and(|median| median.abs() - SLOWER > FAR * noise(&ordered))
}

/// The outcome of the interim analyses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// Slower, at one of the looks.
    Slower,
    /// Faster, by the same rule.
    Faster,
    /// Neither, and a slowdown of 5% or more is improbable.
    Same,
    /// The pairs do not suffice.
    Open,
}

/// What the pairs show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Analysis {
    /// The outcome.
    pub outcome: Outcome,
    /// The number of pairs at the look that decided, else at the last one.
    pub pairs: usize,
    /// How many of them were slower by more than 2%; for [`Outcome::Faster`], faster.
    pub slower: usize,
    /// How many of them were slower by less than 5%.
    pub within: usize,
    /// The look; `None` before the first one.
    pub look: Option<Look>,
    /// The median difference, as a distance of costs.
    pub median: f64,
    /// The one-sided upper bound of the median; `None` for too few pairs.
    pub upper: Option<f64>,
    /// The lower bound.
    pub lower: Option<f64>,
    /// The lag-1 autocorrelation of the differences, where pairs depend on each other by the look's measure.
    pub serial: Option<f64>,
    /// Launches a side until the next look; `None` after the last.
    pub until_next: Option<usize>,
    /// Launches a side in one pair.
    pub launches: usize,
    /// The standard deviation of the differences.
    pub noise: f64,
}

impl Analysis {
    /// The slowdown, as a distance, that this many pairs detect with a probability of 0.9.
    pub fn detectable(&self) -> f64 {
        // For 18 of 20, 32 of 40 and 44 of 60: the normal quantile of the share that reaches them with 0.9.
        const NEEDED: [(usize, f64); 3] = [(20, 1.68), (40, 1.10), (60, 0.84)];
        let of_look = NEEDED.iter().rev().find(|(pairs, _)| *pairs <= self.pairs);
        SLOWER + of_look.map_or(NEEDED[0].1, |(_, quantile)| *quantile) * self.noise
    }
}

/// Analyses pairs of costs (base, current) in the order of measurement. `None` without any.
pub fn look(pairs: &[(f64, f64)]) -> Option<Analysis> {
    let launches = launches_a_pair(pairs);
    let differences: Vec<f64> = pairs.chunks_exact(launches).map(difference).collect();
    let (outcome, seen) = interim_analyses(&differences);
    let used = &differences[..seen];
    let look = Look::after(seen).copied();
    let next = LOOKS.iter().find(|look| look.pairs > differences.len());
    Some(Analysis {
        outcome,
        pairs: seen,
        slower: beyond(used, if outcome == Outcome::Faster { -1.0 } else { 1.0 }),
        within: within(used, 1.0),
        median: median(&sorted(used))?,
        upper: median_upper_bound(used, CONFIDENCE),
        lower: median_lower_bound(used, CONFIDENCE),
        serial: look.filter(|look| look.is_serial(used)).and_then(|_| serial_correlation(used)),
        look,
        until_next: next.map(|next| next.pairs * launches - pairs.len()),
        launches,
        noise: noise(&sorted(&differences)),
    })
}

/// The outcome, and after how many pairs.
fn interim_analyses(differences: &[f64]) -> (Outcome, usize) {
    let mut seen = None;
    for look in &LOOKS {
        let Some(used) = differences.get(..look.pairs) else { break };
        if let Some(outcome) = look.conclude(used) {
            return (outcome, look.pairs);
        }
        seen = Some(look.pairs);
    }
    (Outcome::Open, seen.unwrap_or(differences.len()))
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
    let noise = launch_noise(&pairs[..pairs.len().min(LOOKS[0].pairs)]);
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

    /// Pairs where the slower ones are spread evenly, so that no earlier look decides and none resembles its neighbour.
    fn pairs(slower: usize, of: usize, by: f64) -> Vec<(f64, f64)> {
        (0..of).map(|pair| (0.0, if (pair * slower) % of < slower { by } else { 0.0 })).collect()
    }

    fn differences(slower: usize, of: usize, by: f64) -> Vec<f64> {
        pairs(slower, of, by).into_iter().map(|(_, current)| current).collect()
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
            (19, 19, Outcome::Open),
        ] {
            assert_eq!(interim_analyses(&differences(slower, of, 0.06)).0, expected, "{slower} of {of}");
            let is_faster = interim_analyses(&differences(slower, of, -0.06)).0 == Outcome::Faster;
            assert_eq!(is_faster, expected == Outcome::Slower, "-{slower} of {of}");
        }
    }

    #[test]
    fn unchanged_is_concluded_early() {
        for (within, of, expected) in [
            (15, 20, (Outcome::Same, 20)),
            (14, 20, (Outcome::Open, 20)),
            (27, 40, (Outcome::Same, 40)),
            (26, 40, (Outcome::Open, 40)),
            (38, 60, (Outcome::Same, 60)),
            (37, 60, (Outcome::Open, 60)),
        ] {
            assert_eq!(interim_analyses(&differences(of - within, of, 0.06)), expected, "{within} of {of}");
        }
        // What may be an improvement is measured to the end.
        assert_eq!(interim_analyses(&differences(6, 20, -0.06)).0, Outcome::Open);
        assert_eq!(interim_analyses(&differences(30, 60, -0.06)), (Outcome::Same, 60));
    }

    /// The probability that a share of independent pairs reaches its count at any look.
    fn reaches(share: f64, needed: fn(&Look) -> usize) -> f64 {
        let (mut counts, mut reached, mut pairs) = (vec![1.0], 0.0, 0);
        for look in &LOOKS {
            for _ in pairs..look.pairs {
                let mut next = vec![0.0; counts.len() + 1];
                for (count, probability) in counts.iter().enumerate() {
                    next[count] += probability * (1.0 - share);
                    next[count + 1] += probability * share;
                }
                counts = next;
            }
            pairs = look.pairs;
            reached += counts.split_off(needed(look).min(counts.len())).iter().sum::<f64>();
        }
        reached
    }

    /// Half of the pairs of a program that is slower by exactly the bound lie beyond it.
    #[test]
    fn looks_keep_their_error_rates() {
        let slower = reaches(0.5, |look| look.slower);
        assert!((0.000_43..0.000_45).contains(&slower), "{slower}");
        let acquitted = reaches(0.5, |look| look.within);
        assert!((0.047..0.048_5).contains(&acquitted), "{acquitted}");
        let power = reaches(0.8, |look| look.slower);
        assert!((0.925..0.927).contains(&power), "{power}");
    }

    #[test]
    fn pairs_that_resemble_their_neighbours_conclude_nothing() {
        let wave = |height: f64, by: f64| -> Vec<f64> {
            (0..60).map(|pair| by + height * (f64::from(pair) / 12.0).sin()).collect()
        };
        let of = |differences: &[f64]| {
            let pairs: Vec<(f64, f64)> = differences.iter().map(|difference| (0.0, *difference)).collect();
            let found = look(&pairs).unwrap();
            (found.outcome, found.serial.is_some())
        };
        assert_eq!(of(&wave(0.01, 0.0)), (Outcome::Open, true));
        assert_eq!(of(&wave(0.03, 0.06)), (Outcome::Open, true));
        // What they share explains no change of that size.
        assert_eq!(of(&wave(0.01, 0.5)), (Outcome::Slower, true));
        assert_eq!(of(&differences(20, 20, 0.06)), (Outcome::Slower, false));
    }

    #[test]
    fn pairs_after_the_concluding_look_are_ignored() {
        let mut taken = pairs(0, 20, 0.0);
        taken.extend(pairs(200, 200, 0.3));
        let found = look(&taken).unwrap();
        assert_eq!((found.outcome, found.pairs, found.until_next), (Outcome::Same, 20, None));
    }

    #[test]
    fn too_few_pairs_ask_for_launches() {
        let until = |taken: &[(f64, f64)]| look(taken).unwrap().until_next;
        assert_eq!([1, 19].map(|few| until(&pairs(0, few, 0.0))), [Some(19), Some(1)]);
        // Three launches a side make one of these pairs.
        assert_eq!(until(&disturbed(21, 0.05)), Some(39));
        assert_eq!(until(&disturbed(62, 0.05)), Some(58));
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
        let mut taken = pairs(0, 20, 0.0);
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
