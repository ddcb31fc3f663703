//! Percentiles: they are judged only if enough values are beyond the quantile.

/// The minimum number of values beyond a quantile.
const BEYOND: f64 = 30.0;

/// A percentile that is not judged, because it has too few values or is the maximum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tail {
    /// The quantile, from 0 to 1.
    pub quantile: f64,
    /// The number of values that the percentile was computed from, if known.
    pub values: Option<f64>,
    /// The number of values that the percentile needs; `None` for the maximum, which is never judged.
    pub needed: Option<f64>,
}

impl Tail {
    /// Returns the percentile if it has too few values to be judged. If a gate lists the percentile, it is also judged
    /// if the number of values is unknown. The maximum is never judged.
    pub(crate) fn insufficient(quantile: f64, values: Option<f64>, is_named: bool) -> Option<Self> {
        let needed = values_needed(quantile);
        let is_enough = match (needed, values) {
            (Some(needed), Some(values)) => values >= needed,
            (Some(_), None) => is_named,
            (None, _) => false,
        };
        (!is_enough).then_some(Self {
            quantile,
            values,
            needed,
        })
    }
}

/// Returns the number of values that a quantile needs: 3,000 for 0.99. Returns `None` for the maximum.
fn values_needed(quantile: f64) -> Option<f64> {
    // 1 − 0.99 is slightly more than 0.01, and 2,999.99… must become 3,000.
    let needed = (BEYOND / (1.0 - quantile) - 1e-6).ceil();
    (0.0..1.0).contains(&quantile).then_some(needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_needs_thirty_values_beyond_it() {
        for (quantile, expected) in [
            (0.5, Some(60.0)),
            (0.95, Some(600.0)),
            (0.99, Some(3_000.0)),
            (0.999, Some(30_000.0)),
            (1.0, None),
        ] {
            assert_eq!(values_needed(quantile), expected, "{quantile}");
        }
        let is_judged = |quantile, values| Tail::insufficient(quantile, values, true).is_none();
        assert!(is_judged(0.99, Some(3_000.0)) && !is_judged(0.99, Some(2_999.0)));
        assert!(is_judged(0.99, None) && !is_judged(1.0, None) && !is_judged(1.0, Some(1e12)));
        assert_eq!(values_needed(f64::NAN), None);
    }
}
