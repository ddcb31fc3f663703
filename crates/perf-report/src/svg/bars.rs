//! The chart of a table: a bar for each of its numbers. It stands alone as a file, with its own colours.

use std::fmt::Write;

use crate::markdown::table::display_width;

use super::{escaped, whole};
use crate::plain::shortened;

/// The width of the chart, that of a page on GitHub.
const WIDTH: u32 = 800;
/// The height of a bar with the gap below it.
const STEP: u32 = 26;
const BAR: u32 = 18;
/// The top of the first bar, below the title.
const TOP: u32 = 40;
/// The longest label, in columns.
const LABEL: usize = 36;
/// The width of a column of text.
const COLUMN: u32 = 8;
const MARGIN: u32 = 12;

/// Light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// For a light page.
    Light,
    /// For a dark page.
    Dark,
}

impl Theme {
    /// Its name in a file's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Text and bars, which also people tell apart who see few colours (Okabe and Ito, 2008).
    fn colours(self) -> [&'static str; 2] {
        match self {
            Self::Light => ["#1f2328", "#0072b2"],
            Self::Dark => ["#f0f6fc", "#56b4e9"],
        }
    }
}

/// A number of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Its name.
    pub label: String,
    /// The length of the bar, relative to the others.
    pub number: f64,
    /// The number with its unit.
    pub text: String,
}

/// The numbers of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// The title: the metric, and which way is better.
    pub title: String,
    /// The numbers, in the order of the table.
    pub bars: Vec<Bar>,
}

/// The ratio of the largest number to the smallest from which on bars are logarithmic: a linear one would be a dot.
const WIDE: f64 = 50.0;

/// The number whose logarithmic bar would have no length, as a share of the smallest one.
const START: f64 = 0.5;

impl Bars {
    /// The smallest and the largest number above zero.
    fn range(&self) -> (f64, f64) {
        let numbers = self.bars.iter().map(|bar| bar.number);
        let numbers = numbers.filter(|number| *number > 0.0 && number.is_finite());
        numbers.fold((f64::INFINITY, 0.0), |(low, high), number| {
            (number.min(low), number.max(high))
        })
    }

    /// True if the lengths of the bars are logarithms, which the title says.
    fn is_logarithmic(&self) -> bool {
        let (low, high) = self.range();
        high / low >= WIDE
    }

    /// The length of a bar as a share of the longest.
    fn share(&self, number: f64) -> f64 {
        let (low, high) = self.range();
        let start = low * START;
        let share = if self.is_logarithmic() {
            (number / start).ln() / (high / start).ln()
        } else {
            number / high
        };
        if share.is_finite() {
            share.clamp(0.0, 1.0)
        } else {
            0.0
        }
    }

    /// The title, with what the lengths are where these are no shares.
    pub fn title(&self) -> String {
        let scale = if self.is_logarithmic() {
            ", bars logarithmic"
        } else {
            ""
        };
        format!("{}{scale}", self.title)
    }

    /// The chart as a file.
    pub fn to_svg(&self, theme: Theme) -> String {
        let mut svg = String::new();
        let _ = self.draw(&mut svg, theme);
        svg
    }

    fn draw(&self, svg: &mut String, theme: Theme) -> std::fmt::Result {
        let [text, fill] = theme.colours();
        let count = u32::try_from(self.bars.len()).unwrap_or(u32::MAX);
        let height = TOP.saturating_add(count.saturating_mul(STEP));
        let title = escaped(&self.title());
        writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} \
             {height}\" role=\"img\" aria-label=\"{title}\">\n\
             <g fill=\"{text}\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n\
             <text x=\"{MARGIN}\" y=\"22\" font-size=\"15\" font-weight=\"600\">{title}</text>"
        )?;
        let labels: Vec<String> = self
            .bars
            .iter()
            .map(|bar| shortened(&bar.label, LABEL))
            .collect();
        let start = MARGIN + columns(labels.iter().map(String::as_str));
        let end = WIDTH - MARGIN - columns(self.bars.iter().map(|bar| bar.text.as_str()));
        for ((bar, label), top) in self
            .bars
            .iter()
            .zip(&labels)
            .zip((TOP..).step_by(STEP as usize))
        {
            let length =
                whole(self.share(bar.number) * f64::from(end.saturating_sub(start))).max(1);
            let (base, behind) = (top + 13, start + length + 6);
            writeln!(
                svg,
                "<text x=\"{}\" y=\"{base}\" text-anchor=\"end\">{}</text>\
                 <rect x=\"{start}\" y=\"{top}\" width=\"{length}\" height=\"{BAR}\" rx=\"2\" fill=\"{fill}\"/>\
                 <text x=\"{behind}\" y=\"{base}\">{}</text>",
                start - 8,
                escaped(label),
                escaped(&bar.text),
            )?;
        }
        svg.push_str("</g>\n</svg>\n");
        Ok(())
    }
}

/// The room that the widest of these texts needs.
fn columns<'t>(texts: impl Iterator<Item = &'t str>) -> u32 {
    let widest = texts.map(display_width).max().unwrap_or(0);
    u32::try_from(widest)
        .unwrap_or(u32::MAX)
        .saturating_mul(COLUMN)
        .min(WIDTH / 2 - 2 * MARGIN)
        + 8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(label: &str, number: f64, text: &str) -> Bar {
        Bar {
            label: label.to_owned(),
            number,
            text: text.to_owned(),
        }
    }

    #[test]
    fn the_longest_bar_fills_the_chart() {
        let bars = vec![
            bar("parse", 2.0, "2 ms"),
            bar("a <b>", 1.0, "1 ms"),
            bar("none", f64::NAN, "n/a"),
        ];
        let chart = Bars {
            title: "Time & \"space\"".to_owned(),
            bars,
        };
        insta::assert_snapshot!(chart.to_svg(Theme::Light));
        let lengths = |svg: &str| svg.matches("#56b4e9").count();
        assert_eq!(lengths(&chart.to_svg(Theme::Dark)), 3);
    }

    #[test]
    fn far_numbers_have_logarithmic_bars() {
        let bars = |numbers: [f64; 3]| Bars {
            title: "Time".to_owned(),
            bars: numbers.map(|number| bar("a", number, "")).into(),
        };
        let far = bars([0.0, 1.0, 1000.0]);
        assert_eq!(
            (far.title().as_str(), far.share(0.0), far.share(1000.0)),
            ("Time, bars logarithmic", 0.0, 1.0)
        );
        assert!((0.09..0.1).contains(&far.share(1.0)), "{}", far.share(1.0));
        let near = bars([1.0, 2.0, 40.0]);
        assert_eq!((near.title().as_str(), near.share(2.0)), ("Time", 0.05));
    }

    #[test]
    fn names_of_any_length_leave_room_for_bars() {
        let bars = vec![bar(&"x".repeat(2000), 1.0, &"9".repeat(300))];
        let svg = Bars {
            title: "t".repeat(500),
            bars,
        }
        .to_svg(Theme::Light);
        let length = svg
            .split("<rect ")
            .nth(1)
            .and_then(|rect| rect.split('"').nth(5))
            .unwrap();
        assert!((50..WIDTH).contains(&length.parse().unwrap()), "{svg}");
    }
}
