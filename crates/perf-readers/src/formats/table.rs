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
use crate::formats::common::text_table::{is_blank, is_in, number_with_unit};
use crate::formats::custom;
use crate::formats::spec::suffix;

/// The hint for an input without rows that has such a table.
pub(crate) fn nearest(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let but = "has a table of no known tool: `perf-gate formats try FILE` describes it";
    is_in(head).then_some(("[[formats]]", but))
}

/// A column of numbers as a metric.
pub(crate) struct Metric {
    pub name: String,
    /// The unit of the numbers, which stands behind them or in the header.
    unit: String,
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
    /// The metric of a column, from its header and a cell below it; `None` for a cell without a number.
    fn of(header: &str, cell: &str) -> Option<Self> {
        let (_, behind) = number_with_unit(cell)?;
        let (base, in_header) = split_unit(header);
        let unit = if behind.is_empty() { in_header } else { behind };
        let base = camel_case(&base.replace(['µ', 'μ'], "u"));
        let is_in_header = behind.is_empty();
        // All numbers below a header have one unit of time, which they keep.
        let (ending, written_in) = match (ending(unit), of_each(unit)) {
            (Some("Ns"), "ms") if is_in_header => (Some("Ms"), None),
            (Some("Ns"), "us" | "µs" | "μs") if is_in_header => (Some("Us"), None),
            (Some("Ns"), "s") if is_in_header => (Some("S"), None),
            (ending, unit) => (
                ending,
                ending.filter(|_| is_in_header).map(|_| unit.to_owned()),
            ),
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
        Some(Self {
            name,
            unit: unit.to_owned(),
            written_in,
            better,
        })
    }

    /// True if neither the unit nor the name says that the number was measured, rather than chosen.
    fn may_be_chosen(&self) -> bool {
        let meaning = Meaning::of_name(&self.name);
        self.unit.is_empty()
            && meaning.direction == Direction::Unknown
            && meaning.unit == Unit::None
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
        let metric = |(at, header): (usize, &String)| {
            let cells = || {
                rows.iter()
                    .map(|(_, cells)| &cells[at])
                    .filter(|cell| !is_blank(cell))
            };
            let numbers = cells()
                .filter(|cell| number_with_unit(cell).is_some())
                .count();
            let first = cells().find_map(|cell| Metric::of(header, cell));
            first.filter(|_| numbers * 2 >= cells().count())
        };
        let mut metrics: Vec<Option<Metric>> = header.iter().enumerate().map(metric).collect();
        let texts = header
            .iter()
            .zip(&metrics)
            .filter(|(_, metric)| metric.is_none());
        let texts: Vec<&str> = texts.map(|(header, _)| header.as_str()).collect();
        let named =
            best_name(&texts).and_then(|name| header.iter().position(|header| header == name));
        let name = named.unwrap_or_default();
        metrics[name] = None;
        let others = || (0..header.len()).filter(move |at| *at != name);
        let is_text = |at: &usize| metrics[*at].is_none();
        let is_chosen = |at: &usize| metrics[*at].as_ref().is_none_or(Metric::may_be_chosen);
        let are_apart = |details: &Vec<usize>| {
            let different: HashSet<Vec<&String>> = rows
                .iter()
                .map(|(_, cells)| {
                    details
                        .iter()
                        .chain([&name])
                        .map(|at| &cells[*at])
                        .collect()
                })
                .collect();
            different.len() == rows.len()
        };
        let texts: Vec<usize> = others().filter(is_text).collect();
        let mut all = [
            Vec::new(),
            texts.clone(),
            others().filter(is_chosen).collect(),
        ]
        .into_iter();
        let details = all.find(are_apart).unwrap_or(texts);
        for at in &details {
            metrics[*at] = None;
        }
        let mut taken = HashSet::new();
        for metric in metrics.iter_mut().flatten() {
            let name = metric.name.clone();
            for number in 2.. {
                if taken.insert(metric.name.clone()) {
                    break;
                }
                metric.name = format!("{name} {number}");
            }
        }
        Self {
            name,
            metrics,
            details,
        }
    }
}
