//! Draws charts of the history as mermaid diagrams, which GitHub renders.

use perf_model::row::Value;
use perf_verdict::cost_scale::value;

use super::context::{Entry, FoundMetric, ReportContext, explained};
use crate::cell::CellFormat;
use crate::names::shortened;
use crate::number::significant;
use crate::series;

/// The maximum number of charts in a report. GitHub takes about a second to draw each.
const MOST: usize = 3;

/// The colours of values and limit. Their contrast is at least 3:1 on GitHub's light and dark backgrounds.
const COLORS: &str =
    "%%{init: {\"themeVariables\": {\"xyChart\": {\"plotColorPalette\": \"#2f81f7, #e5534b\"}}}}%%";

/// The maximum number of values in a chart, including the current one.
const VALUES: usize = 30;

/// The maximum length of a chart's title.
const TITLE: usize = 60;

/// Returns the section's title, and charts of the first metrics that failed or are inconclusive and have a history.
pub(super) fn charts(context: &ReportContext<'_>) -> (String, Vec<Entry>) {
    let mut title = String::new();
    let mut diagrams = Vec::new();
    for found in explained(context).iter().flatten() {
        let name = context.name_of(found).plain();
        let own_title = format!("{name}, {}", found.metric.metric.label);
        if diagrams.len() < MOST
            && let Some(diagram) = diagram(found, &own_title)
        {
            diagrams.push(Entry::from(diagram));
            title = own_title;
        }
    }
    match diagrams.len() {
        1 => (format!("History of {title}"), diagrams),
        several => (format!("History of {several} metrics"), diagrams),
    }
}

/// Returns a metric's chart as a code block, or `None` without a history or if all values equal the limit.
fn diagram(found: &FoundMetric<'_>, title: &str) -> Option<String> {
    let metric = &found.metric.metric;
    let all = series::numbers(found.metric);
    let shown = &all[all.len().saturating_sub(VALUES)..];
    let band = found.metric.band?;
    // A ratio has no unit.
    let (divisor, unit) = if found.metric.reference.relative_to.is_some() {
        (1.0, String::new())
    } else {
        let values: Vec<Value> = shown.iter().copied().filter_map(Value::new).collect();
        let format = CellFormat::of(metric, &values);
        (format.divisor(), plain(format.unit().trim()))
    };
    let limit = value(metric.meaning.direction, band.limit) / divisor;
    let shown: Vec<f64> = shown.iter().map(|number| number / divisor).collect();
    let low = shown.iter().copied().fold(limit, f64::min);
    let high = shown.iter().copied().fold(limit, f64::max);
    let margin = (high - low) * 0.1;
    if !(low.is_finite() && high.is_finite() && margin > 0.0) {
        return None;
    }
    let axis = [(low - margin).max(0.0).min(low), high + margin].map(decimal);
    let values: Vec<String> = shown.iter().copied().map(decimal).collect();
    let limits = vec![decimal(limit); shown.len()];
    let title = plain(&shortened(title, TITLE));
    let key = format!("(red: limit {} {unit})", decimal(limit)).replace(" )", ")");
    Some(format!(
        "```mermaid\n{COLORS}\nxychart-beta\n  title \"{title} {key}\"\n  x-axis \"baselines, then this run\" 1 --> {}\n  \
         y-axis \"{unit}\" {} --> {}\n  line [{}]\n  line [{}]\n```",
        shown.len(),
        axis[0],
        axis[1],
        values.join(", "),
        limits.join(", ")
    ))
}

/// Formats a number with four significant digits, more than a chart can show. Mermaid cannot parse exponents or commas.
fn decimal(number: f64) -> String {
    significant(number, 4).replace(',', "")
}

/// Replaces characters that could end a quoted text or be parsed as mermaid syntax.
fn plain(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || " _-./:(),+='…".contains(c);
    text.chars()
        .map(|c| if is_plain(c) { c } else { ' ' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_cannot_end_the_title() {
        assert_eq!(
            plain("a\"\n%%{init}%%```#quot; b"),
            "a     init       quot  b"
        );
    }

    #[test]
    fn numbers_have_no_exponent_and_no_separator() {
        assert_eq!(
            [decimal(1_234_567.0), decimal(0.000_001_25)],
            ["1234567", "0.000001250"]
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
