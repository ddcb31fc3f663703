//! BenchmarkDotNet's table, on a terminal and in `*-report-github.md`, and its CSV (`*-report.csv`).
//!
//! ```text
//! | Method | N    | Mean     | Error     | StdDev    | Allocated |
//! |------- |----- |---------:|----------:|----------:|----------:|
//! | Sha256 | 1000 | 7.513 us | 0.1493 us | 0.1834 us |     112 B |
//! ```
//!
//! The columns before `Mean` are job settings and parameters, which become part of the benchmark's name. The CSV lists
//! all job settings, and those that all rows share are left out of the name. The class is in the column `Type`, or in
//! the report file's name, which the terminal output contains above the table.
//!
//! Source: `MarkdownExporter` and `CsvExporter` of BenchmarkDotNet 0.10 to 0.15.8.

use crate::formats::common::prelude::*;
use crate::units::have_decimal_points;

pub(crate) const TEXT: Format = Format::named("benchmarkdotnet-text")
    .about("BenchmarkDotNet's table on the terminal and in *-report-github.md: mean with its interval, allocations")
    .contains(&[" Mean "])
    .looks_like(|head| has_line(head, " Mean ", |line| header(line).is_some()).into())
    .lines::<Lines>();

pub(crate) const CSV: Format = Format::named("benchmarkdotnet-csv")
    .about("BenchmarkDotNet *-report.csv: mean with its interval, allocations")
    .looks_like(|head| csv_records::delimiter(head, &COLUMNS).is_some().into())
    .document(read);

/// Returns the cells of a row. Version 0.10 prints no bar at the start of a line.
fn cells(line: &str) -> Option<Vec<&str>> {
    let without_bar = || line.trim_end().strip_suffix('|');
    bars::cells(line).or_else(|| Some(without_bar()?.split('|').map(str::trim).collect()))
}

/// Returns the columns if the line is a table header.
fn header(line: &str) -> Option<Vec<String>> {
    let cells = cells(line.trim_start_matches(['\'', '#']))?;
    let has = |name: &str| cells.contains(&name);
    // Each of these columns can be hidden.
    let others = ["Error", "StdDev", "StdErr", "Median", "Ratio", "Allocated"];
    let is_header = has("Method") && has("Mean") && others.iter().any(|column| has(column));
    is_header.then(|| cells.iter().map(|&cell| cell.to_owned()).collect())
}

#[derive(Default)]
struct Lines {
    table: Option<Table>,
    tables: Tables,
    class: String,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        if let Some(class) = class_of_report(line) {
            self.close(sink);
            class.clone_into(&mut self.class);
            return false;
        }
        if let Some(columns) = header(line) {
            self.close(sink);
            self.table = Some(Table {
                line: number,
                columns,
                rows: Vec::new(),
            });
            return true;
        }
        let Some(table) = &mut self.table else {
            return false;
        };
        if bars::is_rule(line) {
            return true;
        }
        match cells(line) {
            // An empty row separates groups, whose rows are bold.
            Some(cells) if cells.iter().all(|cell| cell.is_empty()) => {}
            Some(cells) if cells.len() == table.columns.len() => {
                let plain = |cell: &&str| cell.trim_matches('*').trim().to_owned();
                table.rows.push((number, cells.iter().map(plain).collect()));
            }
            Some(_) => sink.skip(number, line, || {
                format!("expected {} columns", table.columns.len())
            }),
            None => {
                self.close(sink);
                return false;
            }
        }
        true
    }

    fn is_cut_off(&self, line: &str) -> bool {
        self.table.is_some() && line.contains('|') && !bars::is_closed(line)
    }

    fn end(&mut self, sink: &mut Rows<'_>) {
        self.close(sink);
        self.tables.give(sink);
    }
}

impl Lines {
    fn close(&mut self, sink: &mut Rows<'_>) {
        if let Some(table) = self.table.take() {
            table.give(&self.class, &mut self.tables, sink);
        }
    }
}

/// Returns the class in a line such as `  BenchmarkDotNet.Artifacts/results/App.Hashing-report.csv`.
fn class_of_report(line: &str) -> Option<&str> {
    let line = line.trim();
    let name = line.rsplit(['/', '\\']).next()?;
    let (class, rest) = name.rsplit_once("-report")?;
    let is_report = rest.starts_with(['.', '-']) && line.contains("results");
    (is_report && !class.contains(' ')).then_some(class)
}

/// A table with all of its rows. The rows' names depend on all rows, because settings that all rows share are left out.
struct Table {
    line: u64,
    columns: Vec<String>,
    rows: Vec<(u64, Vec<String>)>,
}

impl Table {
    /// Whether it is certain that all numbers have decimal points rather than decimal commas.
    fn has_decimal_points(&self) -> bool {
        let (mut numbers, mut others) = (Vec::new(), Vec::new());
        for (_, cells) in &self.rows {
            for (column, cell) in self.columns.iter().zip(cells) {
                let (number, _) = split_unit(cell);
                if !is_measured(column) {
                    others.push(number);
                } else if number.starts_with(|c: char| c.is_ascii_digit()) {
                    numbers.push(number);
                }
            }
        }
        have_decimal_points(numbers.into_iter(), others.into_iter())
    }

    fn give(self, class: &str, tables: &mut Tables, sink: &mut Rows<'_>) {
        if !self.has_decimal_points() {
            return sink.skip_as(FindingKind::Ambiguous, self.line, "", || {
                "numbers may have decimal commas: set `CultureInfo.InvariantCulture`".to_owned()
            });
        }
        tables.begin(self.line);
        // The columns before the metrics are parameters, which can have any name.
        let first = self
            .columns
            .iter()
            .position(|column| column == "Mean")
            .unwrap_or_default();
        // The CSV lists all job settings before the parameters.
        let last_setting = self
            .columns
            .iter()
            .position(|column| column == "WarmupCount");
        let is_shown = |at: usize| {
            let differs = |(_, cells): &(u64, Vec<String>)| cells.get(at) != self.rows[0].1.get(at);
            last_setting.is_none_or(|last| at > last) || self.rows.iter().any(differs)
        };
        let shown: Vec<bool> = (0..first).map(is_shown).collect();
        for (line, cells) in &self.rows {
            let name = self.name(class, cells, &shown);
            let metrics = self.metrics(first, cells, sink);
            if metrics.has("timeNs") {
                tables.add(*line, &name, Outcome::Measured, metrics);
            } else {
                tables.add(*line, &name, Outcome::Failed, Metrics::default());
            }
        }
    }

    /// Returns the benchmark's name, such as `App.Hashing.Sha256(N: 1000, Runtime: .NET 8.0)`.
    fn name(&self, class: &str, cells: &[String], shown: &[bool]) -> String {
        let (mut path, mut method, mut details) = (class, "", Vec::new());
        let mut namespace = "";
        for ((column, cell), shown) in self.columns.iter().zip(cells).zip(shown) {
            let cell = cell.trim_matches('\'');
            match column.as_str() {
                "Method" => method = cell,
                "Type" => path = cell,
                "Namespace" => namespace = cell,
                "Categories" => {}
                // BenchmarkDotNet generated this job name.
                "Job" if cell == "DefaultJob" || cell.starts_with("Job-") => {}
                // The job is named after its runtime, so the name already contains the runtime.
                "Runtime" if details.contains(&format!("Job: {cell}")) => {}
                _ if *shown && !cell.is_empty() && cell != "?" => {
                    details.push(format!("{column}: {cell}"));
                }
                _ => {}
            }
        }
        let path = joined([namespace, path, method], ".");
        if details.is_empty() {
            path
        } else {
            format!("{path}({})", details.join(", "))
        }
    }

    fn metrics(&self, first: usize, cells: &[String], sink: &mut Rows<'_>) -> Metrics {
        let mut metrics = Metrics::default();
        let mut error = None;
        for (column, cell) in self.columns.iter().zip(cells).skip(first) {
            match column.as_str() {
                // Half the width of the mean's confidence interval.
                "Error" => error = time(cell).map(Value::as_f64),
                "Op/s" => metrics.add("opsPerSecond", grouped(cell)),
                column if RESTATED.contains(&column) => {}
                column if let Some(metric) = time_metric(column) => metrics.add(metric, time(cell)),
                column
                    if let Some((_, metric)) = SIZES.iter().find(|(known, _)| *known == column) =>
                {
                    metrics.add(*metric, bytes(cell));
                }
                column if let Some(metric) = count_metric(column) => {
                    let meaning = Meaning {
                        unit: Unit::Count,
                        direction: Direction::Lower,
                        exact: false,
                    };
                    sink.declare(
                        &metric,
                        Declared {
                            label: Some(column.to_owned()),
                            meaning,
                        },
                    );
                    let none = (cell == "-").then_some(Value::Int(0));
                    metrics.add(metric, none.or_else(|| grouped(cell)));
                }
                // A custom column, about which only the name is known.
                column => metrics.add(column.replace(' ', ""), grouped(cell)),
            }
        }
        metrics.add_ends("timeNs", metrics.get("timeNs"), error);
        metrics
    }
}

/// Columns with times, and their metrics.
const TIMES: [(&str, &str); 6] = [
    ("Mean", "timeNs"),
    ("StdDev", "timeNs.stddev"),
    ("Min", "timeNs.min"),
    ("Max", "timeNs.max"),
    ("Median", "timeP50Ns"),
    ("P50", "timeP50Ns"),
];
/// Columns with amounts of memory, and their metrics.
const SIZES: [(&str, &str); 4] = [
    ("Allocated", "allocatedBytes"),
    ("Code Size", "codeBytes"),
    ("Allocated native memory", "allocatedNativeBytes"),
    ("Native memory leak", "leakedNativeBytes"),
];

/// Whether the numbers in a column are formatted for the system's locale.
fn is_measured(column: &str) -> bool {
    let is_size = SIZES.iter().any(|(known, _)| *known == column);
    ["Error", "Op/s"].contains(&column)
        || is_size
        || time_metric(column).is_some()
        || count_metric(column).is_some()
}

/// Splits a cell into its number and its unit, which is empty if the cell contains none.
fn split_unit(cell: &str) -> (&str, &str) {
    match cell.rsplit_once([' ', '\u{a0}']) {
        Some((number, unit)) if unit.starts_with(char::is_alphabetic) => (number.trim(), unit),
        _ => (cell, ""),
    }
}

fn time_metric(column: &str) -> Option<String> {
    let known = TIMES.iter().find(|(known, _)| *known == column);
    let percentile = || {
        column
            .strip_prefix('P')
            .filter(|at| at.parse::<u8>().is_ok_and(|at| at > 50))
    };
    known
        .map(|(_, metric)| (*metric).to_owned())
        .or_else(|| percentile().map(|percentile| format!("timeP{percentile}Ns")))
}

/// Returns the metric for a column with counts. Collections are per thousand operations, as in the JSON.
fn count_metric(column: &str) -> Option<String> {
    if let Some(generation) = column.strip_prefix("Gen").map(str::trim) {
        return generation
            .parse::<u8>()
            .is_ok()
            .then(|| format!("Gen{generation}Collects"));
    }
    let is_known = ["Completed Work Items", "Lock Contentions", "Exceptions"].contains(&column);
    if is_known {
        Some(column.replace(' ', ""))
    } else {
        column.strip_suffix("/Op").map(str::to_owned)
    }
}

/// Columns that are not read, because they repeat other columns, describe the distribution, or compare with the
/// baseline.
const RESTATED: [&str; 20] = [
    "StdErr",
    "Q1",
    "Q3",
    "P0",
    "P25",
    "P100",
    "Ratio",
    "RatioSD",
    "Scaled",
    "ScaledSD",
    "Scaled-StdDev",
    "Alloc Ratio",
    "Rank",
    "Baseline",
    "Kurtosis",
    "Skewness",
    "MValue",
    "Iterations",
    "LogicalGroup",
    "CI99.9% Margin",
];

/// Converts a time such as `7.513 us`. A failed benchmark has `NA` instead.
fn time(cell: &str) -> Option<Value> {
    let (number, unit) = split_unit(cell);
    nanoseconds(number, unit)
}

/// Converts a size such as `1.5 KB`, which is 1536 bytes. A dash means 0.
fn bytes(cell: &str) -> Option<Value> {
    if cell == "-" {
        return Some(Value::Int(0));
    }
    let (number, unit) = split_unit(cell);
    binary_bytes(number, unit)
}

const COLUMNS: [&str; 4] = ["Method", "Job", "Mean", "AnalyzeLaunchVariance"];

fn read(input: &Input<'_>, sink: &mut Rows<'_>) {
    let (mut columns, mut rows) = (Vec::new(), Vec::new());
    csv_records::tables(input, sink, &COLUMNS, |record, sink| {
        if let Some(record) = record {
            columns = record.iter().map(|(column, _)| column.to_owned()).collect();
            rows.push((
                record.line,
                record
                    .iter()
                    .map(|(_, cell)| cell.trim().to_owned())
                    .collect(),
            ));
            return;
        }
        let (columns, rows) = (std::mem::take(&mut columns), std::mem::take(&mut rows));
        let mut tables = Tables::default();
        Table {
            line: 1,
            columns,
            rows,
        }
        .give("", &mut tables, sink);
        tables.give(sink);
    });
}
