//! Draws SVG charts, which load and run nothing. A style sheet sets their colours.

use crate::shell::is_hidden;

/// The margin around the chart, so that lines and points at the edges are visible.
const MARGIN: f64 = 4.0;

/// A chart of a history with its normal range, limit and level changes.
pub struct HistoryLine<'l> {
    /// The description for screen readers.
    pub title: &'l str,
    /// The values, oldest first.
    pub values: &'l [f64],
    /// The two ends of the normal range, if known.
    pub normal: Option<(f64, f64)>,
    /// The value that must not be exceeded, if known.
    pub limit: Option<f64>,
    /// The index of the value at which the normal range and the limit begin.
    pub from: usize,
    /// The indices of the first values of new levels.
    pub changes: &'l [usize],
}

impl HistoryLine<'_> {
    /// Returns an inline `svg` element for HTML. It is empty if no value is finite.
    pub fn to_svg(&self, width: u32, height: u32) -> String {
        let (low, high) = self.normal.unzip();
        let marks = [low, high, self.limit].into_iter().flatten();
        let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in self.values.iter().copied().chain(marks) {
            if value.is_finite() {
                (lowest, highest) = (value.min(lowest), value.max(highest));
            }
        }
        if !self.values.iter().any(|value| value.is_finite()) {
            return String::new();
        }
        // Center a single value.
        let last = self.values.len() - 1;
        #[expect(clippy::cast_precision_loss, reason = "no chart has 2⁵³ values")]
        let x = |at: usize| {
            place(
                if last > 0 {
                    at as f64 / last as f64
                } else {
                    0.5
                },
                width,
            )
        };
        // Halve both values first, because their difference could overflow.
        let range = highest / 2.0 - lowest / 2.0;
        let y = |value: f64| {
            let depth = (highest / 2.0 - value / 2.0) / range;
            place(if range > 0.0 { depth } else { 0.5 }, height)
        };
        let mut parts = vec![format!(
            "<svg class=\"line\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">",
            escaped(self.title)
        )];
        let from = x(self.from);
        if let Some((low, high)) = self.normal {
            let (top, bottom) = (y(low.max(high)), y(low.min(high)));
            let (width, height) = (width.saturating_sub(from), (bottom - top).max(1));
            parts.push(format!(
                "<rect class=\"normal\" x=\"{from}\" y=\"{top}\" width=\"{width}\" height=\"{height}\"/>"
            ));
        }
        if let Some(limit) = self.limit {
            let y = y(limit);
            parts.push(format!("<path class=\"limit\" d=\"M{from} {y}H{width}\"/>"));
        }
        for change in self.changes {
            let x = x(*change);
            parts.push(format!("<path class=\"change\" d=\"M{x} 0V{height}\"/>"));
        }
        let mut points = Vec::new();
        for (at, value) in self.values.iter().enumerate() {
            if value.is_finite() {
                points.push((x(at), y(*value)));
            }
        }
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x} {y}")).collect();
        let path = path.join("L");
        parts.push(format!("<path class=\"values\" d=\"M{path}\"/>"));
        if let Some((x, y)) = points.last() {
            parts.push(format!(
                "<circle class=\"last\" cx=\"{x}\" cy=\"{y}\" r=\"3\"/>"
            ));
        }
        parts.concat() + "</svg>"
    }
}

/// Converts a share of the chart's size to a position within the margins.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place in the chart"
)]
fn place(share: f64, size: u32) -> u32 {
    let room = f64::from(size) - 2.0 * MARGIN;
    (MARGIN + share.clamp(0.0, 1.0) * room).round() as u32
}

/// Puts text on one line. Characters that are invisible or change the text direction become U+FFFD.
pub fn shown(text: &str) -> String {
    let seen = |c: char| match c {
        '\t' | '\n' | '\r' => ' ',
        // Neither is a valid XML character.
        '\u{FFFE}' | '\u{FFFF}' => char::REPLACEMENT_CHARACTER,
        c if is_hidden(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.chars().map(seen).collect()
}

/// Escapes text for an element or a quoted attribute in HTML or XML, after applying [`shown`].
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in shown(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_become_markup() {
        assert_eq!(
            escaped("<script>\"a\" & 'b'</script>"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;"
        );
        assert_eq!(
            escaped("a\u{202e}b\0c\u{ffff}d\ne"),
            "a\u{fffd}b\u{fffd}c\u{fffd}d e"
        );
    }

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
