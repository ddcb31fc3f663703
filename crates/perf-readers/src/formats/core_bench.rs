//! Jane Street's core_bench: a table that is drawn with bars, whose cells go on in the next line where they are too long.
//!
//! ```text
//! │ Name        │ Time R^2 │ Time/Run │     95ci │  mWd/Run │
//! ├─────────────┼──────────┼──────────┼──────────┼──────────┤
//! │ making chan │     0.96 │ 275.48us │ -1.72% + │ 108.91kw │
//! │ ge          │          │          │    2.17% │          │
//! ```
//!
//! Source: public results of core_bench 0.15 and 0.16.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("core-bench")
    .about("Jane Street's core_bench: time with its interval, words, collections and cycles of every run")
    .contains(&["│ Name "])
    .looks_like(|head| has_line(head, "│ Name ", |line| header(line).is_some()).into())
    .lines::<Lines>(&[]);

/// The metrics by the beginnings of their columns.
const METRICS: [(&str, &str); 8] = [
    ("Time", "timeNs"),
    ("Cycls", "cycles"),
    ("mWd", "minorWords"),
    ("mjWd", "majorWords"),
    ("Prom", "promotedWords"),
    ("mGC", "minorCollections"),
    ("mjGC", "majorCollections"),
    ("Comp", "compactions"),
];

/// The columns of a header.
fn header(line: &str) -> Option<Vec<String>> {
    let cells = bars::cells(line).filter(|cells| cells.first() == Some(&"Name"))?;
    cells
        .iter()
        .any(|cell| metric(cell).is_some())
        .then(|| cells.into_iter().map(str::to_owned).collect())
}

fn metric(column: &str) -> Option<&'static str> {
    let begin = column.strip_suffix("/Run")?;
    METRICS
        .iter()
        .find(|(known, _)| *known == begin)
        .map(|(_, metric)| *metric)
}

#[derive(Default)]
struct Lines {
    tables: Tables,
    columns: Vec<String>,
    /// The most characters in a line of each cell.
    widths: Vec<usize>,
    /// A row that may go on, and its line.
    row: Option<(u64, Vec<String>)>,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        if let Some(columns) = header(&text) {
            self.close(sink);
            self.columns = columns;
            let drawn = text.trim().split('│').skip(1);
            self.widths = drawn
                .map(|drawn| drawn.chars().count().saturating_sub(2).max(1))
                .collect();
            self.tables.begin(number);
            return true;
        }
        if self.columns.is_empty() || bars::is_rule(&text) {
            self.close(sink);
            return !self.columns.is_empty();
        }
        match bars::cells(&text) {
            Some(cells) if cells.len() == self.columns.len() => self.add(number, &cells, sink),
            Some(_) => sink.skip(number, line, || {
                format!("expected {} columns", self.columns.len())
            }),
            None => {
                self.close(sink);
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
        self.close(sink);
        self.tables.give(false, sink);
    }
}

impl Lines {
    /// Takes a line of a row, which goes on with the last one where it has no number.
    fn add(&mut self, number: u64, cells: &[&str], sink: &mut RowCollector<'_>) {
        let has_number = self
            .columns
            .iter()
            .zip(cells)
            .any(|(column, cell)| metric(column) == Some("timeNs") && !cell.is_empty());
        let Some((_, row)) = self.row.as_mut().filter(|_| !has_number) else {
            self.close(sink);
            self.row = Some((
                number,
                cells.iter().map(|cell| (*cell).to_owned()).collect(),
            ));
            return;
        };
        for ((cell, more), width) in row.iter_mut().zip(cells).zip(&self.widths) {
            // A line that ended in a blank seems to have room.
            if !more.is_empty() && cell.chars().count() % width > 0 {
                cell.push(' ');
            }
            cell.push_str(more);
        }
    }

    fn close(&mut self, sink: &mut RowCollector<'_>) {
        let Some((line, cells)) = self.row.take() else {
            return;
        };
        let (mut metrics, mut last) = (Metrics::default(), None);
        for (column, cell) in self.columns.iter().zip(&cells) {
            if let Some(metric) = metric(column) {
                let value = value(metric, cell);
                if metric != "timeNs" {
                    sink.means(metric, Unit::Count, Direction::Lower);
                }
                metrics.add(metric, value);
                last = Some((metric, value));
            } else if let (Some((metric, value)), "95ci") = (last, column.as_str()) {
                let ends =
                    [".lower", ".upper"]
                        .into_iter()
                        .zip(cell.split('%'))
                        .map(|(part, percent)| {
                            let percent = percent.replace(' ', "").parse::<f64>().ok();
                            (
                                part,
                                percent.and_then(|percent| {
                                    Value::new(value?.as_f64() * (1.0 + percent / 100.0))
                                }),
                            )
                        });
                metrics.add_parts(metric, ends);
            }
        }
        let name = cells.first().map_or("", String::as_str);
        self.tables.add(line, name, Outcome::Measured, metrics);
    }
}

/// A cell such as `275.48us`, `2_385.26w`, `108.91kw` or `60.78e-3`.
fn value(metric: &str, cell: &str) -> Option<Value> {
    let cell = cell.replace('_', "");
    if metric == "timeNs" {
        let (number, unit) = cell.split_at(cell.find(|c: char| c.is_ascii_alphabetic())?);
        return nanoseconds(number, unit);
    }
    let cell = cell.trim_end_matches(['w', 'c']);
    let number = cell.trim_end_matches(['k', 'M', 'G']);
    quantity(number, &cell[number.len()..], "").or_else(|| Value::parse(number))
}
