//! The tables of package-benchmark for Swift: percentiles of each metric of a benchmark, of which the median stands for
//! it.
//!
//! ```text
//! array/10000
//! ╒═══════════════════════════════╤═════╤═══ … ═══╕
//! │ Metric                        │  p0 │ … │ Samples │
//! ╞═══════════════════════════════╪═════╪═══ … ═══╡
//! │ Time (wall clock) (μs) *      │   8 │ … │   10000 │
//! ╘═══════════════════════════════╧═════╧═══ … ═══╛
//! ```
//!
//! With `--grouping metric` each table is of a metric, which stands above it, and its lines are of benchmarks.
//!
//! Source: `BenchmarkTool+PrettyPrinting.swift` of package-benchmark 1.29.

use crate::formats::common::names::camel_case;
use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("swift-benchmark")
    .about("package-benchmark for Swift: median, extremes and percentiles of time, allocations and other metrics")
    .contains(&[" p50 "])
    .looks_like(|head| has_line(head, " p50 ", |line| header(line).is_some()).into())
    // Tables of one metric each, which have no such line, are only found near the beginning: another mark, of common
    // letters, makes the search of every log half as slow again.
    .lines::<Lines>(&["│ Metric "]);

/// The columns of a line that is the header of a table.
fn header(line: &str) -> Option<Vec<String>> {
    let cells = bars::cells(line)?;
    let is_header = matches!(cells[0], "Metric" | "Test")
        && cells.contains(&"p50")
        && cells.contains(&"Samples");
    is_header.then(|| cells.into_iter().map(str::to_owned).collect())
}

#[derive(Default)]
struct Lines {
    tables: Tables,
    columns: Vec<String>,
    /// True if the table is of one benchmark.
    is_open: bool,
    /// The metric of the table, and those of the tables before it.
    metric: Option<String>,
    metrics: Vec<String>,
    target: String,
    /// The last two lines of text.
    before: [String; 2],
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        let text = text.trim();
        if let Some(columns) = header(text) {
            self.close();
            self.columns = columns;
            if self.columns[0] == "Test" {
                self.begin_metric(number);
                return true;
            }
            self.is_open = true;
            self.tables.begin(number);
            self.tables
                .add(number, &self.name(), Outcome::Measured, Metrics::default());
            return true;
        }
        let Some(cells) = bars::cells(text) else {
            if text.starts_with('╘') {
                self.close();
            } else if !bars::is_rule(text) || text.starts_with("===") {
                self.note(text);
            }
            return false;
        };
        if !self.is_open && self.metric.is_none() {
            return false;
        }
        if cells.len() != self.columns.len() {
            sink.skip(number, line, || {
                format!("expected {} columns", self.columns.len())
            });
        } else if let Some(metric) = &self.metric {
            let (name, unit) = test(cells[0]);
            let metrics =
                Metric::of(&format!("{metric}{unit}")).percentiles(&self.columns, &cells, sink);
            self.tables.extend(number, &name, metrics);
        } else if let Some(metrics) = self.tables.last_metrics() {
            metrics.extend(Metric::of(cells[0]).percentiles(&self.columns, &cells, sink));
            metrics.lead(&["timeNs"]);
        }
        true
    }

    fn is_cut_off(&self, line: &[u8]) -> bool {
        let is_closed = text(line).starts_with('╘') || bars::is_closed(&text(line));
        (self.is_open || self.metric.is_some()) && !is_closed
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.tables.give(false, sink);
    }
}

impl Lines {
    /// The target stands between two lines of `=`.
    fn note(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let [before, last] = &self.before;
        if text.starts_with("===") && before.starts_with("===") && !last.starts_with("===") {
            self.target = if last.starts_with("Running ") {
                String::new()
            } else {
                last.clone()
            };
        }
        self.before = [std::mem::take(&mut self.before[1]), text.to_owned()];
    }

    fn name(&self) -> String {
        let name = self.before[1].trim_start_matches(['=', '#']).trim();
        if self.target.is_empty() {
            name.to_owned()
        } else {
            format!("{}: {name}", self.target)
        }
    }

    /// Begins a table of one metric; a repeated metric is that of another run.
    fn begin_metric(&mut self, number: u64) {
        let metric = std::mem::take(&mut self.before[1]);
        if self.metrics.is_empty() || self.metrics.contains(&metric) {
            self.metrics.clear();
            self.tables.begin(number);
        }
        self.metrics.push(metric.clone());
        self.metric = Some(metric);
    }

    fn close(&mut self) {
        (self.is_open, self.metric) = (false, None);
    }
}

/// The name of a benchmark in a table of one metric, and the unit that is printed behind it:
/// `Codecs:parse (ns) *`.
fn test(cell: &str) -> (String, &str) {
    let cell = cell.trim_end_matches('*').trim_end();
    let (name, unit) = match cell.rsplit_once(" (") {
        Some((name, unit)) if is_unit(unit.trim_end_matches(')')) => (name, &cell[name.len()..]),
        _ => (cell, ""),
    };
    let is_target = |target: &str| {
        target
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
    };
    match name.split_once(':') {
        Some((target, name)) if is_target(target) => (format!("{target}: {}", name.trim()), unit),
        _ => (name.to_owned(), unit),
    }
}

/// A metric of the tool, by the name and the unit in its column.
struct Metric {
    /// As `time` and `Ns`: percentiles stand between them.
    of: String,
    unit: &'static str,
    /// The unit that its numbers are printed in.
    printed: String,
    direction: Direction,
}

impl Metric {
    fn of(cell: &str) -> Self {
        let cell = cell.trim_end_matches('*').trim();
        let (name, printed) = match cell
            .rsplit_once(" (")
            .map(|(name, unit)| (name, unit.trim_end_matches(')')))
        {
            Some((name, unit)) if is_unit(unit) => (name, unit),
            _ => (cell, ""),
        };
        let (of, unit, direction) = match name {
            "Time (wall clock)" => ("time".to_owned(), "Ns", Direction::Lower),
            "Time (total CPU)" => ("cpuTime".to_owned(), "Ns", Direction::Lower),
            "Time (user CPU)" => ("userTime".to_owned(), "Ns", Direction::Lower),
            "Time (system CPU)" => ("systemTime".to_owned(), "Ns", Direction::Lower),
            name if name.starts_with("Throughput") => {
                ("opsPerSecond".to_owned(), "", Direction::Higher)
            }
            "Malloc (total)" => ("allocations".to_owned(), "", Direction::Lower),
            name if name.starts_with("Memory") => (camel_case(name), "Bytes", Direction::Lower),
            name if to_nanoseconds(printed).is_some() => {
                (camel_case(name), "Ns", Direction::Unknown)
            }
            name => (
                camel_case(name),
                "",
                if IS_COST.contains(&name) {
                    Direction::Lower
                } else {
                    Direction::Unknown
                },
            ),
        };
        Self {
            of,
            unit,
            printed: printed.to_owned(),
            direction,
        }
    }

    fn percentiles(
        &self,
        columns: &[String],
        cells: &[&str],
        sink: &mut RowCollector<'_>,
    ) -> Metrics {
        let Self {
            of,
            unit,
            direction,
            ..
        } = self;
        let name = format!("{of}{unit}");
        sink.means_direction(&name, Unit::Count, *direction);
        let mut metrics = Metrics::default();
        for (column, cell) in columns.iter().zip(cells) {
            let metric = match column.as_str() {
                "p50" => name.clone(),
                // Of a rate the best comes first.
                "p0" if *direction == Direction::Higher => format!("{name}.max"),
                "p100" if *direction == Direction::Higher => format!("{name}.min"),
                "p0" => format!("{name}.min"),
                "p100" => format!("{name}.max"),
                "p90" | "p99" if unit == &"Ns" => format!("{of}P{}{unit}", &column[1..]),
                _ => continue,
            };
            metrics.add(metric, self.convert(cell));
        }
        metrics.lead(&[&name]);
        metrics
    }

    fn convert(&self, cell: &str) -> Option<Value> {
        match self.printed.as_str() {
            "" | "#" => grouped(cell),
            unit if to_nanoseconds(unit).is_some() => nanoseconds(cell, unit),
            prefix => quantity(cell, prefix, ""),
        }
    }
}

/// Counts that are better lower.
const IS_COST: [&str; 12] = [
    "Instructions",
    "Malloc (small)",
    "Malloc (large)",
    "Malloc / free Δ",
    "Object allocs",
    "Retains",
    "Releases",
    "Context switches",
    "Syscalls (total)",
    "Mutex Lock/Unlock",
    "Retain / Release Δ",
    "Alloc / Retain / Release Δ",
];

fn is_unit(unit: &str) -> bool {
    to_nanoseconds(unit).is_some() || ["#", "K", "M", "G", "T", "P"].contains(&unit)
}
