//! Floors: differences that are too small to matter, whatever fraction they are.

use std::fmt;

use perf_model::metric::Unit;

/// A difference that is too small to matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// How large it is; above 0.
    pub amount: f64,
    /// In what; `None` is the unit of the metric.
    pub unit: Option<Unit>,
}

impl Floor {
    /// Reads `50 ns`, `1.5 KiB` or `3`.
    ///
    /// # Errors
    /// What is wrong with it, on one line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let number = text.trim_end_matches(char::is_alphabetic);
        let unit = &text[number.len()..];
        let (unit, scale) = match Unit::of_symbol(unit) {
            Some((unit, scale)) => (Some(unit), scale),
            None if unit.is_empty() => (None, 1.0),
            None => return Err(format!("`{unit}` is no unit of a floor")),
        };
        let number = number.trim();
        let amount = number.parse::<f64>().map_or(f64::NAN, |amount| amount * scale);
        if amount > 0.0 && amount.is_finite() {
            return Ok(Self { amount, unit });
        }
        Err(format!("`{number}` is no number above 0"))
    }

    /// The floor in a metric's unit; `None` where the two have nothing in common.
    pub fn in_unit(&self, unit: Unit) -> Option<f64> {
        self.unit.map_or(Some(self.amount), |own| own.convert(self.amount, unit))
    }
}

impl fmt::Display for Floor {
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
    fn a_floor_is_said_in_the_unit_of_the_metric() {
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
            assert_eq!(Floor::parse(text).unwrap().in_unit(unit), amount, "{text} in {unit:?}");
        }
    }

    #[test]
    fn a_floor_is_shown_as_it_could_be_written() {
        let shown = ["50ns", "0.20 ms", "1 KiB", "3.50"].map(|text| Floor::parse(text).unwrap().to_string());
        assert_eq!(shown, ["50 ns", "0.2 ms", "1024 B", "3.5"]);
    }

    #[test]
    fn what_is_no_floor_says_why() {
        let why = |text: &str| Floor::parse(text).unwrap_err();
        assert_eq!(why("5 parsecs"), "`parsecs` is no unit of a floor");
        assert_eq!(why("inf"), "`inf` is no unit of a floor");
        for (text, number) in
            [("", ""), ("ns", ""), ("0 ns", "0"), ("-1", "-1"), ("1e999", "1e999"), ("5 % ns", "5 %")]
        {
            assert_eq!(why(text), format!("`{number}` is no number above 0"), "{text}");
        }
    }
}
