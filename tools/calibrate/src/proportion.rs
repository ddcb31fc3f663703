//! Confidence intervals for proportions, of independent trials or of dependent ones such as a pull request's rows.

use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::beta::checked_beta_reg;

use perf_verdict::statistics::signed_rank::binomial_tail;

/// The confidence interval of a proportion, given the successes and trials of each unit in order.
///
/// The method comes from Korn and Graubard (1998, *Confidence intervals for proportions with small expected number of
/// positive counts estimated from survey data*): the Clopper–Pearson interval for the effective number of trials. That
/// many independent trials would have the same variance as blocks of units have. A block has n^⅓ units, rounded up
/// (Hall, Horowitz and Jing 1995). If all or no trials succeed, blocks show no variance, and each unit is one trial.
/// Returns `(0, 1)` without trials.
pub fn interval(units: &[(u64, u64)], confidence: f64) -> (f64, f64) {
    let units: Vec<(f64, f64)> = units
        .iter()
        .filter(|unit| unit.1 > 0)
        .map(|unit| (count(unit.0.min(unit.1)), count(unit.1)))
        .collect();
    let (hits, trials) = sum(&units);
    if trials < 1.0 || !(confidence > 0.0 && confidence < 1.0) {
        return (0.0, 1.0);
    }
    let share = hits / trials;
    let side = (1.0 - confidence) / 2.0;
    let effective = if share <= 0.0 || share >= 1.0 {
        real(units.len())
    } else {
        effective(&units, share, trials, side)
    };
    let (hits, misses) = (effective * share, effective * (1.0 - share));
    (lower(hits, misses, side), 1.0 - lower(misses, hits, side))
}

fn sum(units: &[(f64, f64)]) -> (f64, f64) {
    units
        .iter()
        .fold((0.0, 0.0), |sum, unit| (sum.0 + unit.0, sum.1 + unit.1))
}

/// The number of independent trials with the same variance; at least one.
fn effective(units: &[(f64, f64)], share: f64, trials: f64, side: f64) -> f64 {
    let blocks: Vec<(f64, f64)> = units.chunks(block(units.len())).map(sum).collect();
    let degrees = real(blocks.len()) - 1.0;
    if degrees < 1.0 {
        return 1.0;
    }
    let squares = blocks
        .iter()
        .map(|(hits, count)| (hits - share * count).powi(2))
        .sum::<f64>();
    let variance = squares * (degrees + 1.0) / degrees / trials.powi(2);
    let shown = share * (1.0 - share) / variance;
    // The variance of a few blocks is uncertain.
    let correction = quantile(trials - 1.0, side) / quantile(degrees, side);
    (shown * correction.powi(2)).min(trials).max(1.0)
}

/// The number of units in a block.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cube root, rounded up"
)]
fn block(units: usize) -> usize {
    (real(units).cbrt() - 1e-9).ceil().max(1.0) as usize
}

/// The quantile of Student's t that is exceeded with probability `side`.
fn quantile(degrees: f64, side: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees.max(1.0)).map_or(1.0, |t| t.inverse_cdf(1.0 - side))
}

/// The proportion for which at least this many hits have probability `side`; zero for no hits.
fn lower(hits: f64, misses: f64, side: f64) -> f64 {
    if hits <= 0.0 {
        return 0.0;
    }
    proportion(side, |share| {
        checked_beta_reg(hits, misses + 1.0, share).unwrap_or(1.0)
    })
}

/// The exact confidence interval of a proportion (Clopper and Pearson 1934, doi:10.1093/biomet/26.4.404), which is
/// never too narrow. Returns `(0, 1)` without trials or if the confidence is not between 0 and 1. Successes are capped
/// at the number of trials.
pub fn exact_interval(successes: u64, trials: u64, confidence: f64) -> (f64, f64) {
    let successes = successes.min(trials);
    if trials == 0 || !(confidence > 0.0 && confidence < 1.0) {
        return (0.0, 1.0);
    }
    let side = (1.0 - confidence) / 2.0;
    (
        exact_lower(successes, trials, side),
        1.0 - exact_lower(trials - successes, trials, side),
    )
}

/// The proportion for which this many successes or more have probability `side`; zero for none.
fn exact_lower(successes: u64, trials: u64, side: f64) -> f64 {
    if successes == 0 {
        0.0
    } else {
        let [trials, successes] =
            [trials, successes].map(|count| usize::try_from(count).unwrap_or(usize::MAX));
        proportion(side, |share| binomial_tail(trials, successes, share))
    }
}

/// The proportion for which a tail has probability `side`, by bisection, because tails grow with the proportion.
fn proportion(side: f64, tail: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if tail(middle) < side {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[expect(
    clippy::cast_precision_loss,
    reason = "no caller needs counts beyond 2⁵³ exactly"
)]
const fn count(number: u64) -> f64 {
    number as f64
}

#[expect(clippy::cast_precision_loss, reason = "a number of units or blocks")]
const fn real(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    fn is_close(one: (f64, f64), other: (f64, f64)) -> bool {
        (one.0 - other.0).abs() < 1e-9 && (one.1 - other.1).abs() < 1e-9
    }

    #[derive(serde::Deserialize)]
    struct Interval {
        s: u64,
        n: u64,
        confidence: f64,
        low: f64,
        high: f64,
    }

    #[test]
    fn exact_intervals_match_scipy() {
        let cases: Vec<Interval> =
            serde_json::from_str(include_str!("../tests/vectors/intervals.json")).unwrap();
        for case in cases {
            let found = exact_interval(case.s, case.n, case.confidence);
            assert!(is_close(found, (case.low, case.high)), "{found:?}");
        }
        assert_eq!(exact_interval(0, 0, 0.95), (0.0, 1.0));
        assert_eq!(exact_interval(3, 5, f64::NAN), (0.0, 1.0));
        assert_eq!(exact_interval(9, 5, 0.95), exact_interval(5, 5, 0.95));
    }

    #[test]
    fn without_variance_each_unit_is_a_trial() {
        assert!(is_close(
            interval(&[(0, 36); 53], 0.95),
            exact_interval(0, 53, 0.95)
        ));
        assert!(is_close(
            interval(&[(36, 36); 53], 0.95),
            exact_interval(53, 53, 0.95)
        ));
        assert!(is_close(interval(&[], 0.95), (0.0, 1.0)));
        assert!(is_close(interval(&[(0, 0)], 0.95), (0.0, 1.0)));
    }

    #[test]
    fn equal_trials_within_a_unit_widen_the_interval() {
        // 64 units whose ten trials all succeed or fail, in an order that does not repeat with the blocks.
        let units: Vec<(u64, u64)> = (0..64_u64)
            .map(|at| (10 * u64::from(at * at % 7 < 2), 10))
            .collect();
        let hits = units.iter().map(|unit| unit.0).sum();
        let (low, high) = interval(&units, 0.95);
        let (naive_low, naive_high) = exact_interval(hits, 640, 0.95);
        assert!(
            high - low > 2.0 * (naive_high - naive_low),
            "{low} {high}, {naive_low} {naive_high}"
        );
    }

    #[test]
    fn independent_trials_have_almost_the_exact_interval() {
        let units: Vec<(u64, u64)> = (0..1000_u64)
            .map(|at| (u64::from(at * 7919 % 1000 < 300), 1))
            .collect();
        let (low, high) = interval(&units, 0.95);
        let (exact_low, exact_high) = exact_interval(300, 1000, 0.95);
        assert!(
            low <= exact_low + 1e-9 && high >= exact_high - 1e-9,
            "{low} {high}"
        );
        assert!(high - low < 1.4 * (exact_high - exact_low), "{low} {high}");
    }

    #[test]
    fn similar_neighbouring_units_widen_the_interval() {
        let apart: Vec<(u64, u64)> = (0..64).map(|at| (at % 2, 1)).collect();
        let runs: Vec<(u64, u64)> = (0..64).map(|at| (at / 8 % 2, 1)).collect();
        let width = |units: &[(u64, u64)]| interval(units, 0.95).1 - interval(units, 0.95).0;
        assert!(width(&runs) > 1.5 * width(&apart));
    }
}
