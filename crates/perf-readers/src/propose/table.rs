//! Tables of unknown tools, with a name and numbers in each row. They can be Markdown, drawn with lines, separated by
//! signs, or aligned with spaces. Units follow the numbers or are in the header.
//!
//! ```text
//! | Benchmark | Time (ms) | Throughput |
//! | --------- | --------: | ---------: |
//! | parse     |      12.5 | 80.1 req/s |
//! ```
//!
//! The numbers in such a table might not be measurements, so it is not read. `propose` only describes it as an entry of
//! `[[formats]]`.

use std::collections::HashSet;

use crate::formats::common::names::{best_name, camel_case};
use crate::formats::common::text_table::{is_blank, unit_of_number};
use crate::formats::spec::suffix;
use crate::units::time_symbol;

/// The meaning of a table's columns.
pub(crate) struct Plan {
    /// The index of the column with names: one with a well-known title, or the first column without numbers.
    pub name: usize,
    /// The metric for each column; `None` for columns without numbers.
    pub metrics: Vec<Option<String>>,
    /// The indices of the columns that make names distinct.
    pub details: Vec<usize>,
}

impl Plan {
    pub(crate) fn of(header: &[String], rows: &[(u64, Vec<String>)]) -> Self {
        let mut metrics = Vec::new();
        let mut texts = Vec::new();
        for (at, column) in header.iter().enumerate() {
            let cells = rows.iter().map(|(_, cells)| &cells[at]);
            let cells: Vec<&String> = cells.filter(|cell| !is_blank(cell)).collect();
            let units = cells.iter().filter_map(|cell| unit_of_number(cell));
            let units: Vec<&str> = units.collect();
            let unit = units.first().filter(|_| units.len() * 2 >= cells.len());
            if unit.is_none() {
                texts.push(column.as_str());
            }
            // The header may contain the unit: `Time (ms)`.
            let suffix = unit.and_then(|unit| suffix(time_symbol(unit)));
            let metric = camel_case(&column.replace(['µ', 'μ'], "u"));
            metrics.push(unit.map(|_| metric + suffix.unwrap_or_default()));
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
