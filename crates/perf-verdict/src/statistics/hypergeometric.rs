//! The hypergeometric distribution: how many of the marked are among the drawn.

use statrs::function::factorial::ln_binomial;

/// P[X ≥ k] for the number X of marked ones among `drawn` of `total`, of which `marked` are marked: the one-sided exact
/// test of Fisher (1922, doi:10.2307/2340521). 1 for numbers that no urn has.
pub fn tail(k: usize, drawn: usize, marked: usize, total: usize) -> f64 {
    if k == 0 || drawn > total || marked > total {
        return 1.0;
    }
    let [drawn_of, marked_of, total_of] = [drawn, marked, total].map(|count| count as u64);
    let ways = |hits: u64| {
        if drawn_of - hits > total_of - marked_of {
            return 0.0;
        }
        let both =
            ln_binomial(marked_of, hits) + ln_binomial(total_of - marked_of, drawn_of - hits);
        (both - ln_binomial(total_of, drawn_of)).exp()
    };
    (k as u64..=marked_of.min(drawn_of))
        .map(ways)
        .sum::<f64>()
        .clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `scipy.stats.hypergeom.sf(k - 1, total, marked, drawn)`.
    #[test]
    fn tails_are_those_of_scipy() {
        for (k, drawn, marked, total, expected) in [
            (5, 20, 5, 40, 0.023_562_023_562_023_564),
            (6, 24, 6, 48, 0.010_968_167_573_808_349),
            (3, 10, 4, 30, 0.095_238_095_238_095_22),
            (0, 10, 4, 30, 1.0),
            (5, 10, 4, 30, 0.0),
        ] {
            let found = tail(k, drawn, marked, total);
            assert!(
                (found - expected).abs() < 1e-12,
                "{k} {drawn} {marked} {total}: {found}"
            );
        }
        assert!((tail(1, 3, 3, 3) - 1.0).abs() < 1e-12);
        assert!((tail(2, 9, 9, 5) - 1.0).abs() < 1e-12);
    }
}
