//! Floors: differences that are too small to matter, whatever fraction they are.

use std::fmt;

use crate::metric::Unit;

/// The units in which a floor can be written, and what one of them is.
const UNITS: [(&str, Unit, f64); 14] = [
    ("ns", Unit::Ns, 1.0),
    ("us", Unit::Us, 1.0),
    ("µs", Unit::Us, 1.0),
    ("ms", Unit::Ms, 1.0),
    ("s", Unit::S, 1.0),
    ("B", Unit::Bytes, 1.0),
    ("bytes", Unit::Bytes, 1.0),
    ("kB", Unit::Bytes, 1e3),
    ("KB", Unit::Bytes, 1e3),
    ("MB", Unit::Bytes, 1e6),
    ("GB", Unit::Bytes, 1e9),
    ("KiB", Unit::Bytes, 1024.0),
    ("MiB", Unit::Bytes, 1_048_576.0),
    ("GiB", Unit::Bytes, 1_073_741_824.0),
];

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
        let (unit, scale) = match UNITS.iter().find(|(name, ..)| *name == unit) {
            Some((_, unit, scale)) => (Some(*unit), *scale),
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
        let Some(own) = self.unit.filter(|own| *own != unit) else { return Some(self.amount) };
        let (own, other) = (own.seconds()?, unit.seconds()?);
        // Whole factors, so that 0.2 ms are 200,000 ns to the last digit.
        Some(if own > other {
            self.amount * (own / other).round()
        } else {
            self.amount / (other / own).round()
        })
    }
}

impl fmt::Display for Floor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let symbol = UNITS.iter().find(|(_, unit, _)| self.unit == Some(*unit)).map(|(symbol, ..)| *symbol);
        write!(f, "{}", self.amount)?;
        symbol.map_or(Ok(()), |symbol| write!(f, " {symbol}"))
    }
}
