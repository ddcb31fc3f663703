//! Charts of the history, as mermaid diagrams, which GitHub draws without any hosting.

use perf_model::row::Value;
use perf_verdict::cost_scale::value;

use super::count::List;
use super::state::RowState;
use crate::cell::CellFormat;
use crate::deltas::context::{FoundMetric, ReportContext};
use crate::series;

/// The maximum number of charts in a report; each takes a second to draw.
const MOST: usize = 3;

/// The colours of the values and of their limit: at least 3:1 on GitHub's light and dark backgrounds.
const COLORS: &str =
    "%%{init: {\"themeVariables\": {\"xyChart\": {\"plotColorPalette\": \"#2f81f7, #e5534b\"}}}}%%";

/// The maximum number of values in a chart, the current one included.
const VALUES: usize = 30;

/// The summary of the charts, as HTML, and a chart for each metric that fails or is inconclusive and has a history, the
/// largest loss first.
pub(crate) fn charts(context: &ReportContext<'_>) -> (String, List) {
    let mut open: Vec<FoundMetric<'_>> = context
        .notable
        .iter()
        .copied()
        .filter(|found| RowState::of(found.metric).is_open() && found.metric.band.is_some())
        .collect();
    open.sort_by(|a, b| {
        let loss = |found: &FoundMetric<'_>| super::state::loss(found.metric).unwrap_or_default();
        loss(b)
            .total_cmp(&loss(a))
            .then_with(|| a.name().cmp(&b.name()))
    });
    let drawn: Vec<(String, String)> = open
        .iter()
        .filter_map(|found| chart(context, found))
        .take(MOST)
        .collect();
    let summary = match drawn.as_slice() {
        [(title, _)] => format!("History of {}", crate::markdown::escape::html(title)),
        several => format!("History of {} metrics", several.len()),
    };
    (
        summary,
        List::of(MOST, drawn.into_iter(), |(_, diagram)| diagram).silent(),
    )
}

/// The title and the diagram of a metric, as a code block.
fn chart(context: &ReportContext<'_>, found: &FoundMetric<'_>) -> Option<(String, String)> {
    let all = series::numbers(found.metric);
    let shown = &all[all.len().saturating_sub(VALUES)..];
    let band = found.metric.band()?;
    let limit = value(found.metric.metric.meaning.direction, band.limit);
    let (divisor, unit) = unit(found, shown);
    let limit = limit / divisor;
    let shown: &[f64] = &shown
        .iter()
        .map(|number| number / divisor)
        .collect::<Vec<_>>();
    let place = context.place_of(found).plain();
    let title = format!("{place}, {}", found.metric.metric.label);
    let (low, high) = range(shown, limit)?;
    let list = |numbers: &[f64]| {
        numbers
            .iter()
            .map(|number| plain(*number))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let values = list(shown);
    let limits = list(&vec![limit; shown.len()]);
    let diagram = format!(
        "```mermaid\n{COLORS}\nxychart-beta\n  title \"{}\"\n  x-axis \"baselines, then this run\" 1 --> {}\n  y-axis \"{}\" {} --> {}\n  \
         line [{values}]\n  line [{limits}]\n```",
        tame(&title)
            + &format!(" (red: limit {} {})", plain(limit), tame(unit.trim())).replace(" )", ")"),
        shown.len(),
        tame(unit.trim()),
        plain(low),
        plain(high),
    );
    Some((title, diagram))
}

/// The divisor that brings the numbers to a readable unit, and that unit; a quotient has none.
fn unit(found: &FoundMetric<'_>, shown: &[f64]) -> (f64, String) {
    if found.metric.relative_to.is_some() {
        return (1.0, String::new());
    }
    let values: Vec<Value> = shown.iter().copied().filter_map(Value::new).collect();
    let format = CellFormat::of(&found.metric.metric, &values);
    (format.divisor(), format.unit())
}

/// A margin around all values and the limit; `None` where one is no finite number.
fn range(shown: &[f64], limit: f64) -> Option<(f64, f64)> {
    let all = shown.iter().copied().chain([limit]);
    let low = all.clone().fold(f64::INFINITY, f64::min);
    let high = all.fold(f64::NEG_INFINITY, f64::max);
    let margin = (high - low) * 0.1;
    (low.is_finite() && high.is_finite() && margin > 0.0)
        .then(|| ((low - margin).max(0.0).min(low), high + margin))
}

/// Four significant digits, more than a pixel shows, in plain decimals, as mermaid reads no exponents.
fn plain(number: f64) -> String {
    crate::number::significant(number, 4).replace(',', "")
}

/// A text that cannot end its quotes or mean anything to mermaid, and that fits above a chart: a longer one loses its
/// middle, as names differ at their ends.
fn tame(text: &str) -> String {
    const FIRST: usize = 16;
    const LAST: usize = 42;
    let is_tame = |c: char| c.is_alphanumeric() || " _-./:(),+='".contains(c);
    let tame: Vec<char> = text
        .chars()
        .map(|c| if is_tame(c) { c } else { ' ' })
        .collect();
    match tame.len() {
        0..=60 => tame.into_iter().collect(),
        length => tame[..FIRST]
            .iter()
            .chain(&['…'])
            .chain(&tame[length - LAST..])
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_end_the_title() {
        assert_eq!(
            tame("a\"\n%%{init}%%```#quot; b"),
            "a     init       quot  b"
        );
    }

    #[test]
    fn numbers_have_no_exponent_and_no_separator() {
        assert_eq!(
            [plain(1_234_567.0), plain(0.000_001_25)],
            ["1234567", "0.000001250"]
        );
    }

    #[test]
    fn a_long_name_loses_its_middle() {
        let shown = tame(&format!("{}/size=4096", "decode_".repeat(12)));
        assert_eq!(
            shown,
            "decode_decode_de…ode_decode_decode_decode_decode_/size=4096"
        );
    }

    /// The relative luminance of a colour, as WCAG defines it.
    fn luminance(color: &str) -> f64 {
        let part = |at: usize| {
            let share = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
            if share <= 0.04045 {
                share / 12.92
            } else {
                ((share + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126f64.mul_add(part(0), 0.7152f64.mul_add(part(2), 0.0722 * part(4)))
    }

    #[test]
    fn lines_stand_out_in_both_themes() {
        let colors = COLORS.split('#').skip(1).map(|color| &color[..6]);
        let backgrounds = ["ffffff", "0d1117"];
        for color in colors {
            for background in backgrounds {
                let [a, b] = [color, background].map(|color| luminance(color) + 0.05);
                assert!(a.max(b) / a.min(b) >= 3.0, "{color} on {background}");
            }
        }
    }
}
