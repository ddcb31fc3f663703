//! Counts that differ a little from build to build, such as instructions: how far they usually step.
//!
//! Only growth beyond every usual step is a regression. What is usual is told by the steps between earlier values:
//! beyond their third quartile by three times the distance between the quartiles lies what Tukey called far out
//! (*Exploratory Data Analysis*, 1977, 2C). Without a history it is 0.2 %.

use perf_stats::order::{quantile, sorted, steps};

/// The growth that the same source shows from build to build.
pub const USUAL: f64 = 0.002;

/// How far a count may grow, as a share of the baseline: of the smallest step that is beyond the usual ones. The
/// counts are earlier ones, oldest first; with fewer than `fewest` they tell nothing.
pub fn limit(counts: &[f64], last: usize, fewest: usize) -> f64 {
    let used = &counts[counts.len().saturating_sub(last)..];
    if used.len() < fewest {
        return USUAL;
    }
    let logarithms: Vec<f64> = used.iter().filter(|count| **count > 0.0).map(|count| count.ln()).collect();
    let ordered = sorted(&steps(&logarithms));
    let quartiles = quantile(&ordered, 0.25).zip(quantile(&ordered, 0.75));
    quartiles.map_or(USUAL, |(first, third)| USUAL.max((third + 3.0 * (third - first)).exp_m1()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_count_may_grow_by_a_fifth_of_a_percent() {
        assert!((limit(&[1e6; 12], 30, 10) - USUAL).abs() < 1e-12);
        assert!((limit(&[1e6, 2e6], 30, 10) - USUAL).abs() < 1e-12);
        assert!((limit(&[0.0; 12], 30, 10) - USUAL).abs() < 1e-12);
    }

    #[test]
    fn a_count_that_wanders_may_wander() {
        let counts: Vec<f64> = (0..20).map(|build| 1e6 * (1.0 + 0.004 * f64::from(build % 2))).collect();
        let limit = limit(&counts, 30, 10);
        assert!((0.003_9..0.005).contains(&limit), "{limit}");
    }
}
