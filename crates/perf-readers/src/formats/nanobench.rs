//! nanobench's table.
//!
//! ```text
//! |               ns/op |                op/s |    err% |     total | benchmark
//! |--------------------:|--------------------:|--------:|----------:|:----------
//! |                5.63 |      177,595,338.98 |    0.0% |      0.00 | `compare exchange`
//! ```
//!
//! Source: the table of `nanobench.h`, version 4.3.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("nanobench")
    .about("nanobench's table: time with its median deviation, rate, counters of the processor")
    .looks_like(|head| {
        let has = |mark| has_line(head, mark, |line| Table::of(line).is_some());
        (has("err% |") || has("MdAPE |")).into()
    })
    .lines::<Lines>();

/// The deviation column before version 4.
const MDAPE: &str = "MdAPE";

#[derive(Default)]
struct Lines {
    table: Option<Table>,
    tables: Tables,
}

struct Table {
    columns: Vec<String>,
    /// The title that the benchmark set; empty if it set none.
    title: String,
}

impl Table {
    /// Returns the columns and the title if the line is a header.
    fn of(line: &str) -> Option<Self> {
        let columns = bars::cells(line)?;
        let title = columns.last()?.trim();
        let title = if title == "benchmark" {
            String::new()
        } else {
            title.to_owned()
        };
        let is_header =
            (columns.contains(&"err%") && columns.contains(&"total")) || columns.contains(&MDAPE);
        is_header.then(|| Self {
            columns: columns.into_iter().map(str::to_owned).collect(),
            title,
        })
    }

    fn name(&self, cell: &str) -> String {
        // Advice follows an unstable benchmark's name.
        let quoted = cell
            .split_once('`')
            .and_then(|(_, rest)| rest.split_once('`'));
        let name = quoted.map_or(cell, |(name, _)| name);
        if self.title.is_empty() {
            name.to_owned()
        } else {
            format!("{}: {name}", self.title)
        }
    }

    fn metrics(&self, cells: &[&str], sink: &mut Rows<'_>) -> Metrics {
        let mut metrics = Metrics::default();
        for (column, cell) in self.columns.iter().zip(cells) {
            // Authors may have highlighted the best number.
            let cell = cell.trim_matches('*');
            let share = || grouped(cell.trim_end_matches('%'));
            match column.as_str() {
                // The median deviation, printed relative to the time.
                "err%" | MDAPE => {
                    let shares = metrics.get("timeNs").zip(share());
                    let deviation =
                        shares.map(|(time, share)| time.as_f64() * (share.as_f64() / 100.0));
                    metrics.add("timeNs.mad", deviation.and_then(Value::new));
                }
                "miss%" => metrics.add("branchMissRatePercent", share()),
                "ins/op" => metrics.add("instructions", grouped(cell)),
                "cyc/op" => metrics.add("cycles", grouped(cell)),
                "bra/op" => metrics.add("branches", grouped(cell)),
                "op/s" => metrics.add("opsPerSecond", grouped(cell)),
                column => match column.split_once('/') {
                    Some((unit, "op")) if unit == "ps" || to_nanoseconds(unit).is_some() => {
                        metrics.add("timeNs", nanoseconds(cell, unit));
                    }
                    // The unit of work is not one operation.
                    Some((_, per)) => {
                        let direction = if per == "s" {
                            Direction::Higher
                        } else {
                            Direction::Lower
                        };
                        sink.means(column, Unit::None, direction);
                        metrics.add(column.to_owned(), grouped(cell));
                    }
                    None => {}
                },
            }
        }
        metrics
    }
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        if let Some(table) = Table::of(line) {
            self.tables.begin(number);
            self.table = Some(table);
            return true;
        }
        let Some(table) = &self.table else {
            return false;
        };
        let Some(cells) = bars::cells_with_name(line, table.columns.len()) else {
            self.table = None;
            return false;
        };
        if bars::is_rule(line) {
            return true;
        }
        let name = table.name(cells.last().copied().unwrap_or_default());
        if cells.contains(&":boom:") || line.contains(":boom:") {
            self.tables
                .add(number, &name, Outcome::Failed, Metrics::default());
        } else if cells.len() == table.columns.len() {
            let metrics = table.metrics(&cells, sink);
            self.tables.add(number, &name, Outcome::Measured, metrics);
        } else {
            sink.skip(number, line, || {
                format!("expected {} columns", table.columns.len())
            });
        }
        true
    }

    fn is_cut_off(&self, line: &str) -> bool {
        self.table.is_some() && line.starts_with('|') && !line.ends_with('`')
    }

    fn end(&mut self, sink: &mut Rows<'_>) {
        self.tables.give(sink);
    }
}
