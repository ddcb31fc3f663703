//! Multiple testing: among hundreds of metrics, some look slower by chance.
//!
//! The procedure of Benjamini and Hochberg (1995, doi:10.1111/j.2517-6161.1995.tb02031.x) bounds the *false discovery
//! rate*: the share of false alarms among all alarms. It holds for independent tests, and for positively dependent
//! tests such as the metrics of one run (Benjamini and Yekutieli 2001, doi:10.1214/aos/1013699998).

use super::real;

/// Returns, for each p-value, whether its test is significant at a false discovery rate of `q`. A p-value of NaN is
/// never significant. If `q` is NaN, no test is.
pub fn benjamini_hochberg(p: &[f64], q: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut significant = 0;
    for (before, &index) in order.iter().enumerate() {
        let rank = before + 1;
        if p[index] * (real(p.len()) / real(rank)) <= q {
            significant = rank;
        }
    }
    let mut rejected = vec![false; p.len()];
    for &index in &order[..significant] {
        rejected[index] = true;
    }
    rejected
}
