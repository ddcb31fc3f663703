//! The chart of a history: values, normal range, limit, level changes. A style sheet sets its colours.

use std::fmt::Write;

use super::{escaped, whole};
use crate::plot::Range;

/// The margin that keeps lines and points at the edges visible.
const MARGIN: u32 = 4;

/// A history.
pub struct HistoryLine<'l> {
    /// The description for screen readers.
    pub title: &'l str,
    /// The values, oldest first.
    pub values: &'l [f64],
    /// The normal range.
    pub normal: Option<(f64, f64)>,
    /// The limit.
    pub limit: Option<f64>,
    /// The value from which the normal range and the limit are drawn.
    pub from: usize,
    /// The first values of new levels.
    pub changes: &'l [usize],
}

/// Positions in the chart.
struct Grid {
    range: Range,
    width: u32,
    height: u32,
    values: usize,
}

impl HistoryLine<'_> {
    /// An inline `svg` element for HTML; empty without a finite value.
    pub fn to_svg(&self, width: u32, height: u32) -> String {
        let values = || self.values.iter().copied();
        let (low, high) = self.normal.unzip();
        let marks = [low, high, self.limit].into_iter().flatten();
        let Some(range) = Range::of(values()).and_then(|_| Range::of(values().chain(marks))) else {
            return String::new();
        };
        let grid = Grid {
            range,
            width,
            height,
            values: self.values.len(),
        };
        let mut svg = format!(
            "<svg class=\"line\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">",
            escaped(self.title)
        );
        let _ = self.draw(&mut svg, &grid);
        svg.push_str("</svg>");
        svg
    }

    fn draw(&self, svg: &mut String, grid: &Grid) -> std::fmt::Result {
        let (from, end) = (grid.x(self.from), grid.width);
        if let Some((low, high)) = self.normal {
            let (top, bottom) = (grid.y(low.max(high)), grid.y(low.min(high)));
            let (width, height) = (end.saturating_sub(from), (bottom - top).max(1));
            write!(
                svg,
                "<rect class=\"normal\" x=\"{from}\" y=\"{top}\" width=\"{width}\" height=\"{height}\"/>"
            )?;
        }
        if let Some(limit) = self.limit {
            write!(
                svg,
                "<path class=\"limit\" d=\"M{from} {}H{end}\"/>",
                grid.y(limit)
            )?;
        }
        for change in self.changes {
            write!(
                svg,
                "<path class=\"change\" d=\"M{} 0V{}\"/>",
                grid.x(*change),
                grid.height
            )?;
        }
        svg.push_str("<path class=\"values\" d=\"");
        let finite = self
            .values
            .iter()
            .enumerate()
            .filter(|(_, value)| value.is_finite());
        let mut last = None;
        for (at, value) in finite {
            let (x, y) = (grid.x(at), grid.y(*value));
            write!(svg, "{}{x} {y}", if last.is_none() { 'M' } else { 'L' })?;
            last = Some((x, y));
        }
        svg.push_str("\"/>");
        let (x, y) = last.unwrap_or_default();
        write!(
            svg,
            "<circle class=\"last\" cx=\"{x}\" cy=\"{y}\" r=\"3\"/>"
        )
    }
}

impl Grid {
    /// A value's x position; a single value is in the middle.
    fn x(&self, at: usize) -> u32 {
        let room = f64::from(self.width.saturating_sub(2 * MARGIN));
        #[expect(clippy::cast_precision_loss, reason = "no chart has 2⁵³ values")]
        let share = if self.values > 1 {
            at as f64 / (self.values - 1) as f64
        } else {
            0.5
        };
        MARGIN + whole(share * room)
    }

    fn y(&self, value: f64) -> u32 {
        MARGIN + whole(self.range.depth(value) * f64::from(self.height.saturating_sub(2 * MARGIN)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: HistoryLine<'_> = HistoryLine {
        title: "",
        values: &[],
        normal: None,
        limit: None,
        from: 0,
        changes: &[],
    };

    #[test]
    fn a_history_has_its_range_limit_and_changes() {
        let line = HistoryLine {
            title: "parse <x>",
            values: &[1.0, 1.0, 2.0, 2.0],
            normal: Some((1.9, 2.1)),
            limit: Some(3.0),
            from: 2,
            changes: &[2],
        };
        insta::assert_snapshot!(line.to_svg(308, 108).replace("><", ">\n<"), @r#"
        <svg class="line" viewBox="0 0 308 108" role="img" aria-label="parse &lt;x&gt;">
        <rect class="normal" x="204" y="49" width="104" height="10"/>
        <path class="limit" d="M204 4H308"/>
        <path class="change" d="M204 0V108"/>
        <path class="values" d="M4 104L104 104L204 54L304 54"/>
        <circle class="last" cx="304" cy="54" r="3"/>
        </svg>
        "#);
    }

    #[test]
    fn values_that_are_not_finite_are_left_out() {
        let line = HistoryLine {
            values: &[f64::NAN, 5.0, f64::INFINITY],
            ..EMPTY
        };
        assert!(
            line.to_svg(108, 58).contains("d=\"M54 29\""),
            "{}",
            line.to_svg(108, 58)
        );
        assert_eq!(
            HistoryLine {
                values: &[f64::NAN],
                limit: Some(1.0),
                ..EMPTY
            }
            .to_svg(100, 50),
            ""
        );
        assert_eq!(EMPTY.to_svg(100, 50), "");
        let extreme = HistoryLine {
            values: &[f64::MAX, -f64::MAX],
            ..EMPTY
        };
        assert!(!extreme.to_svg(100, 50).contains("NaN"));
    }
}
