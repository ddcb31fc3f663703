//! Serial correlation: whether consecutive values resemble each other.

use super::{real, usable};

/// Returns the lag-1 autocorrelation of the ranks of a series (Wald and Wolfowitz 1943, doi:10.1214/aoms/1177731358).
/// It is about zero for independent values of any distribution, and near one if each value resembles the previous one.
///
/// Ties share their mean rank. Returns `None` if there are fewer than three values, if all values are equal, or if a
/// value is not finite.
pub fn serial_correlation(series: &[f64]) -> Option<f64> {
    if series.len() < 3 || !usable(series) {
        return None;
    }
    let middle = real(series.len() - 1) / 2.0;
    let centred: Vec<f64> = ranks(series)
        .into_iter()
        .map(|rank| rank - middle)
        .collect();
    let squares: f64 = centred.iter().map(|rank| rank * rank).sum();
    let products: f64 = centred.windows(2).map(|two| two[0] * two[1]).sum();
    (squares > 0.0).then_some(products / squares)
}

/// Returns each value's rank, starting at zero. Ties share their mean rank.
fn ranks(series: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..series.len()).collect();
    order.sort_unstable_by(|&a, &b| series[a].total_cmp(&series[b]));
    let mut ranks = vec![0.0; series.len()];
    let mut first = 0;
    for tied in order.chunk_by(|&a, &b| series[a].total_cmp(&series[b]).is_eq()) {
        let mean = real(2 * first + tied.len() - 1) / 2.0;
        for &at in tied {
            ranks[at] = mean;
        }
        first += tied.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_close(series: &[f64], expected: f64) {
        let found = serial_correlation(series).unwrap_or(f64::NAN);
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    }

    /// By hand: the ranks 0 1 2 3 4 around 2 have a sum of squares of 10 and a sum of products of 2 + 0 + 0 + 2.
    #[test]
    fn a_trend_is_positive_and_a_zigzag_negative() {
        is_close(&[1.0, 2.0, 3.0, 4.0, 100.0], 0.4);
        is_close(&[1.0, 100.0, 2.0, 4.0, 3.0], -0.7);
    }

    #[test]
    fn ties_share_their_mean_rank() {
        is_close(&[1.0, 1.0, 5.0, 5.0], 0.25);
        assert_eq!(serial_correlation(&[1.0; 9]), None);
        assert_eq!(serial_correlation(&[1.0, f64::NAN, 2.0]), None);
        assert_eq!(serial_correlation(&[1.0, 2.0]), None);
    }
}
