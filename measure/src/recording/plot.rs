//! Plots the fastest run and the 80th percentile, 80 columns wide.

use perf_cli::term::printable;
use perf_model::metric::UnitFamily;
use perf_verdict::statistics::order::{quantile, range, sorted};

use crate::amount::in_fitting_unit;

/// The number of columns between the vertical bars.
const WIDTH: u32 = 66;
/// The quantile at which a bar ends.
const COVERED: f64 = 0.8;

/// Plots the times of each side, given in seconds, next to its label.
pub fn plot(name: &str, sides: &[(&str, &[f64])]) -> String {
    let (mut found, mut most) = (Vec::new(), 0.0_f64);
    for (label, seconds) in sides {
        if let (Some((least, _)), Some(upper)) = (range(seconds), percentile(seconds)) {
            found.push((label, least, upper));
            most = most.max(upper);
        }
    }
    let mut lines = vec![printable(name)];
    for (label, least, upper) in found {
        let mut line = format!("  {label:<9} |{}|", bar(least, upper, most));
        // The plot starts at zero, so a negative time is printed next to it.
        if least < 0.0 {
            line = format!("{line} {}", in_fitting_unit(least, UnitFamily::Time));
        }
        lines.push(line);
    }
    lines.push(format!(
        "{:12}0{:>67}",
        "",
        in_fitting_unit(most, UnitFamily::Time)
    ));
    lines.join("\n")
}

/// Draws a bar: `X` at the minimum, followed by `-` up to the percentile.
fn bar(fastest: f64, upper: f64, most: f64) -> String {
    let (first, last) = (column(fastest, most), column(upper, most));
    let mark = |at| match f64::from(at) {
        at if (at..at + 1.0).contains(&first) => 'X',
        at if at > first && at <= last => '-',
        _ => ' ',
    };
    (0..WIDTH).map(mark).collect()
}

fn column(seconds: f64, most: f64) -> f64 {
    if most <= 0.0 {
        return 0.0;
    }
    (seconds / most * f64::from(WIDTH)).clamp(0.0, f64::from(WIDTH - 1))
}

/// Returns the 80th percentile, interpolated between the samples around position 0.8 (n − 1).
pub fn percentile(seconds: &[f64]) -> Option<f64> {
    quantile(&sorted(seconds), COVERED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentile_is_interpolated() {
        let seconds: Vec<f64> = (0..16).map(f64::from).collect();
        assert_eq!(percentile(&seconds), Some(12.0));
        assert_eq!(percentile(&[1.0, 2.0]), Some(1.8));
        assert_eq!(percentile(&[]), None);
    }

    #[test]
    fn plot_has_80_columns() {
        let baseline = [0.003, 0.0032, 0.0049];
        let current = [0.006, 0.007, 0.00856];
        let plot = plot(
            "big files being read",
            &[("Baseline:", &baseline), ("Current:", &current)],
        );
        insta::assert_snapshot!(plot, @r"
        big files being read
          Baseline: |                        X-----------                              |
          Current:  |                                                 X----------------|
                    0                                                            7.94 ms
        ");
        assert!(plot.lines().skip(1).all(|line| line.chars().count() == 80));
    }

    #[test]
    fn negative_time_is_printed_next_to_the_bar() {
        let plot = plot("a", &[("Baseline:", &[-0.0002, 0.001])]);
        assert!(
            plot.lines().nth(1).unwrap().ends_with("| -200 µs"),
            "{plot}"
        );
    }
}
