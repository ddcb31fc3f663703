//! Parses option values that several commands share.

/// Parses `NAME=VALUE`.
pub fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("expected `NAME=VALUE`".to_owned()),
    }
}

/// Parses a cost factor above 1, such as `1.5` or `1.5x`.
pub fn growth(text: &str) -> Result<f64, String> {
    let factor = text.trim_end_matches(['x', '×']).parse::<f64>().ok();
    factor
        .filter(|factor| factor.is_finite() && *factor > 1.0)
        .ok_or_else(|| "a factor above 1, such as 1.5".to_owned())
}

/// Parses `5` or `5%` as 0.05.
pub fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').parse::<f64>().ok();
    let valid = number.filter(|number| number.is_finite() && *number >= 0.0);
    valid
        .map(|number| number / 100.0)
        .ok_or_else(|| "a percentage such as 5%".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_a_factor_above_one() {
        assert_eq!((growth("1.5"), growth("2x")), (Ok(1.5), Ok(2.0)));
        assert!(
            ["1", "0.5", "inf", "x", ""]
                .iter()
                .all(|text| growth(text).is_err())
        );
    }
}
