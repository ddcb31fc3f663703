//! The interim analyses of pairs: their tests and critical values.

use std::sync::OnceLock;

use crate::statistics::binomial;
use crate::statistics::order::{middle, quantile, sorted};
use crate::statistics::serial::serial_correlation;
use crate::statistics::signed_rank::{approximate_rank_sum, signed_ranks, typical};

/// A pair that differs by more is slower: 2% of the cost.
pub const SLOWER: f64 = 0.019_802_627_296_179_7; // ln 1.02
/// The bound below which a slowdown is negligible: 5% of the cost.
pub(super) const NEGLIGIBLE: f64 = 0.048_790_164_169_432; // ln 1.05
/// The interim analyses. In simulations of 400,000 series, the correlation of independent differences exceeded the
/// limits for 8 to 20, 40 and 60 pairs in 10%, 2% and 0.1%; the others are in between. A later analysis can still
/// conclude.
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
/// The probability that a slowdown of exactly 2% is concluded at any analysis.
pub(super) const FALSE_SLOWDOWNS: f64 = 0.000_5;
/// The probability that a slowdown of exactly 5% is unchanged at any analysis.
pub(super) const FALSE_UNCHANGED: f64 = 0.1;
/// Pairs at the first analysis that can conclude a slowdown.
pub const DECISIVE: usize = 16;
/// The final analysis uses this part of the remaining error for "unchanged". In simulations of 20,000 series each that
/// end after 9 to 60 pairs, exactly 5% slower was then unchanged in at most 4.1%. Its error for a slowdown is one
/// analysis' share: with all the remaining error, 2.4 of 1,000 suites of 60 with 10% noise fail wrongly after 16 pairs,
/// without it none.
const AT_END: f64 = 0.8;
/// If the median is beyond 2% by this many standard deviations, it is used although pairs depend on each other: even an
/// autocorrelation of 0.9 adds far less to a median.
const FAR: f64 = 10.0;
/// The same for a median beyond 2% by this many standard errors, computed with the upper end of the autocorrelation's
/// own error. In 20,000 simulated series each, with an autocorrelation of 0.3 and 0.6, a slowdown of exactly 2% was
/// concluded in 0.37 and 1.3%, as without this exception (0.8: 1.9 instead of 1.8%). No change at 3% noise was flagged
/// in 0.00 and 0.05%, as without it (0.8: 0.44 and 0.43%). A slowdown of 10% at 3% noise was concluded in 99.5 and 48%
/// (without it 91.6 and 34%).
const SURE: f64 = 6.0;
/// The error of an autocorrelation, in units of 1/√pairs, and the largest assumed autocorrelation.
const OWN_ERROR: (f64, f64) = (2.0, 0.95);
/// The largest autocorrelation at which "unchanged" can be concluded, or a slowdown by its standard errors. Few pairs
/// underestimate it.
const DEPENDENT: f64 = 0.45;
/// Bounds for pairs that depend on each other are wider by this factor, because their autocorrelation is itself an
/// estimate. In 300 simulated series each, with 1.5, 3 and 10% noise and an autocorrelation of 0.3 and 0.6, exactly 5%
/// slower was unchanged in 6 to 9%, as without this exception; no change in 74 to 99% with up to 3% noise (54 to 95%
/// without it).
const UNCERTAIN: f64 = 2.0;
/// The interquartile range of a normal distribution in standard deviations.
const QUARTILES: f64 = 1.349;
/// The confidence of the bounds of an effect.
pub(super) const CONFIDENCE: f64 = 0.95;

/// One interim analysis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The number of pairs.
    pub pairs: usize,
    /// Critical values for pairs slower, or faster, by more than 2%.
    pub slower: Needed,
    /// Critical values for pairs slower by less than 5%, which make "unchanged".
    pub within: Needed,
    /// The largest lag-1 autocorrelation at which pairs are taken as independent.
    pub serial: f64,
    /// The slowdown beyond 2%, in standard deviations of the differences, that its tests find with a probability of 95%
    /// where noise is normal; by simulation. A tenth of the series may seem dependent at the first analyses; later ones
    /// decide them. The first analysis detects nothing, and uses the second one's number.
    pub finds: f64,
}

/// Critical values; reaching one of them suffices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Needed {
    /// The number of pairs.
    pub pairs: usize,
    /// The sum of their ranks.
    pub ranks: u32,
}

impl Needed {
    /// The critical values for both tests, with half of the error each.
    #[expect(clippy::cast_possible_truncation, reason = "hundreds of pairs")]
    fn by_error(pairs: usize, error: f64) -> Self {
        let share = error / 2.0;
        let is_improbable =
            |above: &usize| binomial::tail(pairs as u64, *above as u64, 0.5) <= share;
        let above = (pairs / 2..=pairs).find(is_improbable).unwrap_or(pairs + 1);
        Self {
            pairs: above,
            ranks: approximate_rank_sum(pairs, share) as u32,
        }
    }

    /// True if enough differences are above a number, by their signs or their ranks.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a sum of ranks of hundreds of pairs"
    )]
    fn is_reached(self, differences: &[f64], center: f64) -> bool {
        let above = differences
            .iter()
            .filter(|difference| **difference - center > 0.0)
            .count();
        let needed = f64::from(self.ranks);
        // Sorting is slow, so first check the highest possible sum of ranks.
        let most = above * (2 * differences.len() - above + 1) / 2;
        above >= self.pairs
            || (most as f64 >= needed && signed_ranks(differences, center).ranks >= needed)
    }
}

impl Look {
    const fn new(
        pairs: usize,
        slower: (usize, u32),
        within: (usize, u32),
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

    /// The final analysis if a measurement ends after this many pairs. Its error for a slowdown is the error of the
    /// first analysis that was not reached, for "unchanged" [`AT_END`]. `None` with fewer pairs than the first
    /// analysis, or as many as the last.
    pub(super) fn at_end(pairs: usize) -> Option<&'static Self> {
        static ENDS: [OnceLock<Look>; LAST] = [const { OnceLock::new() }; LAST];
        let taken = LOOKS.iter().take_while(|look| look.pairs < pairs).count();
        let before = LOOKS.iter().rfind(|look| look.pairs <= pairs)?;
        let next = LOOKS.get(taken)?;
        Some(ENDS.get(pairs)?.get_or_init(|| Self {
            pairs,
            slower: Needed::by_error(
                pairs,
                FALSE_SLOWDOWNS * left(LOOKS.len() - 2, LOOKS.len() - 1),
            ),
            within: Needed::by_error(pairs, FALSE_UNCHANGED * left(taken, LOOKS.len()) * AT_END),
            serial: before.serial.min(next.serial),
            finds: before.finds,
        }))
    }

    /// The outcome at this analysis; `None` if the pairs do not suffice.
    pub(super) fn conclude(&self, differences: &[f64]) -> Option<Outcome> {
        let mirrored: Vec<f64> = differences.iter().map(|difference| -difference).collect();
        let (is_last, is_serial) = (self.pairs == LAST, self.is_serial(differences));
        let is_far = !is_serial || is_far(differences);
        if self.pairs < DECISIVE && typically(differences).abs() > SLOWER {
            // More pairs may detect it.
            return None;
        }
        if is_far && self.slower.is_reached(differences, SLOWER) {
            return Some(Outcome::Slower);
        }
        if is_far && self.slower.is_reached(&mirrored, SLOWER) {
            return Some(Outcome::Faster);
        }
        // A possible improvement of more than 5% is measured to the end.
        let is_same = self.is_within(&mirrored, is_serial)
            && (is_last || self.is_within(differences, is_serial));
        is_same.then_some(Outcome::Same)
    }

    /// True if a slowdown of 5% is improbable. Takes mirrored differences.
    fn is_within(&self, mirrored: &[f64], is_serial: bool) -> bool {
        self.within.is_reached(mirrored, -NEGLIGIBLE) && (!is_serial || is_bounded(mirrored))
    }

    /// True if only an improvement is undecided.
    pub(super) fn is_not_slower(&self, differences: &[f64]) -> bool {
        let mirrored: Vec<f64> = differences.iter().map(|difference| -difference).collect();
        let is_early = self.pairs < DECISIVE && typically(differences) > SLOWER;
        !is_early && self.is_within(&mirrored, self.is_serial(differences))
    }

    pub(super) fn is_serial(&self, differences: &[f64]) -> bool {
        serial_correlation(differences).is_some_and(|correlation| correlation > self.serial)
    }
}

/// The share of the analyses that remains.
#[expect(clippy::cast_precision_loss, reason = "ten looks")]
fn left(taken: usize, all: usize) -> f64 {
    (all - taken) as f64 / all as f64
}

/// Pairs at the last analysis.
const LAST: usize = LOOKS[LOOKS.len() - 1].pairs;

/// True if a slowdown of 5% is improbable even though the differences depend on each other. Takes mirrored differences.
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
#[expect(clippy::cast_precision_loss, reason = "hundreds of pairs")]
fn is_far(differences: &[f64]) -> bool {
    let (beyond, noise) = (
        typically(differences).abs() - SLOWER,
        noise(&sorted(differences)),
    );
    let pairs = differences.len() as f64;
    let serial = serial_correlation(differences).filter(|serial| *serial <= DEPENDENT);
    let errors = serial.map(|serial| {
        let most = (serial + OWN_ERROR.0 / pairs.sqrt()).min(OWN_ERROR.1);
        ((1.0 + most) / (1.0 - most) / pairs).sqrt()
    });
    beyond > FAR * noise || errors.is_some_and(|errors| beyond > SURE * errors * noise)
}

/// The median; zero without any.
fn typically(differences: &[f64]) -> f64 {
    middle(differences).unwrap_or_default()
}

/// The outcome of the interim analyses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// Slower, at one of the analyses.
    Slower,
    /// Faster, by the same rule.
    Faster,
    /// Neither, and a slowdown of 5% or more is improbable.
    Same,
    /// A slowdown of 5% or more is improbable, and further pairs could show an improvement.
    NotSlower,
    /// The pairs do not suffice.
    Open,
}

impl Outcome {
    /// True if further pairs could show a slowdown or an improvement.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Open | Self::NotSlower)
    }
}

/// The standard deviation of ordered values from their interquartile range; zero without any.
pub(super) fn noise(ordered: &[f64]) -> f64 {
    let quartiles = quantile(ordered, 0.25).zip(quantile(ordered, 0.75));
    quartiles.map_or(0.0, |(first, third)| (third - first) / QUARTILES)
}
