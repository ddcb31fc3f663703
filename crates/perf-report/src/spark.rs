//! A series as a line of little bars, for a cell of a table.

/// The bars, from the lowest to the highest.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The number of values shown; more would make the table wider than a comment.
const MOST: usize = 8;

/// The fewest values that make a trend: two are always a lowest and a highest bar, however near each other.
const FEWEST: usize = 4;

/// A bar for each of the last values, higher for larger numbers; empty for a few. Constant values are half high.
pub(crate) fn spark(values: &[f64]) -> String {
    let finite: Vec<f64> = values
        .iter()
        .copied()
        .filter(|value| value.is_finite())
        .collect();
    if finite.len() < FEWEST {
        return String::new();
    }
    let shown = &finite[finite.len().saturating_sub(MOST)..];
    let low = shown.iter().copied().fold(f64::INFINITY, f64::min);
    let high = shown.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    shown.iter().map(|value| bar(*value, low, high)).collect()
}

fn bar(value: f64, low: f64, high: f64) -> char {
    // Halves, so that the whole range is finite however far apart its ends are.
    let range = high / 2.0 - low / 2.0;
    let share = if range > 0.0 {
        (value / 2.0 - low / 2.0) / range
    } else {
        0.5
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to 7"
    )]
    let at = (share.clamp(0.0, 1.0) * 7.0).round() as usize;
    BARS.get(at).copied().unwrap_or('█')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_numbers_have_higher_bars() {
        assert_eq!(spark(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]), "▁▂▃▄▅▆▇█");
        assert_eq!(spark(&[3.0, 4.0, 5.0]), "");
        assert_eq!(spark(&[3.0; 30]), "▅".repeat(8));
        assert_eq!(spark(&[f64::NAN, f64::INFINITY, 1.0, 2.0, 3.0]), "");
        assert_eq!(spark(&[-f64::MAX, 0.0, 0.0, f64::MAX]), "▁▅▅█");
    }
}
