//! Tables of no known tool, with a name and numbers in each row: Markdown, drawn with lines, separated by signs, or
//! aligned by blanks. The units of the numbers stand behind them or in the header.
//!
//! ```text
//! | Benchmark | Time (ms) | Throughput |
//! | --------- | --------: | ---------: |
//! | parse     |      12.5 | 80.1 req/s |
//! ```
//!
//! Such a table need not contain measurements, so it is not read: `propose` describes it as an entry of `[[formats]]`.

use std::collections::HashSet;

use crate::formats::common::names::{best_name, camel_case};
use crate::formats::common::prelude::*;
use crate::formats::common::text_table::{is_blank, unit_of_number};
use crate::formats::custom;
use crate::formats::spec::suffix;

/// A column of numbers as a metric.
pub(crate) struct Metric {
    pub name: String,
    /// The unit in the header, where the name has another one.
    pub written_in: Option<String>,
    /// The direction, where the unit implies it and the name does not.
    pub better: Option<Direction>,
}

/// The unit of one operation without the operation: `ns` for `ns/op`.
fn of_each(unit: &str) -> &str {
    let each = ["/op", "/iter", "/call", "/run"]
        .iter()
        .find_map(|each| unit.strip_suffix(each));
    time_symbol(each.unwrap_or(unit))
}

/// The end of the name of a metric with this unit, if its numbers are converted to one of its kind.
fn ending(unit: &str) -> Option<&'static str> {
    let per_second = unit.strip_suffix("/s").or(unit.strip_suffix("/sec"));
    let is_byte_rate = per_second.is_some_and(|size| suffix(size) == Some("Bytes"));
    if is_byte_rate {
        Some("BytesPerSecond")
    } else {
        suffix(of_each(unit))
    }
}

impl Metric {
    /// The metric of a column, from its header and the unit of the numbers below it.
    fn of(header: &str, behind: &str) -> Self {
        let (base, in_header) = split_unit(header);
        let unit = if behind.is_empty() { in_header } else { behind };
        let base = camel_case(&base.replace(['µ', 'μ'], "u"));
        // All numbers below a header have one unit of time, which they keep.
        let (ending, written_in) = match (ending(unit), of_each(unit)) {
            (ending, _) if !behind.is_empty() => (ending, None),
            (Some("Ns"), "ms") => (Some("Ms"), None),
            (Some("Ns"), "us") => (Some("Us"), None),
            (Some("Ns"), "s") => (Some("S"), None),
            (ending, unit) => (ending, ending.map(|_| unit.to_owned())),
        };
        let name = match (base.as_str(), ending) {
            ("", None) => custom::metric_name(unit).to_owned(),
            ("", Some("BytesPerSecond")) => "bytesPerSecond".to_owned(),
            ("", Some("Bytes")) => "sizeBytes".to_owned(),
            ("", Some(ending)) => format!("time{ending}"),
            (base, Some(ending)) => format!("{base}{ending}"),
            (base, None) => format!("{base} {unit}").trim_end().to_owned(),
        };
        let implied = Meaning::of_name(unit).direction;
        let is_known = Meaning::of_name(&name).direction != Direction::Unknown;
        let better = Some(implied).filter(|implied| *implied != Direction::Unknown && !is_known);
        Self {
            name,
            written_in,
            better,
        }
    }
}

/// The text of a header without the unit in it, and the unit: `Time (ms)`, `Time [ms]`, `time_ms`, `ns/op`.
fn split_unit(header: &str) -> (&str, &str) {
    let header = header.trim();
    let is_unit = |text: &str| {
        // `min` is the least.
        !["B", "min", "m", "h", "d"].contains(&text)
            && (ending(text).is_some()
                || text == "%"
                || ["/s", "/sec"].iter().any(|each| text.ends_with(each)))
    };
    let inner = header
        .strip_suffix([')', ']'])
        .and_then(|open| open.rsplit_once(['(', '[']));
    let inner = inner.map(|(base, inner)| {
        (
            base.trim_end(),
            inner.rsplit(' ').next().unwrap_or_default(),
        )
    });
    if let Some(parts) = inner.filter(|(_, inner)| is_unit(inner) || inner.contains('/')) {
        return parts;
    }
    if is_unit(header) || header.contains("/op") {
        return ("", header);
    }
    let last = header
        .rsplit_once([' ', '_', ','])
        .filter(|(_, last)| is_unit(last));
    last.map_or((header, ""), |(base, unit)| {
        (base.trim_end_matches([',', ' ']), unit)
    })
}

/// The meaning of the columns of a table.
pub(crate) struct Plan {
    /// The column with names: the one that is called so, or the first without numbers.
    pub name: usize,
    /// The columns of numbers.
    pub metrics: Vec<Option<Metric>>,
    /// The columns without which names are not distinct.
    pub details: Vec<usize>,
}

impl Plan {
    pub(crate) fn of(header: &[String], rows: &[(u64, Vec<String>)]) -> Self {
        let mut metrics = Vec::new();
        let mut texts = Vec::new();
        for (at, column) in header.iter().enumerate() {
            let cells = rows.iter().map(|(_, cells)| &cells[at]);
            let cells: Vec<&String> = cells.filter(|cell| !is_blank(cell)).collect();
            let units: Vec<&str> = cells
                .iter()
                .filter_map(|cell| unit_of_number(cell))
                .collect();
            let unit = units.first().filter(|_| units.len() * 2 >= cells.len());
            if unit.is_none() {
                texts.push(column.as_str());
            }
            metrics.push(unit.map(|unit| Metric::of(column, unit)));
        }
        let name = best_name(&texts).and_then(|best| header.iter().position(|name| name == best));
        let name = name.unwrap_or_default();
        metrics[name] = None;
        let names: HashSet<&String> = rows.iter().map(|(_, cells)| &cells[name]).collect();
        let mut details: Vec<usize> = (0..header.len()).collect();
        details.retain(|at| *at != name && metrics[*at].is_none() && names.len() < rows.len());
        Self {
            name,
            metrics,
            details,
        }
    }
}
