//! divan's table, in which modules, types and arguments form a tree:
//!
//! ```text
//! parse     fastest       │ slowest       │ median        │ mean          │ samples │ iters
//! ├─ long   7.952 ns      │ 8.058 ns      │ 7.984 ns      │ 7.986 ns      │ 100     │ 25600
//! │         1.006 GB/s    │ 992.8 MB/s    │ 1.002 GB/s    │ 1.001 GB/s    │         │
//! │         alloc:        │               │               │               │         │
//! │           1           │ 1             │ 1             │ 1             │         │
//! │           4.096 KB    │ 4.096 KB      │ 4.096 KB      │ 4.096 KB      │         │
//! ╰─ short  (ignored)     │               │               │               │         │
//! ```
//!
//! A *cell* is the text between two vertical lines. The first cell includes the tree.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("divan")
    .about("divan's table: time, throughput and allocations; ignored benchmarks")
    .contains(&[HEADER])
    .lines::<Table>();

/// A part of the header that only this table contains.
const HEADER: &str = "│ slowest ";

const COLUMNS: usize = 6;

/// The width of one level of the tree, in characters.
const BRANCH: usize = 3;

/// The maximum number of levels in the tree.
const DEEPEST: usize = 64;

#[derive(Default)]
struct Table {
    /// The binary's name, and then the branches that lead to the last line. Empty outside a table.
    path: Vec<String>,
    /// For each branch of `path`, whether more entries must follow on its level.
    goes_on: Vec<bool>,
    line: u64,
    tables: Tables,
    /// The table's indentation in bytes.
    indent: usize,
    /// The allocation metrics on the benchmark's next lines: counts, then sizes. `None` if no benchmark is open.
    awaited: Option<Vec<&'static str>>,
}

impl LineReader for Table {
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        if self.path.is_empty() && line.find(HEADER).is_none() {
            return false;
        }
        if let Some((name, _)) = line
            .split_once("fastest")
            .filter(|(_, rest)| rest.contains("│ slowest "))
        {
            self.leave(sink);
            self.tables.begin(number);
            self.path = vec![name.trim().to_owned()];
            (self.goes_on, self.line) = (vec![true], number);
            self.indent = line.len() - line.trim_start().len();
            return true;
        }
        self.indent_as(line);
        let line = self.outdented(line);
        let taken = match line.find(['├', '╰']) {
            _ if !line.starts_with(['├', '╰', '│', ' ']) => false,
            Some(at) if line[..at].chars().all(|c| matches!(c, '│' | ' ')) => {
                self.branch(number, line, at, sink)
            }
            _ => self.more(line),
        };
        if taken {
            self.line = number;
        } else {
            self.leave(sink);
        }
        taken
    }

    fn unended(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        let text = self.outdented(line);
        let is_tree = !self.path.is_empty() && text.starts_with(['│', ' ']);
        // A truncated branch is reported when it is read.
        let is_branch = text.contains(['├', '╰']);
        if !is_tree || is_branch || cells(text.trim_start_matches(['│', ' '])).len() >= COLUMNS {
            return self.line(number, line, sink);
        }
        // If branches are missing, `leave` reports them.
        if !self.goes_on.contains(&true) {
            sink.skip_cut_off(number, line);
        }
        true
    }

    fn end(&mut self, sink: &mut Rows<'_>) {
        self.leave(sink);
        self.tables.give(sink);
    }
}

impl Table {
    /// Ends a table, and reports missing branches.
    fn leave(&mut self, sink: &mut Rows<'_>) {
        self.awaited = None;
        if let Some(binary) = self.path.first().filter(|_| self.goes_on.contains(&true)) {
            sink.skip(self.line, "", || {
                format!("table of `{binary}` is cut off after this line")
            });
        }
        self.path.clear();
        self.goes_on.clear();
    }

    /// Reduces the table's indentation to the row's. A header that was not copied from the start of its line may be
    /// indented more than the rows.
    fn indent_as(&mut self, row: &str) {
        if row.trim_start().starts_with(['├', '╰', '│']) {
            self.indent = self.indent.min(row.len() - row.trim_start().len());
        }
    }

    /// Returns a line without the table's indentation, which Markdown may have added.
    fn outdented<'l>(&self, line: &'l str) -> &'l str {
        match line.split_at_checked(self.indent) {
            Some((indent, rest)) if indent.trim().is_empty() => rest,
            _ => line,
        }
    }

    /// Reads a module's or benchmark's first line.
    fn branch(&mut self, number: u64, text: &str, at: usize, sink: &mut Rows<'_>) -> bool {
        self.awaited = None;
        let depth = text[..at].chars().count() / BRANCH + 1;
        if depth > self.path.len() || depth > DEEPEST {
            return false;
        }
        let cells = cells(&text[at..]);
        let first = cells[0].trim_start_matches(['├', '╰', '─']).trim();
        let (name, fastest) = first
            .rsplit_once("  ")
            .map_or((first, ""), |(name, cell)| (name.trim(), cell.trim()));
        self.path.truncate(depth);
        self.path.push(name.to_owned());
        self.goes_on.truncate(depth);
        self.goes_on[0] = false;
        self.goes_on.push(cells[0].starts_with('├'));
        let path = self.path.join("::");
        match cells.as_slice() {
            _ if fastest == "(ignored)" => {
                self.tables
                    .add(number, &path, Outcome::Skipped, Metrics::default());
            }
            _ if fastest.is_empty() => {} // a module, or a benchmark whose arguments follow
            [_, slowest, median, mean, ..] => {
                if let Some(metrics) = times([median, mean, fastest, slowest]) {
                    self.tables.add(number, &path, Outcome::Measured, metrics);
                    self.awaited = Some(Vec::new());
                } else {
                    sink.skip(number, text, || {
                        "expected four durations with units".to_owned()
                    });
                }
            }
            _ => sink.skip(number, text, || "line is cut off".to_owned()),
        }
        true
    }

    /// Reads one of a benchmark's other lines. Returns whether the line belongs to the table.
    fn more(&mut self, text: &str) -> bool {
        let cells = cells(text.trim_start_matches(['│', ' ']));
        let (first, [_, _, median, ..]) = (cells[0], cells.as_slice()) else {
            return false;
        };
        let open = self.awaited.as_mut().zip(self.tables.last_metrics());
        let Some((awaited, metrics)) = open else {
            return true;
        };
        if let Some(allocations) = allocations(first) {
            *awaited = allocations.to_vec();
        } else if awaited.is_empty() {
            metrics.extend(throughput(median, first, cells[1]));
        } else {
            metrics.add(awaited.remove(0), amount(median));
        }
        true
    }
}

/// Splits a line into cells. There is always at least one.
fn cells(text: &str) -> Vec<&str> {
    text.split('│').map(str::trim).collect()
}

/// Returns the metrics for a median, a mean, a minimum and a maximum; `None` if one of them is not a time with a unit.
fn times(cells: [&str; 4]) -> Option<Metrics> {
    let time = |cell: &str| {
        cell.split_once(' ')
            .and_then(|(number, unit)| nanoseconds(number, unit))
    };
    let names = ["timeNs", "timeNs.mean", "timeNs.min", "timeNs.max"];
    let times = cells
        .into_iter()
        .map(time)
        .collect::<Option<Vec<Value>>>()?;
    Some(names.into_iter().zip(times.into_iter().map(Some)).collect())
}

/// Returns the throughput metrics. The fastest run has the highest throughput.
fn throughput(median: &str, fastest: &str, slowest: &str) -> Metrics {
    const KINDS: [(&str, &str); 4] = [
        ("B/s", "bytesPerSecond"),
        ("item/s", "itemsPerSecond"),
        ("char/s", "charsPerSecond"),
        ("Hz", "cyclesPerSecond"),
    ];
    let mut metrics = Metrics::default();
    if let Some((base, metric)) = KINDS.iter().find(|(base, _)| median.ends_with(base)) {
        let rate = |cell: &str| {
            cell.split_once(' ')
                .and_then(|(number, unit)| quantity(number, unit, base))
        };
        let parts = [("", median), (".min", slowest), (".max", fastest)];
        metrics.add_parts(metric, parts.map(|(part, cell)| (part, rate(cell))));
    }
    metrics
}

/// Returns the metrics on the lines after this label.
fn allocations(name: &str) -> Option<[&'static str; 2]> {
    match name {
        "max alloc:" => Some(["peakBlocks", "peakBytes"]),
        "alloc:" => Some(["allocations", "allocatedBytes"]),
        "dealloc:" => Some(["deallocations", "deallocatedBytes"]),
        "grow:" => Some(["growReallocations", "growBytes"]),
        "shrink:" => Some(["shrinkReallocations", "shrinkBytes"]),
        _ => None,
    }
}

fn amount(cell: &str) -> Option<Value> {
    match cell.split_once(' ') {
        Some((number, unit)) => quantity(number, unit, "B"),
        None => quantity(cell, "", ""),
    }
}
