//! Many tests at once: among hundreds of metrics some look bad by chance alone.
//!
//! Benjamini and Hochberg (1995) bound the share of false alarms among all alarms, the *false discovery rate*, for
//! tests that are independent or hang together positively, as the metrics of one run do.

use super::real;

/// Which of the tests stay significant when at most a share `q` of such findings may be false: in the order of `p`.
/// A `q` that is no number finds nothing.
pub fn benjamini_hochberg(p: &[f64], q: f64) -> Vec<bool> {
    adjusted(p).into_iter().map(|p| p <= q).collect()
}

/// The smallest `q` at which each test is still found, in the order of `p`: never below `p`, at most 1.
/// A `p` that is no number counts as 1, so it is a test that found nothing.
pub fn adjusted(p: &[f64]) -> Vec<f64> {
    let p: Vec<f64> = p.iter().map(|&p| if p.is_nan() { 1.0 } else { p.clamp(0.0, 1.0) }).collect();
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
