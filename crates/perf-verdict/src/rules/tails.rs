//! The far end of a distribution: a quantile is worth judging once enough values lie beyond it.

/// How many values must lie beyond a quantile.
const BEYOND: f64 = 30.0;

/// How many values a quantile takes to be judged: 3,000 for 0.99. `None` for the maximum, which never is.
pub fn needed(quantile: f64) -> Option<u64> {
    if !(0.0..1.0).contains(&quantile) {
        return None;
    }
    // 1 − 0.99 is a little more than 0.01, and 2,999.99… is meant to be 3,000.
    let needed = (BEYOND / (1.0 - quantile) - 1e-6).ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and saturating")]
    Some(needed as u64)
}

/// Whether a quantile of so many values says something.
#[expect(clippy::cast_precision_loss, reason = "a count of values, compared with a bound")]
pub fn is_told(quantile: f64, values: f64) -> bool {
    needed(quantile).is_some_and(|needed| values >= needed as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_further_out_the_more_values() {
        for (quantile, expected) in
            [(0.5, Some(60)), (0.95, Some(600)), (0.99, Some(3_000)), (0.999, Some(30_000)), (1.0, None)]
        {
            assert_eq!(needed(quantile), expected, "{quantile}");
        }
        assert!(is_told(0.99, 3_000.0) && !is_told(0.99, 2_999.0) && !is_told(1.0, 1e12));
        assert_eq!(needed(f64::NAN), None);
    }
}
