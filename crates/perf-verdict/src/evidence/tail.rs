//! Percentiles, which are judged only with enough values beyond the quantile.

/// The number of values that must lie beyond a quantile.
const BEYOND: f64 = 30.0;

/// A percentile of too few values, or the maximum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tail {
    /// The quantile.
    pub quantile: f64,
    /// The number of values, if known.
    pub values: Option<u64>,
    /// The number of values that it needs; `None` for the maximum.
    pub needed: Option<u64>,
}

/// The percentile with its number of values, if these are too few to judge it. If a gate lists the percentile, the
/// number may be unknown, except for the maximum.
pub(crate) fn insufficient(quantile: f64, values: Option<f64>, is_named: bool) -> Option<Tail> {
    let needed = needed(quantile);
    #[expect(
        clippy::cast_precision_loss,
        reason = "a count of values, compared with a bound"
    )]
    let is_enough = match values {
        Some(values) => needed.is_some_and(|needed| values >= needed as f64),
        None => is_named && needed.is_some(),
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates"
    )]
    let values = values.map(|values| values as u64);
    (!is_enough).then_some(Tail {
        quantile,
        values,
        needed,
    })
}

/// The number of values that a quantile needs: 3,000 for 0.99. `None` for the maximum, which is never judged.
fn needed(quantile: f64) -> Option<u64> {
    if !(0.0..1.0).contains(&quantile) {
        return None;
    }
    // 1 − 0.99 is a little more than 0.01, and 2,999.99… must become 3,000.
    let needed = (BEYOND / (1.0 - quantile) - 1e-6).ceil();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and saturating"
    )]
    Some(needed as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_needs_thirty_values_beyond_it() {
        for (quantile, expected) in [
            (0.5, Some(60)),
            (0.95, Some(600)),
            (0.99, Some(3_000)),
            (0.999, Some(30_000)),
            (1.0, None),
        ] {
            assert_eq!(needed(quantile), expected, "{quantile}");
        }
        let is_judged = |quantile, values| insufficient(quantile, values, true).is_none();
        assert!(is_judged(0.99, Some(3_000.0)) && !is_judged(0.99, Some(2_999.0)));
        assert!(is_judged(0.99, None) && !is_judged(1.0, None) && !is_judged(1.0, Some(1e12)));
        assert_eq!(needed(f64::NAN), None);
    }
}
