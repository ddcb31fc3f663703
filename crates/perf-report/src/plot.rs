//! A text plot of a series with its normal range and limit.

use crate::markdown::table::display_width;

/// The height of the drawing area.
const HEIGHT: usize = 12;
/// The height for a constant series.
const FLAT: usize = 3;
/// The minimum width of a useful drawing area.
const NARROWEST: usize = 4;

const VALUE: char = '•';
const CURRENT: char = '◆';
const NORMAL: char = '░';
const LIMIT: char = '╌';

pub(crate) struct Plot<'p> {
    /// Earlier values, oldest first.
    pub(crate) history: &'p [f64],
    /// The current value, which is drawn last.
    pub(crate) current: Option<f64>,
    /// The normal range.
    pub(crate) normal: Option<(f64, f64)>,
    /// A value beyond this is suspect.
    pub(crate) limit: Option<f64>,
}

impl Plot<'_> {
    /// The plot, at most `width` columns wide, with values labelled by `label`; empty without values or space.
    pub(crate) fn lines(&self, width: usize, label: impl Fn(f64) -> String) -> Vec<String> {
        let Some(grid) = Grid::of(self) else {
            return Vec::new();
        };
        let labels: Vec<String> = (0..grid.height)
            .map(|row| self.labelled(row, &grid).map(&label).unwrap_or_default())
            .collect();
        let margin = labels
            .iter()
            .map(|label| display_width(label))
            .max()
            .unwrap_or(0);
        let Some(room) = width
            .checked_sub(margin + 2)
            .filter(|room| *room >= NARROWEST)
        else {
            return Vec::new();
        };
        let columns = self.columns(room);
        let mut lines: Vec<String> = Vec::with_capacity(HEIGHT + 2);
        for (row, label) in labels.iter().enumerate() {
            let axis = if label.is_empty() { '│' } else { '┤' };
            let drawn: String = columns
                .iter()
                .map(|column| self.drawn(*column, row, &grid))
                .collect();
            let padding = " ".repeat(margin - display_width(label));
            lines.push(
                format!("{padding}{label} {axis}{drawn}")
                    .trim_end()
                    .to_owned(),
            );
        }
        lines.push(format!(
            "{} └{}",
            " ".repeat(margin),
            "─".repeat(columns.len())
        ));
        lines
    }

    /// The key to the marks.
    pub(crate) fn key(&self) -> String {
        let marks = [
            (!self.history.is_empty(), VALUE, "earlier values"),
            (self.current.is_some(), CURRENT, "current"),
            (self.normal.is_some(), NORMAL, "normal range"),
            (self.limit.is_some(), LIMIT, "limit"),
        ];
        let marks = marks.iter().filter(|(is_there, ..)| *is_there);
        marks
            .map(|(_, mark, what)| format!("{mark} {what}"))
            .collect::<Vec<_>>()
            .join("  ")
    }

    /// Each column's value, spread out if there is space. The first and the last column stay free.
    fn columns(&self, room: usize) -> Vec<Option<(f64, char)>> {
        let now = self.current.map(|value| (value, CURRENT));
        let history = self.history.iter().map(|value| (*value, VALUE));
        let all: Vec<(f64, char)> = history
            .chain(now)
            .filter(|(value, _)| value.is_finite())
            .collect();
        let shown = &all[all.len().saturating_sub(room - 2)..];
        let step = ((room - 2) / shown.len().max(1)).clamp(1, 3);
        let mut columns = vec![None];
        for value in shown {
            columns.push(Some(*value));
            columns.extend(std::iter::repeat_n(None, step - 1));
        }
        columns.resize(columns.len().clamp(NARROWEST, room), None);
        columns
    }

    fn drawn(&self, column: Option<(f64, char)>, row: usize, grid: &Grid) -> char {
        match column {
            Some((value, mark)) if grid.row(value) == row => mark,
            _ if self.limit.is_some_and(|limit| grid.row(limit) == row) => LIMIT,
            _ if self.normal.is_some_and(|(low, high)| {
                (grid.row(high.max(low))..=grid.row(low.min(high))).contains(&row)
            }) =>
            {
                NORMAL
            }
            _ => ' ',
        }
    }

    /// The value that labels a line: the current value, the limit, an end of the normal range, or an end of the plot.
    fn labelled(&self, row: usize, grid: &Grid) -> Option<f64> {
        let (low, high) = self.normal.unzip();
        let marks = [self.current, self.limit, high, low];
        let here = |value: &f64| grid.row(*value) == row;
        let ends = [(0, grid.range.high), (grid.height - 1, grid.range.low)];
        let end = ends
            .into_iter()
            .find(|(at, _)| *at == row)
            .map(|(_, value)| value);
        marks
            .into_iter()
            .flatten()
            .filter(|value| value.is_finite())
            .find(here)
            .or(end)
    }
}

/// The drawing area.
struct Grid {
    range: Range,
    height: usize,
}

impl Grid {
    /// The rows for all drawn values; `None` without a value.
    fn of(plot: &Plot<'_>) -> Option<Self> {
        let values = || plot.history.iter().copied().chain(plot.current);
        Range::of(values())?;
        let (low, high) = plot.normal.unzip();
        let range = Range::of(values().chain([plot.limit, low, high].into_iter().flatten()))?;
        Some(Self {
            range,
            height: if range.is_flat { FLAT } else { HEIGHT },
        })
    }

    /// A value's row, from the top.
    fn row(&self, value: f64) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a plot line"
        )]
        #[expect(clippy::cast_precision_loss, reason = "a dozen lines")]
        let row = (self.range.depth(value) * (self.height - 1) as f64).round() as usize;
        row
    }
}

/// The lowest and the highest number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// True if all numbers are equal, and in the middle.
    pub(crate) is_flat: bool,
}

impl Range {
    /// The range of the finite numbers; `None` without any.
    pub(crate) fn of(numbers: impl IntoIterator<Item = f64>) -> Option<Self> {
        let finite = numbers.into_iter().filter(|number| number.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
            (low.min(number), high.max(number))
        });
        if low > high {
            return None;
        }
        if low < high {
            return Some(Self {
                low,
                high,
                is_flat: false,
            });
        }
        let around = if low == 0.0 { 1.0 } else { low.abs() / 2.0 };
        Some(Self {
            low: (low - around).max(f64::MIN),
            high: (high + around).min(f64::MAX),
            is_flat: true,
        })
    }

    /// A number's distance from the top, as a share of the range.
    pub(crate) fn depth(&self, number: f64) -> f64 {
        // Halve first, or the range could overflow.
        let share = (self.high / 2.0 - number / 2.0) / (self.high / 2.0 - self.low / 2.0);
        share.clamp(0.0, 1.0)
    }
}

/// The bars, from the lowest to the highest.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// More values would make the table wider than a comment.
const MOST: usize = 8;

/// Fewer values are not a trend: of two, one always has the lowest and one the highest bar, however close they are.
const FEWEST: usize = 4;

/// A bar for each of the last values, higher for larger numbers; empty without enough values. Constant values are half
/// high.
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
    // Halve first, or the range could overflow.
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
    use proptest::prelude::*;

    fn drawn(plot: &Plot<'_>, width: usize) -> String {
        plot.lines(width, |value| format!("{value:.1}")).join("\n")
    }

    #[test]
    fn constant_series_lie_in_the_middle() {
        let one = Plot {
            history: &[],
            current: Some(2.0),
            normal: None,
            limit: None,
        };
        insta::assert_snapshot!(drawn(&one, 20), @"
        3.0 ┤
        2.0 ┤ ◆
        1.0 ┤
            └────
        ");
        let flat = Plot {
            history: &[0.0; 5],
            current: Some(0.0),
            normal: None,
            limit: None,
        };
        insta::assert_snapshot!(drawn(&flat, 20), @"
         1.0 ┤
         0.0 ┤ • • • • • ◆
        -1.0 ┤
             └─────────────
        ");
    }

    #[test]
    fn the_limit_of_a_throughput_is_below() {
        let plot = Plot {
            history: &[10.0, 11.0, 10.5],
            current: Some(4.0),
            normal: Some((11.0, 10.0)),
            limit: Some(8.0),
        };
        insta::assert_snapshot!(drawn(&plot, 16), @"
        11.0 ┤░░░•░░░░░
             │░░░░░•░░░
        10.0 ┤░•░░░░░░░
             │
             │
         8.0 ┤╌╌╌╌╌╌╌╌╌
             │
             │
             │
             │
             │
         4.0 ┤       ◆
             └─────────
        ");
        assert_eq!(
            plot.key(),
            "• earlier values  ◆ current  ░ normal range  ╌ limit"
        );
    }

    #[test]
    fn no_room_or_values_draw_nothing() {
        let none = Plot {
            history: &[f64::NAN],
            current: None,
            normal: None,
            limit: Some(1.0),
        };
        assert_eq!(drawn(&none, 80), "");
        let plot = Plot {
            history: &[1.0, 2.0],
            current: None,
            normal: None,
            limit: None,
        };
        assert_eq!(drawn(&plot, 0), "");
        assert_eq!(drawn(&plot, 8), "");
    }

    proptest! {
        #[test]
        fn plots_stay_within_their_width(
            history in prop::collection::vec(any::<f64>(), 0..70),
            current in prop::option::of(any::<f64>()),
            limit in prop::option::of(any::<f64>()),
            width in 0usize..100,
        ) {
            let plot = Plot { history: &history, current, normal: limit.map(|limit| (limit / 2.0, limit)), limit };
            let lines = plot.lines(width, |value| format!("{value:.1e}"));
            prop_assert!(lines.len() <= 16);
            prop_assert!(lines.iter().all(|line| display_width(line) <= width), "{lines:?}");
        }
    }
}

#[cfg(test)]
mod spark_tests {
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
