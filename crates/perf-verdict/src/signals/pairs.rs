//! Interleaved A/B pairs: a group-sequential test of how much slower one side is.
//!
//! Each interim analysis tests the signs and the signed ranks of the differences. Both tests are one-sided. They test
//! against "slower by 2%" and, to end the measurement of an unchanged program early, against "slower by 5%". It
//! suffices that one of the tests is significant: ranks detect most if noise is nearly normal, and signs if single
//! process runs are disturbed.
//!
//! The analyses share two error probabilities: 0.0005 for concluding a slowdown if it is exactly 2%, and 0.1 for
//! concluding "unchanged" if the slowdown is exactly 5%. Each analysis uses a part of each error, half of it for each
//! test. Because analyses depend on each other, these are upper bounds. The first analysis only concludes "unchanged",
//! and only if the median is within 2%: no pattern of eight signs is improbable enough for a slowdown. Such an early end
//! saves time for the suite's other benchmarks.
//!
//! "Unchanged" ends a measurement only if a speed-up of 5% is as improbable as a slowdown of 5%. If the measurement
//! ends earlier, "not slower" suffices, because a gate fails only slowdowns.
//!
//! The tests assume independent pairs. If the lag-1 autocorrelation of the pairs' ranks (Wald and Wolfowitz 1943,
//! doi:10.1214/aoms/1177731358) contradicts that, an analysis concludes a change only if the change is far larger than
//! such a dependence adds to a median. In a large suite, some benchmarks are autocorrelated by chance. So the analysis
//! still concludes "unchanged" if the bound of the effect remains within 5% after it is widened for the smaller
//! effective number of pairs (Bayley and Hammersley 1946, doi:10.2307/2983560).
//!
//! A change far beyond all noise is concluded at the first analysis: each process run of one side costs at least a
//! quarter more than each process run of the other side, or half more if pairs depend on each other. Of all 12,870 ways
//! to divide 16 process runs into two sides, only one puts the higher half on a given side. In 400,000 simulated series
//! for each kind of noise, a slowdown of exactly 2% was concluded in at most 0.002% (normal noise of 1 to 100%, two
//! modes, a quarter of the process runs three times as long).
//!
//! As a control, the same rule compares the process runs of each side with each other. If it finds a change between
//! them, no change is concluded.

use std::sync::OnceLock;

use crate::statistics::order::{middle, quantile, range, sorted};
use crate::statistics::real;
use crate::statistics::serial::serial_correlation;
use crate::statistics::signed_rank::{approximate_rank_sum, binomial_tail, signed_ranks, typical};

/// A pair is slower if it differs by more than this distance: 2% of the cost.
pub const SLOWER: f64 = 0.019_802_627_296_179_7; // ln 1.02
/// A slowdown below this distance is negligible: 5% of the cost.
const NEGLIGIBLE: f64 = 0.048_790_164_169_432; // ln 1.05
/// The interim analyses. In simulations of 400,000 series, the autocorrelation of independent differences exceeded
/// [`Look::serial`] in 10% of the series for 8 to 20 pairs, in 2% for 40 pairs, and in 0.1% for 60 pairs. The other
/// limits are in between. If an analysis exceeds its limit by chance, a later one can still conclude.
pub const LOOKS: [Look; 10] = [
    Look::new(8, (9, 37), (8, 36), 0.28, 2.73),
    Look::new(DECISIVE, (16, 136), (14, 117), 0.258, 2.73),
    Look::new(20, (19, 202), (17, 173), 0.227, 1.73),
    Look::new(30, (27, 416), (23, 356), 0.267, 1.24),
    Look::new(40, (33, 695), (29, 600), 0.291, 1.02),
    Look::new(60, (46, 1445), (41, 1263), 0.368, 0.80),
    Look::new(90, (65, 3028), (58, 2685), 0.315, 0.64),
    Look::new(140, (95, 6846), (86, 6169), 0.254, 0.50),
    Look::new(220, (141, 15931), (130, 14585), 0.204, 0.40),
    Look::new(300, (186, 28597), (173, 26442), 0.175, 0.34),
];
/// The total error for a slowdown: the probability that any analysis concludes a slowdown if it is exactly 2%.
const FALSE_SLOWDOWNS: f64 = 0.000_5;
/// The total error for "unchanged": the probability that any analysis concludes "unchanged" if the slowdown is exactly
/// 5%.
const FALSE_UNCHANGED: f64 = 0.1;
/// The number of pairs at the first analysis that can conclude a slowdown.
pub const DECISIVE: usize = 16;
/// For "unchanged", the final analysis uses this part of the remaining error. In simulations of 20,000 series each that
/// end after 9 to 60 pairs, a slowdown of exactly 5% was then called unchanged in at most 4.1%.
///
/// For a slowdown, its error is a single analysis's share. With all the remaining error, 2.4 of 1,000 suites with 60
/// benchmarks and 10% noise would fail wrongly after 16 pairs. With a single share, none do.
const AT_END: f64 = 0.8;
/// If the median is beyond 2% by this many standard deviations, a change is concluded even if pairs depend on each
/// other. Even an autocorrelation of 0.9 adds far less to a median.
const FAR: f64 = 10.0;
/// A change is also concluded if the median is beyond 2% by this many standard errors, computed with the upper bound of
/// the autocorrelation.
///
/// In 20,000 simulated series each, this exception barely added false alarms and detected more. For an autocorrelation
/// of 0.3 and 0.6:
///
/// - A slowdown of exactly 2% was concluded in 0.37 and 1.3%, both with and without the exception (for 0.8: in 1.9%
///   with it, 1.8% without it).
/// - Unchanged code with 3% noise was flagged in 0.00 and 0.05%, both with and without it (for 0.8: in 0.44 and 0.43%).
/// - A slowdown of 10% with 3% noise was concluded in 99.5 and 48% with it, and in 91.6 and 34% without it.
const SURE: f64 = 6.0;
/// How an autocorrelation's upper bound is computed: the margin above the estimate, in units of 1/√pairs, and the
/// largest assumed autocorrelation.
const OWN_ERROR: (f64, f64) = (2.0, 0.95);
/// The largest autocorrelation at which "unchanged" can be concluded, or a change by its standard errors. Few pairs
/// underestimate the autocorrelation.
const DEPENDENT: f64 = 0.45;
/// If pairs depend on each other, bounds are additionally widened by this factor, because the autocorrelation is itself
/// an estimate.
///
/// In 300 simulated series each, with 1.5, 3 and 10% noise and an autocorrelation of 0.3 and 0.6, a slowdown of exactly
/// 5% was called unchanged in 6 to 9%, no matter whether dependent pairs could be called unchanged at all. With up to
/// 3% noise, unchanged code was called unchanged in 74 to 99%; if dependent pairs could not be, in 54 to 95%.
const UNCERTAIN: f64 = 2.0;
/// The interquartile range of a normal distribution, in standard deviations.
const QUARTILES: f64 = 1.349;
/// The confidence level of an effect's one-sided bounds.
const CONFIDENCE: f64 = 0.95;

/// One interim analysis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The number of pairs at this analysis.
    pub pairs: usize,
    /// Critical values for a change: for the pairs that are slower, or faster, by more than 2%.
    pub slower: Needed,
    /// Critical values for "unchanged": for the pairs that are slower by less than 5%.
    pub within: Needed,
    /// The largest lag-1 autocorrelation at which pairs are considered independent.
    pub serial: f64,
    /// The slowdown beyond 2% that this analysis detects with a probability of 95% if noise is normal, in standard
    /// deviations of the differences. It was determined by simulation. At the first analyses, a tenth of the series may
    /// seem dependent; later analyses decide them. The first analysis cannot detect a slowdown, and has the second
    /// one's number.
    pub finds: f64,
}

/// The sign test's and the signed-rank test's critical values. It suffices to reach one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Needed {
    /// The critical number of pairs above the tested value.
    pub pairs: usize,
    /// The critical rank sum of these pairs.
    pub ranks: usize,
}

impl Needed {
    /// Computes both tests' critical values, each with half of the error.
    fn by_error(pairs: usize, error: f64) -> Self {
        let share = error / 2.0;
        let is_improbable = |above: &usize| binomial_tail(pairs, *above, 0.5) <= share;
        let above = (pairs / 2..=pairs).find(is_improbable).unwrap_or(pairs + 1);
        Self {
            pairs: above,
            ranks: approximate_rank_sum(pairs, share),
        }
    }

    /// True if the differences above `center` reach the critical value of either test.
    fn is_reached(self, differences: &[f64], center: f64) -> bool {
        let above = differences
            .iter()
            .filter(|difference| **difference - center > 0.0)
            .count();
        // Sorting is slow, so first check the highest rank sum that this many differences can have.
        let most = above * (2 * differences.len() - above + 1) / 2;
        above >= self.pairs
            || (most >= self.ranks && signed_ranks(differences, center).ranks >= real(self.ranks))
    }
}

impl Look {
    const fn new(
        pairs: usize,
        slower: (usize, usize),
        within: (usize, usize),
        serial: f64,
        finds: f64,
    ) -> Self {
        Self {
            pairs,
            slower: Needed {
                pairs: slower.0,
                ranks: slower.1,
            },
            within: Needed {
                pairs: within.0,
                ranks: within.1,
            },
            serial,
            finds,
        }
    }

    /// Returns the final analysis for a measurement that ends after this many pairs. Its error for a slowdown is a
    /// single planned analysis's share. Its error for "unchanged" is [`AT_END`] of the remaining error. Returns `None`
    /// if there are fewer pairs than at the first planned analysis, or at least as many as at the last one.
    fn at_end(pairs: usize) -> Option<&'static Self> {
        static ENDS: [OnceLock<Look>; LAST] = [const { OnceLock::new() }; LAST];
        let taken = LOOKS.iter().take_while(|look| look.pairs < pairs).count();
        let before = LOOKS.iter().rfind(|look| look.pairs <= pairs)?;
        let next = LOOKS.get(taken)?;
        let remaining = real(LOOKS.len() - taken) / real(LOOKS.len());
        Some(ENDS.get(pairs)?.get_or_init(|| Self {
            pairs,
            slower: Needed::by_error(pairs, FALSE_SLOWDOWNS / real(LOOKS.len() - 1)),
            within: Needed::by_error(pairs, FALSE_UNCHANGED * remaining * AT_END),
            serial: before.serial.min(next.serial),
            finds: before.finds,
        }))
    }

    /// Returns the outcome of this analysis; `None` if the pairs do not suffice.
    fn conclude(&self, differences: &[f64]) -> Option<Outcome> {
        let mirrored: Vec<f64> = differences.iter().map(|difference| -difference).collect();
        let (is_last, is_serial) = (self.pairs == LAST, self.is_serial(differences));
        let is_far = !is_serial || is_far(differences);
        if self.pairs < DECISIVE && typically(differences).abs() > SLOWER {
            // More pairs may show a change.
            return None;
        }
        if is_far && self.slower.is_reached(differences, SLOWER) {
            return Some(Outcome::Slower);
        }
        if is_far && self.slower.is_reached(&mirrored, SLOWER) {
            return Some(Outcome::Faster);
        }
        // While an improvement of more than 5% is possible, the measurement continues.
        let is_same = self.is_within(&mirrored, is_serial)
            && (is_last || self.is_within(differences, is_serial));
        is_same.then_some(Outcome::Same)
    }

    /// True if a slowdown of 5% is improbable, given the differences with opposite sign. With the actual differences,
    /// true if a speed-up of 5% is improbable.
    fn is_within(&self, mirrored: &[f64], is_serial: bool) -> bool {
        self.within.is_reached(mirrored, -NEGLIGIBLE) && (!is_serial || is_bounded(mirrored))
    }

    /// True if a slowdown is improbable, so that only an improvement is undecided.
    fn is_not_slower(&self, differences: &[f64]) -> bool {
        let mirrored: Vec<f64> = differences.iter().map(|difference| -difference).collect();
        let is_early = self.pairs < DECISIVE && typically(differences) > SLOWER;
        !is_early && self.is_within(&mirrored, self.is_serial(differences))
    }

    fn is_serial(&self, differences: &[f64]) -> bool {
        serial_correlation(differences).is_some_and(|correlation| correlation > self.serial)
    }
}

/// The number of pairs at the last analysis.
const LAST: usize = LOOKS[LOOKS.len() - 1].pairs;

/// True if a slowdown of 5% is improbable even though the differences depend on each other, given the differences with
/// opposite sign.
fn is_bounded(mirrored: &[f64]) -> bool {
    let Some(serial) = serial_correlation(mirrored).filter(|serial| *serial <= DEPENDENT) else {
        return false;
    };
    let Some(typical) = typical(mirrored, CONFIDENCE) else {
        return false;
    };
    let wider = UNCERTAIN * ((1.0 + serial) / (1.0 - serial)).sqrt();
    typical
        .low
        .is_some_and(|low| typical.estimate - (typical.estimate - low) * wider > -NEGLIGIBLE)
}

/// True if the median is so far beyond 2% that the dependence of pairs cannot explain it.
fn is_far(differences: &[f64]) -> bool {
    let (beyond, noise) = (
        typically(differences).abs() - SLOWER,
        noise(&sorted(differences)),
    );
    let pairs = real(differences.len());
    let serial = serial_correlation(differences).filter(|serial| *serial <= DEPENDENT);
    let errors = serial.map(|serial| {
        let most = (serial + OWN_ERROR.0 / pairs.sqrt()).min(OWN_ERROR.1);
        ((1.0 + most) / (1.0 - most) / pairs).sqrt()
    });
    beyond > FAR * noise || errors.is_some_and(|errors| beyond > SURE * errors * noise)
}

/// Returns the median, or zero without differences.
fn typically(differences: &[f64]) -> f64 {
    middle(differences).unwrap_or_default()
}

/// The outcome of the interim analyses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// An analysis concluded a slowdown.
    Slower,
    /// An analysis concluded a speed-up, by the same rule.
    Faster,
    /// No change was concluded, and a slowdown of 5% or more is improbable.
    Same,
    /// A slowdown of 5% or more is improbable, but further pairs could show an improvement.
    NotSlower,
    /// The pairs do not suffice to conclude anything.
    Open,
}

impl Outcome {
    /// True if further pairs could show a slowdown or an improvement.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Open | Self::NotSlower)
    }
}

/// Estimates the standard deviation of ordered values from their interquartile range. Returns zero without values.
fn noise(ordered: &[f64]) -> f64 {
    let quartiles = quantile(ordered, 0.25).zip(quantile(ordered, 0.75));
    quartiles.map_or(0.0, |(first, third)| (third - first) / QUARTILES)
}

/// The analysis of interleaved pairs: its outcome and its numbers. Effects are distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Analysis {
    /// What the interim analyses concluded.
    pub outcome: Outcome,
    /// How many pairs the analysis used; before the first analysis, how many there are.
    pub pairs: usize,
    /// The margin that pairs are tested against: 2% or less.
    pub margin: f64,
    /// How many of [`Self::pairs`] are slower by more than the margin.
    pub slower: usize,
    /// How many of [`Self::pairs`] are faster by more than the margin.
    pub faster: usize,
    /// How many of [`Self::pairs`] are slower by less than [`Self::negligible`], or faster.
    pub within: usize,
    /// The interim analysis that was used; `None` before the first one.
    pub look: Option<Look>,
    /// The typical difference: the Hodges–Lehmann estimate.
    pub median: f64,
    /// The one-sided upper bound of the typical difference; `None` if there are too few pairs.
    pub upper: Option<f64>,
    /// The one-sided lower bound of the typical difference; `None` if there are too few pairs.
    pub lower: Option<f64>,
    /// The lag-1 autocorrelation of the differences, if it is too large for independent pairs.
    pub serial: Option<f64>,
    /// The number of further pairs until the next interim analysis that could change the outcome. `None` after the last
    /// analysis and after a decision. If more pairs are measured, that analysis replaces the final one.
    pub until_next: Option<usize>,
    /// The standard deviation of the differences.
    pub noise: f64,
    /// The typical difference between the medians of process runs, if the medians are slower but the fastest samples
    /// are not.
    pub tail: Option<f64>,
    /// The outcome of the control, which compares each side's process runs with each other. `None` before the first
    /// analysis.
    pub control: Option<Outcome>,
}

impl Analysis {
    /// Combines this analysis of the fastest samples with the analysis of the same process runs' medians. If most
    /// samples slowed down but the fastest did not, the outcome is neither unchanged nor an improvement.
    #[must_use]
    pub fn beside(self, medians: Option<Self>) -> Self {
        let medians = medians.filter(|medians| medians.outcome == Outcome::Slower);
        let tail = medians.map(|medians| medians.median);
        match (self.outcome, medians) {
            (Outcome::Slower, _) => self,
            // If both analyses decided, no more pairs are needed.
            (Outcome::Faster | Outcome::Same | Outcome::NotSlower, Some(medians)) => Self {
                outcome: Outcome::Open,
                tail,
                until_next: self.until_next.or(medians.until_next),
                ..self
            },
            _ => Self { tail, ..self },
        }
    }

    /// True if the control found a change in unchanged code.
    pub fn is_flagged(&self) -> bool {
        matches!(self.control, Some(Outcome::Slower | Outcome::Faster))
    }

    /// True if more pairs could change the outcome.
    pub fn is_open(&self) -> bool {
        self.until_next.is_some()
    }

    /// Returns the slowdown that this many pairs detect with a probability of 0.95. It is a distance.
    pub fn detectable(&self) -> f64 {
        self.margin + self.look.unwrap_or(LOOKS[0]).finds * self.noise
    }

    /// Returns the largest slowdown that is negligible, as a distance: 5%, or less in proportion to the margin.
    pub fn negligible(&self) -> f64 {
        self.margin * (NEGLIGIBLE / SLOWER)
    }

    /// Converts the analysis to costs that are larger by a factor.
    fn scaled(self, factor: f64) -> Self {
        let by_factor = |distance: f64| distance * factor;
        Self {
            margin: by_factor(self.margin),
            median: by_factor(self.median),
            upper: self.upper.map(by_factor),
            lower: self.lower.map(by_factor),
            noise: by_factor(self.noise),
            tail: self.tail.map(by_factor),
            ..self
        }
    }
}

/// Analyses pairs of costs (base, current) in the order of measurement. The margin is a distance, and may differ from
/// 2%: all tests and bounds scale with the costs.
pub fn look_beyond(pairs: &[(f64, f64)], margin: f64) -> Option<Analysis> {
    let factor = SLOWER / margin;
    if factor.total_cmp(&1.0).is_eq() {
        return look(pairs);
    }
    let scaled: Vec<_> = pairs
        .iter()
        .map(|(base, current)| (base * factor, current * factor))
        .collect();
    Some(look(&scaled)?.scaled(1.0 / factor))
}

/// Analyses pairs of costs (base, current) in the order of measurement, with a margin of 2%.
pub fn look(pairs: &[(f64, f64)]) -> Option<Analysis> {
    let differences: Vec<f64> = pairs.iter().map(|(base, current)| current - base).collect();
    let interim = match apart(pairs) {
        Some(outcome) => Interim::at(&LOOKS[0], outcome, true),
        None => interim_analyses(&differences),
    };
    let look = interim.look;
    let seen = look.map_or(pairs.len(), |look| look.pairs);
    let used = &differences[..seen];
    let typical = typical(used, CONFIDENCE)?;
    let mut until_next = None;
    if !interim.is_decided {
        let next = LOOKS.iter().find(|look| look.pairs > pairs.len());
        until_next = next.map(|next| next.pairs - pairs.len());
    }
    let mut serial = None;
    let mut control = None;
    if let Some(look) = look {
        let controls = interim_analyses(&controls(&pairs[..seen]));
        control = Some(if controls.is_decided {
            controls.outcome
        } else {
            Outcome::Open
        });
        if look.is_serial(used) {
            serial = serial_correlation(used);
        }
    }
    let mut found = Analysis {
        outcome: interim.outcome,
        pairs: seen,
        margin: SLOWER,
        slower: used.iter().filter(|one| **one > SLOWER).count(),
        faster: used.iter().filter(|one| **one < -SLOWER).count(),
        within: used.iter().filter(|one| **one < NEGLIGIBLE).count(),
        median: typical.estimate,
        upper: typical.high,
        lower: typical.low,
        serial,
        look,
        until_next,
        noise: noise(&sorted(&differences)),
        tail: None,
        control,
    };
    // The machine is too noisy for this benchmark, so more process runs would not help.
    if found.is_flagged() && matches!(found.outcome, Outcome::Slower | Outcome::Faster) {
        found.outcome = Outcome::Open;
    }
    Some(found)
}

/// If the two sides' process runs are apart by this distance, the first analysis concludes a change: 25%, or 50% if
/// pairs depend on each other.
const APART: [f64; 2] = [0.223_143_551_314_209_7, 0.405_465_108_108_164_4];

/// Returns the outcome at the first analysis, if the two sides' process runs are apart.
fn apart(pairs: &[(f64, f64)]) -> Option<Outcome> {
    let [first, ..] = &LOOKS;
    let pairs = pairs.get(..first.pairs)?;
    let differences: Vec<f64> = pairs.iter().map(|(base, current)| current - base).collect();
    let least = APART[usize::from(first.is_serial(&differences))];
    let (base, current): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let (base, current) = (range(&base)?, range(&current)?);
    if current.0 - base.1 > least {
        Some(Outcome::Slower)
    } else if base.0 - current.1 > least {
        Some(Outcome::Faster)
    } else {
        None
    }
}

/// Returns the differences between each side's consecutive process runs, as many as there are pairs. The two sides have
/// opposite signs, so that drift cancels out.
fn controls(pairs: &[(f64, f64)]) -> Vec<f64> {
    let of_two = |two: &[(f64, f64)]| [two[1].0 - two[0].0, two[0].1 - two[1].1];
    pairs.chunks_exact(2).flat_map(of_two).collect()
}

/// An outcome, and the analysis that reached it.
struct Interim {
    outcome: Outcome,
    look: Option<Look>,
    /// True if a planned analysis concluded, so that no more pairs are needed.
    is_decided: bool,
}

impl Interim {
    fn at(look: &Look, outcome: Outcome, is_decided: bool) -> Self {
        Self {
            outcome,
            look: Some(*look),
            is_decided,
        }
    }
}

fn interim_analyses(differences: &[f64]) -> Interim {
    let mut last = None;
    for look in &LOOKS {
        let Some(used) = differences.get(..look.pairs) else {
            break;
        };
        if let Some(outcome) = look.conclude(used) {
            return Interim::at(look, outcome, true);
        }
        last = Some((look, used));
    }
    let end = Look::at_end(differences.len()).map(|look| (look, differences));
    let Some((look, used)) = end.or(last) else {
        return Interim {
            outcome: Outcome::Open,
            look: None,
            is_decided: false,
        };
    };
    if let Some(outcome) = look.conclude(used) {
        return Interim::at(look, outcome, false);
    }
    // Pairs after the last planned analysis do not revoke its conclusion.
    for (look, used) in [end, last].into_iter().flatten() {
        if look.is_not_slower(used) {
            return Interim::at(look, Outcome::NotSlower, false);
        }
    }
    Interim::at(look, Outcome::Open, false)
}

#[cfg(test)]
mod tests {
    use crate::statistics::signed_rank::critical_rank_sum;
    use proptest::prelude::*;

    use super::*;

    /// Pairs with evenly spread slower ones, so that no earlier analysis decides and neighbours do not resemble each
    /// other.
    fn pairs(slower: usize, of: usize, by: f64) -> Vec<(f64, f64)> {
        (0..of)
            .map(|pair| {
                (
                    0.0,
                    if (pair * slower) % of < slower {
                        by
                    } else {
                        0.0
                    },
                )
            })
            .collect()
    }

    /// The critical values come from the exact distributions of both tests, at this analysis' share of each error.
    #[test]
    fn looks_have_exact_critical_values() {
        for look in &LOOKS {
            let looks = real(LOOKS.len());
            // The first analysis has no share of an error that it cannot make.
            for (needed, error, looks) in [
                (look.slower, FALSE_SLOWDOWNS, looks - 1.0),
                (look.within, FALSE_UNCHANGED, looks),
            ] {
                let share = error / looks / 2.0;
                let tail = |count: usize| binomial_tail(look.pairs, count, 0.5);
                assert!(
                    tail(needed.pairs) <= share && tail(needed.pairs - 1) > share,
                    "{look:?}"
                );
                assert_eq!(
                    needed.ranks,
                    critical_rank_sum(look.pairs, share),
                    "{look:?}"
                );
            }
        }
    }

    #[test]
    fn at_the_end_a_slowdown_has_the_error_of_one_look() {
        for look in LOOKS
            .iter()
            .filter(|look| (DECISIVE..=60).contains(&look.pairs))
        {
            assert_eq!(Look::at_end(look.pairs).unwrap().slower, look.slower);
        }
        assert_eq!([7, 300, 400].map(Look::at_end), [None; 3]);
    }

    #[test]
    fn change_beyond_dependence_is_concluded() {
        // Slower by `by`, plus or minus 0.02 in alternate groups of three pairs.
        let outcome = |by: f64| {
            let in_threes = |pair: usize| {
                if (pair / 3).is_multiple_of(2) {
                    0.02
                } else {
                    -0.02
                }
            };
            let found = look(
                &(0..22)
                    .map(|pair| (0.0, by + in_threes(pair)))
                    .collect::<Vec<_>>(),
            )
            .unwrap();
            (found.outcome, found.pairs, found.serial.is_some())
        };
        assert_eq!(outcome(0.16), (Outcome::Slower, 16, true));
        assert_eq!(outcome(-0.16), (Outcome::Faster, 20, true));
        assert_eq!(outcome(0.08), (Outcome::Open, 22, true));
    }

    #[test]
    fn a_smaller_margin_detects_smaller_differences() {
        // 1% slower, give or take 0.2%.
        let taken: Vec<_> = (0..30)
            .map(|pair| (0.0, 0.01 + 0.001 * f64::from((pair * 7) % 5 - 2)))
            .collect();
        let usual = look(&taken).unwrap();
        assert_eq!((usual.outcome, usual.slower), (Outcome::Same, 0));
        let fine = look_beyond(&taken, 0.005).unwrap();
        assert_eq!(
            (fine.outcome, fine.pairs, fine.slower, fine.within),
            (Outcome::Slower, 16, 16, 16)
        );
        assert!(
            (fine.median - 0.01).abs() < 0.001 && (fine.negligible() - 0.012_319).abs() < 1e-6,
            "{fine:?}"
        );
        assert!(
            fine.detectable() < 0.01 && usual.detectable() > SLOWER,
            "{fine:?}"
        );
    }

    #[test]
    fn pairs_that_end_between_two_looks_are_analysed_once_more() {
        let outcome = |taken: &[(f64, f64)]| {
            let found = look(taken).unwrap();
            (found.outcome, found.pairs, found.is_open())
        };
        // If more pairs follow, the next analysis decides.
        assert_eq!(outcome(&pairs(3, 16, 0.2)), (Outcome::Same, 16, true));
        assert_eq!(outcome(&pairs(3, 18, 0.2)), (Outcome::Same, 18, true));
        assert_eq!(outcome(&pairs(5, 18, 0.2)), (Outcome::Open, 18, true));
        let mut slower = pairs(30, 30, 0.06);
        slower[3].1 = -0.5;
        slower[11].1 = -0.5;
        assert_eq!(outcome(&slower[..20]), (Outcome::Open, 20, true));
        assert_eq!(outcome(&slower[..28]), (Outcome::Slower, 28, true));
        assert_eq!(outcome(&slower), (Outcome::Slower, 30, false));
    }

    #[test]
    fn either_test_suffices() {
        let outcome = |taken: &[(f64, f64)]| look(taken).map(|found| (found.outcome, found.pairs));
        // By signs only: the other pairs are far faster.
        let mut signs = pairs(19, 20, 0.06);
        signs
            .iter_mut()
            .filter(|pair| pair.1 == 0.0)
            .for_each(|pair| pair.1 = -1.0);
        assert_eq!(outcome(&signs), Some((Outcome::Slower, 20)));
        // By ranks only: the other pairs are just within the margin.
        let ranks: Vec<(f64, f64)> = pairs(25, 30, 0.06)
            .iter()
            .map(|(base, current)| (*base, current.max(0.019)))
            .collect();
        assert_eq!(outcome(&ranks), Some((Outcome::Slower, 30)));
        let mirrored: Vec<(f64, f64)> = ranks
            .iter()
            .map(|(base, current)| (*current, *base))
            .collect();
        assert_eq!(outcome(&mirrored), Some((Outcome::Faster, 30)));
        assert_eq!(outcome(&pairs(12, 20, 0.06)), Some((Outcome::Open, 20)));
        assert_eq!(outcome(&pairs(15, 15, 0.06)), Some((Outcome::Open, 15)));
        assert_eq!(outcome(&pairs(7, 7, 0.06)), Some((Outcome::Open, 7)));
        assert_eq!(outcome(&[]), None);
    }

    #[test]
    fn sides_that_lie_apart_are_concluded_at_the_first_look() {
        let outcome = |taken: &[(f64, f64)]| look(taken).map(|found| (found.outcome, found.pairs));
        assert_eq!(outcome(&pairs(8, 8, 0.23)), Some((Outcome::Slower, 8)));
        assert_eq!(outcome(&pairs(8, 8, -0.23)), Some((Outcome::Faster, 8)));
        assert_eq!(outcome(&pairs(8, 8, 0.22)), Some((Outcome::Open, 8)));
        assert_eq!(outcome(&pairs(7, 7, 0.5)), Some((Outcome::Open, 7)));
        // One process run is not slower.
        let mut single = pairs(8, 8, 0.5);
        single[3].1 = 0.1;
        assert_eq!(outcome(&single), Some((Outcome::Open, 8)));
        // Each pair is slower, but one base run costs as much as one current run.
        let drifting: Vec<(f64, f64)> = (0..8)
            .map(|pair| (f64::from(pair) * 0.1, f64::from(pair) * 0.1 + 0.5))
            .collect();
        assert_eq!(outcome(&drifting), Some((Outcome::Open, 8)));
        // Dependent pairs must be apart by more.
        let dependent = |by: f64| -> Vec<(f64, f64)> {
            [0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07]
                .map(|step| (0.0, by + step))
                .to_vec()
        };
        assert_eq!(outcome(&dependent(0.3)), Some((Outcome::Open, 8)));
        assert_eq!(outcome(&dependent(0.41)), Some((Outcome::Slower, 8)));
    }

    #[test]
    fn unchanged_is_concluded_early() {
        let outcome = |taken: &[(f64, f64)]| look(taken).map(|found| (found.outcome, found.pairs));
        assert_eq!(outcome(&pairs(0, 20, 0.0)), Some((Outcome::Same, 8)));
        // While an improvement is possible, all pairs are measured.
        assert_eq!(
            outcome(&pairs(12, 20, -0.06)),
            Some((Outcome::NotSlower, 20))
        );
        // The outcome is only "not slower" if a slowdown is improbable.
        assert_eq!(outcome(&pairs(12, 20, 0.06)), Some((Outcome::Open, 20)));
    }

    #[test]
    fn pairs_that_resemble_their_neighbours_conclude_nothing() {
        let wave = |height: f64, by: f64| -> Vec<(f64, f64)> {
            (0..60)
                .map(|pair| (0.0, by + height * (f64::from(pair) / 12.0).sin()))
                .collect()
        };
        let of = |taken: &[(f64, f64)]| {
            let found = look(taken).unwrap();
            (found.outcome, found.serial.is_some())
        };
        assert_eq!(of(&wave(0.01, 0.0)), (Outcome::Open, true));
        assert_eq!(of(&wave(0.03, 0.06)), (Outcome::Open, true));
        // The shared noise cannot explain such a change.
        assert_eq!(of(&wave(0.01, 0.5)), (Outcome::Slower, true));
    }

    #[test]
    fn pairs_that_resemble_their_neighbours_are_unchanged_within_a_wider_bound() {
        let of = |by: f64, height: f64| {
            let signs = [1.0, 0.9, 0.3, -1.0, -0.8, -0.4, 0.5, -0.7];
            let taken: Vec<(f64, f64)> =
                signs.iter().map(|sign| (0.0, by + height * sign)).collect();
            let found = look(&taken).unwrap();
            (found.outcome, found.serial.is_some())
        };
        assert_eq!(of(0.0, 0.01), (Outcome::Same, true));
        assert_eq!(of(0.0, 0.03), (Outcome::Open, true));
        assert_eq!(of(0.03, 0.01), (Outcome::Open, true));
    }

    #[test]
    fn pairs_after_the_concluding_look_are_ignored() {
        let mut taken = pairs(0, 20, 0.0);
        taken.extend(pairs(200, 200, 0.3));
        let found = look(&taken).unwrap();
        assert_eq!(
            (found.outcome, found.pairs, found.until_next),
            (Outcome::Same, 8, None)
        );
    }

    #[test]
    fn too_few_pairs_ask_for_more() {
        let until = |taken: &[(f64, f64)]| look(taken).unwrap().until_next;
        assert_eq!(
            [(0, 1), (0, 7), (9, 15), (9, 16), (150, 300)]
                .map(|(slower, of)| until(&pairs(slower, of, 0.06))),
            [Some(7), Some(1), Some(1), Some(4), None]
        );
    }

    #[test]
    fn slower_by_two_percent_or_less_does_not_count() {
        assert_eq!(
            look(&pairs(60, 60, 1.019f64.ln())).unwrap().outcome,
            Outcome::Same
        );
        assert_eq!(
            look(&pairs(60, 60, 1.021f64.ln())).unwrap().outcome,
            Outcome::Slower
        );
        assert_eq!(
            look(&pairs(60, 60, -1.05f64.ln())).unwrap().outcome,
            Outcome::Faster
        );
    }

    #[test]
    fn unchanged_code_that_is_flagged_settles_nothing() {
        // Every second process run is slower in the base, and faster on the current side.
        let waves = |by: f64| -> Vec<(f64, f64)> {
            (0..20)
                .map(|pair| {
                    if pair % 2 == 0 {
                        (0.0, by)
                    } else {
                        (0.1, by - 0.1)
                    }
                })
                .collect()
        };
        let found = look(&waves(0.3)).unwrap();
        assert_eq!(
            (found.outcome, found.until_next, found.is_flagged()),
            (Outcome::Open, None, true)
        );
        let found = look(&pairs(20, 20, 0.3)).unwrap();
        assert_eq!(
            (found.outcome, found.control),
            (Outcome::Slower, Some(Outcome::Same))
        );
        assert_eq!(look(&waves(0.3)[..7]).unwrap().control, None);
    }

    #[test]
    fn drift_of_both_sides_flags_nothing() {
        let cost = |launch: u32| f64::from(launch) * 0.1;
        let drifting: Vec<_> = (0..60)
            .map(|launch| (cost(launch), cost(launch) + 0.001))
            .collect();
        assert!(!look(&drifting).unwrap().is_flagged());
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
