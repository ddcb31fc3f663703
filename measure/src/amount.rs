//! Formats amounts in a suitable unit.

use perf_model::metric::{Unit, UnitFamily};
use perf_report::number::significant;

/// Formats an amount, given in base units such as seconds, with three significant digits. Uses the largest unit that
/// does not exceed the amount, or the smallest unit for tiny amounts.
pub fn in_fitting_unit(amount: f64, family: UnitFamily) -> String {
    let units: Vec<(f64, &str)> = Unit::shown(family).collect();
    let fits = units
        .iter()
        .rev()
        .find(|(unit, _)| amount.abs() >= *unit)
        .or(units.first());
    match fits {
        Some((unit, name)) => format!("{} {name}", significant(amount / unit, 3)),
        None => significant(amount, 3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_follow_the_size() {
        for (seconds, shown) in [
            (2.0, "2.00 s"),
            (0.095_234_567, "95.2 ms"),
            (0.00856, "8.56 ms"),
            (19e-6, "19.0 µs"),
            (1000.0 / 1e9, "1.00 µs"),
            (999.0 / 1e9, "999 ns"),
            (0.024e-9, "0.0240 ns"),
            (0.0, "0 ns"),
        ] {
            assert_eq!(in_fitting_unit(seconds, UnitFamily::Time), shown);
        }
    }
}
