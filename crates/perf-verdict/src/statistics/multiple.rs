//! Multiple testing: among hundreds of metrics, some look slower by chance.
//!
//! The procedure of Benjamini and Hochberg (1995, doi:10.1111/j.2517-6161.1995.tb02031.x) bounds the share of false
//! alarms among all alarms, the *false discovery rate*, for independent tests, and for positively dependent ones such
//! as metrics from one run (Benjamini and Yekutieli 2001, doi:10.1214/aos/1013699998).

use super::real;

/// The tests that are significant at a false discovery rate of `q`, in the order of `p`; none for a `q` of NaN.
pub fn benjamini_hochberg(p: &[f64], q: f64) -> Vec<bool> {
    adjusted(p).into_iter().map(|p| p <= q).collect()
}

/// The smallest `q` at which each test is significant, in the order of `p`: never below `p`, at most 1. A `p` of NaN is
/// treated as 1.
pub fn adjusted(p: &[f64]) -> Vec<f64> {
    let p: Vec<f64> = p
        .iter()
        .map(|&p| if p.is_nan() { 1.0 } else { p.clamp(0.0, 1.0) })
        .collect();
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[b].total_cmp(&p[a]));
    let mut adjusted = vec![1.0; p.len()];
    let mut smallest = 1.0_f64;
    for (larger, &index) in order.iter().enumerate() {
        let rank = p.len() - larger;
        smallest = smallest.min(p[index] * (real(p.len()) / real(rank)));
        adjusted[index] = smallest;
    }
    adjusted
}
