//! tinybench's `table()` as `console.table` prints it in Node, Deno and Bun.
//!
//! ```text
//! │ (index) │ Task name │ Latency avg (ns) │ … │ Samples │
//! │ 0       │ 'parse'   │ '224.73 ± 0.19%' │ … │ 44497   │
//! ```
//!
//! What stands above a table is its title, where tables have tasks of one name.
//!
//! Source: `Bench.table` in `src/bench.ts` of tinybench 2.9.0 to 6.2.3.

use crate::formats::common::prelude::*;
use crate::formats::tinybench::{add_with_sign, metric_of};

pub(crate) const FORMAT: Format = Format::named("tinybench-text")
    .about("tinybench's `table()` as `console.table` prints it: time and throughput with their margins")
    .samples(Samples::Iterations)
    .looks_like(|head| NAMES.iter().any(|name| has_line(head, name, |line| header(line).is_some())).into())
    .lines::<Lines>(&["│ Task "]);

/// The column of names: another version writes it otherwise.
const NAMES: [&str; 2] = ["Task name", "Task Name"];

/// The columns of a line that is the header of a table: those of names and of one number.
fn header(line: &str) -> Option<Vec<String>> {
    let cells = bars::cells(line)?;
    let has_name = cells.iter().any(|cell| NAMES.contains(cell));
    let has_number = cells
        .iter()
        .any(|cell| metric_of(cell).is_some() || *cell == "Error");
    (has_name && has_number).then(|| cells.into_iter().map(str::to_owned).collect())
}

#[derive(Default)]
struct Lines {
    tables: Tables,
    columns: Vec<String>,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        if let Some(columns) = header(&text) {
            self.columns = columns;
            self.tables.begin(number);
            return true;
        }
        if bars::is_rule(&text) {
            return false;
        }
        match bars::cells(&text).filter(|_| !self.columns.is_empty()) {
            Some(cells) if cells.len() == self.columns.len() => self.row(number, &cells),
            Some(_) => sink.skip(number, line, || {
                format!("expected {} columns", self.columns.len())
            }),
            None => {
                self.columns.clear();
                return false;
            }
        }
        true
    }

    fn is_cut_off(&self, line: &[u8]) -> bool {
        !self.columns.is_empty() && bars::is_broken_row(line)
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.tables.give(false, sink);
    }
}

impl Lines {
    fn row(&mut self, number: u64, cells: &[&str]) {
        let (mut name, mut outcome, mut metrics) = ("", Outcome::Measured, Metrics::default());
        // Before version 3, the margin has a column of its own.
        let margin = self
            .columns
            .iter()
            .position(|column| column == "Margin")
            .map(|at| unquoted(cells[at]));
        for (column, cell) in self.columns.iter().zip(cells) {
            let cell = unquoted(cell);
            match metric_of(column) {
                Some(metric) if metric == "timeNs" => {
                    add_with_sign(
                        &mut metrics,
                        metric,
                        &format!("{cell} {}", margin.unwrap_or_default()),
                    );
                }
                Some(metric) => add_with_sign(&mut metrics, metric, cell),
                None if NAMES.contains(&column.as_str()) => name = cell,
                None if column == "Error" && !cell.is_empty() && cell != "undefined" => {
                    outcome = Outcome::Failed;
                }
                None => {}
            }
        }
        self.tables.add(number, name, outcome, metrics);
    }
}

/// The text of a cell, which Node puts into quotes.
fn unquoted(cell: &str) -> &str {
    ['\'', '"', '`']
        .iter()
        .find_map(|quote| cell.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(cell)
}
