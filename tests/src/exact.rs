//! Arithmetic that shares no code with the tested crates: integers and fractions of integers, where those use floats
//! and decimal text.

/// Rounds a non-negative `value` to this many decimals, exact ties up. Splits the float into mantissa and exponent,
/// so the fraction is exact, and uses only integers.
pub fn rounded(value: f64, decimals: u32) -> String {
    assert!(
        (0.0..1e15).contains(&value) && decimals <= 6,
        "{value} is out of this arithmetic's range"
    );
    let bits = value.to_bits();
    let (exponent, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    // value = mantissa / 2^shift
    let (mantissa, shift) = if exponent == 0 {
        (fraction, 1074)
    } else {
        (fraction | 1 << 52, 1075 - exponent)
    };
    let scaled = u128::from(mantissa) * 10u128.pow(decimals);
    // Adds one half and cuts off the rest: floor(scaled / 2^shift + 1/2).
    let whole = if shift < 100 {
        (2 * scaled + (1 << shift)) >> (shift + 1)
    } else {
        0
    };
    decimal(whole, decimals)
}

/// Writes `digits` with a point before the last `decimals` of them.
fn decimal(digits: u128, decimals: u32) -> String {
    let unit = 10u128.pow(decimals);
    if decimals == 0 {
        return digits.to_string();
    }
    format!(
        "{}.{:0width$}",
        digits / unit,
        digits % unit,
        width = decimals as usize
    )
}

/// Parses a decimal number with at most three decimals, in thousandths: `12.5` is 12500.
pub fn thousandths(text: &str) -> i128 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    assert!(fraction.len() <= 3, "`{text}` has more than three decimals");
    format!("{whole}{fraction:0<3}").parse().expect("a number")
}

/// Adds a comma before every three digits.
pub fn grouped(digits: &str) -> String {
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    String::from_utf8(groups.join(&b','.to_owned())).expect("digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_ties_are_rounded_up() {
        assert_eq!(
            [0.125, 1.005, 2.345, 0.375].map(|value| rounded(value, 2)),
            ["0.13", "1.00", "2.35", "0.38"]
        );
        assert_eq!(
            [0.5, 1e-300, 123_456.0].map(|value| rounded(value, 0)),
            ["1", "0", "123456"]
        );
    }

    #[test]
    fn decimals_and_groups_are_exact() {
        assert_eq!(
            ["12.5", "0.063", "-1", "7"].map(thousandths),
            [12500, 63, -1000, 7000]
        );
        assert_eq!(
            ["1", "123", "1234", "1234567"].map(grouped),
            ["1", "123", "1,234", "1,234,567"]
        );
    }
}
