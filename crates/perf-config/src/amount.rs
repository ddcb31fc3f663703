//! Amounts with a unit, such as `16 ms`: minimum absolute changes and budgets.

use std::fmt;

use perf_model::metric::Unit;

/// A number that may have a unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amount {
    /// The number, in `unit`; always finite.
    pub amount: f64,
    /// The unit; `None` means the metric's unit.
    pub unit: Option<Unit>,
}

/// The range of acceptable values, which does not depend on the baseline. At least one of the two limits is set.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// The largest value that passes.
    pub max: Option<Amount>,
    /// The smallest value that passes.
    pub min: Option<Amount>,
}

impl Amount {
    /// Parses an amount such as `50 ns`, `1.5 KiB` or `3`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let number = text.trim_end_matches(char::is_alphabetic);
        let symbol = &text[number.len()..];
        let number = number.trim();
        let (mut unit, mut scale) = (None, 1.0);
        if let Some((known, factor)) = Unit::of_symbol(symbol) {
            (unit, scale) = (Some(known), factor);
        } else if !symbol.is_empty() {
            return Err(format!("unknown unit `{symbol}`"));
        }
        match number.parse::<f64>() {
            Ok(amount) if (amount * scale).is_finite() => Ok(Self {
                amount: amount * scale,
                unit,
            }),
            _ => Err(format!("`{number}` is not a number")),
        }
    }

    /// Converts the amount to a metric's unit. Returns `None` if the units are incompatible.
    pub fn in_unit(&self, unit: Unit) -> Option<f64> {
        self.unit
            .map_or(Some(self.amount), |own| own.convert(self.amount, unit))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let symbol = self.unit.and_then(|unit| unit.line().symbols.first());
        write!(f, "{}", self.amount)?;
        symbol.map_or(Ok(()), |(symbol, _)| write!(f, " {symbol}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amount_converts_to_the_metric_unit() {
        for (text, unit, amount) in [
            ("50 ns", Unit::Ns, Some(50.0)),
            ("50 ns", Unit::Us, Some(0.05)),
            ("0.2 ms", Unit::Ns, Some(200_000.0)),
            ("0.2ms", Unit::S, Some(0.0002)),
            ("1.5 s", Unit::Ms, Some(1500.0)),
            ("3 µs", Unit::Ns, Some(3000.0)),
            ("3 us", Unit::Us, Some(3.0)),
            ("64 B", Unit::Bytes, Some(64.0)),
            ("1.5 KiB", Unit::Bytes, Some(1536.0)),
            ("2 MB", Unit::Bytes, Some(2e6)),
            ("3", Unit::Count, Some(3.0)),
            ("1e3", Unit::PerSecond, Some(1000.0)),
            ("64 B", Unit::Ns, None),
            ("50 ns", Unit::Bytes, None),
            ("50 ns", Unit::Count, None),
            ("50 ns", Unit::None, None),
        ] {
            assert_eq!(
                Amount::parse(text).unwrap().in_unit(unit),
                amount,
                "{text} in {unit:?}"
            );
        }
    }

    #[test]
    fn amount_is_written_as_it_can_be_read() {
        let shown = ["50ns", "0.20 ms", "1 KiB", "3.50"]
            .map(|text| Amount::parse(text).unwrap().to_string());
        assert_eq!(shown, ["50 ns", "0.2 ms", "1024 B", "3.5"]);
    }

    #[test]
    fn malformed_amount_is_an_error() {
        let why = |text: &str| Amount::parse(text).unwrap_err();
        assert_eq!(why("5 parsecs"), "unknown unit `parsecs`");
        assert_eq!(why("inf"), "unknown unit `inf`");
        for (text, number) in [("", ""), ("ns", ""), ("1e999", "1e999"), ("5 % ns", "5 %")] {
            assert_eq!(why(text), format!("`{number}` is not a number"), "{text}");
        }
    }
}
