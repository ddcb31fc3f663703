//! Mixtures: a share of the launches is far slower than the others, which their median hides.
//!
//! Launches count as far by their distance from the median of their own side, so a change that all of them share counts
//! nothing. Fisher's exact test (1922, doi:10.2307/2340521) compares the numbers of far launches: under load both sides
//! have some. The mean says how much they matter.

use crate::statistics::binomial;
use crate::statistics::order::{NORMAL, mad, middle, quantile, sorted};

/// The smallest distance from the median that is far: 10% of the cost.
const FAR: f64 = 0.095_310_179_804_324_9; // ln 1.1
/// The same in standard deviations of both sides.
const SCALES: f64 = 4.0;
/// The probability with which an unchanged program has so many more far launches: 5 of 20 against none are enough.
const SIGNIFICANT: f64 = 0.025;

/// More far launches than the baseline has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mixture {
    /// Far launches, and all launches, of the current run.
    pub current: (usize, usize),
    /// The same of the baseline.
    pub base: (usize, usize),
    /// The distance of the median of the far launches from that of all launches, as costs.
    pub distance: f64,
    /// The growth of the mean cost beyond that of the median, as a distance.
    pub excess: f64,
    /// True if the launches are iterations of one process.
    pub is_iterations: bool,
}

/// Compares the costs of two sides; `None` where the current one has no more far launches than chance explains.
pub fn look(base: &[f64], current: &[f64]) -> Option<Mixture> {
    let [base, current] = [deviations(base)?, deviations(current)?];
    of_deviations(&base, &current)
}

/// The same of distances from the median of each side.
pub fn of_deviations(base: &[f64], current: &[f64]) -> Option<Mixture> {
    let pooled: Vec<f64> = base.iter().chain(current).copied().collect();
    let far = FAR.max(SCALES * NORMAL * mad(&sorted(&pooled))?);
    let of = |side: &[f64]| {
        sorted(
            &side
                .iter()
                .copied()
                .filter(|distance| *distance > far)
                .collect::<Vec<_>>(),
        )
    };
    let (far_base, far_current) = (of(base), of(current));
    let p = binomial::hypergeometric_tail(
        far_current.len(),
        current.len(),
        far_base.len() + far_current.len(),
        base.len() + current.len(),
    );
    (p <= SIGNIFICANT).then_some(())?;
    Some(Mixture {
        current: (far_current.len(), current.len()),
        base: (far_base.len(), base.len()),
        distance: quantile(&far_current, 0.5)?,
        excess: mean_excess(current) - mean_excess(base),
        is_iterations: false,
    })
}

/// The distances of costs from their median.
fn deviations(costs: &[f64]) -> Option<Vec<f64>> {
    let usual = middle(costs)?;
    Some(costs.iter().map(|cost| cost - usual).collect())
}

/// The distance of the mean cost from the median.
#[expect(
    clippy::cast_precision_loss,
    reason = "launches are far fewer than 2^53"
)]
fn mean_excess(deviations: &[f64]) -> f64 {
    (deviations
        .iter()
        .map(|distance| distance.exp())
        .sum::<f64>()
        / deviations.len() as f64)
        .ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Launches with 1% of noise, of which every `each`-th costs `times` as much.
    fn launches(count: u32, each: u32, times: f64) -> Vec<f64> {
        let noise = |launch: u32| 0.01 * f64::from((launch * 7) % 5);
        (0..count)
            .map(|launch| noise(launch) + if launch % each == 0 { times.ln() } else { 0.0 })
            .collect()
    }

    #[test]
    fn a_share_of_far_launches_is_found_behind_the_median() {
        let found = look(&launches(24, 99, 1.0), &launches(24, 4, 10.0)).unwrap();
        assert_eq!((found.current, found.base), ((6, 24), (0, 24)));
        assert!(
            (found.distance.exp() - 10.0).abs() < 0.5 && (found.excess.exp() - 3.2).abs() < 0.2,
            "{found:?}"
        );
        for (each, times) in [(4, 1.05), (12, 10.0)] {
            assert_eq!(
                look(&launches(24, 99, 1.0), &launches(24, each, times)),
                None,
                "{each} {times}"
            );
        }
        // The baseline has them, too.
        assert_eq!(look(&launches(24, 4, 10.0), &launches(24, 4, 10.0)), None);
        assert_eq!(look(&launches(24, 4, 10.0), &launches(24, 99, 1.0)), None);
        assert_eq!(look(&launches(4, 99, 1.0), &launches(4, 4, 10.0)), None);
        assert_eq!(look(&[], &[1.0]), None);
    }

    #[test]
    fn what_all_launches_share_is_no_mixture() {
        let slower: Vec<f64> = launches(40, 99, 1.0)
            .iter()
            .map(|cost| cost + 1.0)
            .collect();
        assert_eq!(look(&launches(40, 99, 1.0), &slower), None);
    }
}
