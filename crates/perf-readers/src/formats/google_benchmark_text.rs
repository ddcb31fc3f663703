//! Google Benchmark's table on a terminal, which it prints unless asked for JSON.
//!
//! ```text
//! Benchmark             Time             CPU   Iterations UserCounters...
//! BM_Copy/8          12.4 ns         12.3 ns     56000000 bytes_per_second=6.1Gi/s
//! ```
//!
//! Numbers are rounded, so the JSON is the better input. Statistics of repetitions are only read where the
//! repetitions themselves are not printed.
//!
//! Source: `src/console_reporter.cc` of Google Benchmark 1.7.1.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::formats::common::prelude::*;
use crate::formats::google_benchmark::{metric_of, own_statistic};

pub(crate) const FORMAT: Format = Format::named("google-benchmark-text")
    .about(
        "Google Benchmark's table on the terminal: real and CPU time of every repetition, counters",
    )
    .samples(Samples::Iterations)
    .contains(&[" Iterations"])
    .looks_like(|head| has_line(head, " Iterations", |line| header(line).is_some()).into())
    .lines::<Lines>(&[" Iterations"]);

/// Columns before those of counters.
const COLUMNS: [&str; 4] = ["Benchmark", "Time", "CPU", "Iterations"];

/// The counters that have columns of their own, of a line that is the header.
fn header(line: &str) -> Option<Vec<String>> {
    if !line.starts_with("Benchmark ") {
        return None;
    }
    let mut words = line.split_whitespace();
    let is_header = COLUMNS.iter().all(|column| words.next() == Some(column));
    is_header.then(|| {
        words
            .filter(|word| *word != "UserCounters...")
            .map(str::to_owned)
            .collect()
    })
}

#[derive(Default)]
struct Lines {
    tables: Tables,
    /// The counters with columns; `None` outside of a table.
    columns: Option<Vec<String>>,
    /// The repetitions of the table by name, and statistics that wait for it to be known that there are none.
    repetitions: HashMap<String, usize, RandomState>,
    statistics: Vec<Statistic>,
    /// True if rows of the table end with counters.
    has_counters: bool,
}

/// A row that may be a statistic of repetitions, or a benchmark whose name ends like one.
struct Statistic {
    line: u64,
    of: String,
    name: String,
    /// The number of repetitions that it sums up.
    count: usize,
    metrics: Metrics,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        if let Some(columns) = header(&text) {
            if self.columns.is_none() {
                self.tables.begin(number);
            }
            self.columns = Some(columns);
            return true;
        }
        // The program, without the folder that it is in.
        if let Some(program) = text.strip_prefix("Running ") {
            self.close();
            self.tables
                .title(program.rsplit(['/', '\\']).next().unwrap_or_default());
        }
        let Some(columns) = &self.columns else {
            return false;
        };
        if !text.is_empty() && text.bytes().all(|byte| byte == b'-') {
            return true;
        }
        let taken = match Row::of(&text) {
            Some(row) => {
                let metrics = row.metrics(columns);
                self.has_counters |= !row.rest.is_empty();
                self.row(number, &row, metrics);
                true
            }
            None => self.other(number, &text, sink),
        };
        if !taken {
            self.close();
        }
        taken
    }

    fn is_cut_off(&self, line: &[u8]) -> bool {
        let Some(columns) = self.columns.as_ref().filter(|_| !line.is_empty()) else {
            return false;
        };
        let ends_with_times = columns.is_empty() && !self.has_counters;
        // Only the number of iterations may be cut off, which is no metric.
        let is_whole = |row: Row<'_>| {
            row.rest.is_empty()
                && self
                    .statistics
                    .last()
                    .is_none_or(|last| last.count == row.count)
        };
        !(line.starts_with(b"-") || (ends_with_times && Row::of(&text(line)).is_some_and(is_whole)))
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.close();
        self.tables.give(true, sink);
    }
}

impl Lines {
    fn row(&mut self, number: u64, row: &Row<'_>, metrics: Metrics) {
        if let Some((of, name)) = row.name.rsplit_once('_') {
            // What a function of the benchmark's own makes follows the others.
            let follows = |last: &Statistic| last.of == of && last.count == row.count;
            if STATISTICS.contains(&name) || self.statistics.last().is_some_and(follows) {
                let (of, name) = (of.to_owned(), name.to_owned());
                self.statistics.push(Statistic {
                    line: number,
                    of,
                    name,
                    count: row.count,
                    metrics,
                });
                return;
            }
        }
        *self.repetitions.entry(row.name.to_owned()).or_default() += 1;
        self.tables
            .add(number, row.name, Outcome::Measured, metrics);
    }

    /// A line of a table that is no result.
    fn other(&mut self, number: u64, text: &str, sink: &mut RowCollector<'_>) -> bool {
        for (mark, outcome) in [
            (" ERROR OCCURRED: ", Outcome::Failed),
            (" SKIPPED: ", Outcome::Skipped),
        ] {
            if let Some((name, _)) = text.split_once(mark) {
                self.tables
                    .add(number, name.trim(), outcome, Metrics::default());
                return true;
            }
        }
        // Names may have spaces.
        let ends_in = |end: &str| text.split_whitespace().any(|word| word.ends_with(end));
        if ends_in("_BigO") {
            sink.skip(number, text.as_bytes(), || {
                "complexity without its unit: only the JSON has it".to_owned()
            });
        }
        // Repetitions have warnings among them. The deviation in percent restates the standard deviation.
        let restates = ["_BigO", "_RMS", "_cv"].into_iter().any(ends_in);
        restates || text.starts_with("***WARNING***")
    }

    /// Ends a table: a benchmark without repetitions has its statistics.
    fn close(&mut self) {
        let mut statistics = std::mem::take(&mut self.statistics);
        // The best for a benchmark first.
        statistics.sort_by_key(|statistic| {
            STATISTICS
                .iter()
                .position(|name| *name == statistic.name)
                .unwrap_or(9)
        });
        for Statistic {
            line,
            of,
            name,
            count,
            metrics,
        } in &statistics
        {
            let is = |one: &&Statistic| one.of == *of && one.count == *count;
            let has = |other: &str| statistics.iter().filter(is).any(|one| one.name == other);
            if self.repetitions.get(of) == Some(count) {
                continue;
            }
            if !has("mean") || !(has("stddev") || has("median")) {
                self.tables.add(
                    *line,
                    &format!("{of}_{name}"),
                    Outcome::Measured,
                    metrics.clone(),
                );
                continue;
            }
            let metric = |metric: &str| match name.as_str() {
                "mean" if has("median") => format!("{metric}.mean"),
                "median" | "mean" => metric.to_owned(),
                "stddev" | "min" | "max" => format!("{metric}.{name}"),
                own => own_statistic(own, metric, false),
            };
            self.tables
                .extend_new(*line, of, metrics.clone().renamed(metric));
        }
        self.columns = None;
        self.has_counters = false;
        self.repetitions.clear();
    }
}

/// Statistics of repetitions that the library always has.
const STATISTICS: [&str; 3] = ["median", "mean", "stddev"];

/// A result: a name, which may have spaces, two times with their units, and a count.
struct Row<'l> {
    name: &'l str,
    times: [Option<Value>; 2],
    count: usize,
    rest: Vec<&'l str>,
}

impl<'l> Row<'l> {
    fn of(line: &'l str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_time = |at: usize| {
            let number = words
                .get(at)
                .is_some_and(|number| Value::parse(number).is_some());
            number
                && words
                    .get(at + 1)
                    .is_some_and(|unit| to_nanoseconds(unit).is_some())
        };
        let is_count = |at: usize| {
            words
                .get(at)
                .is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let at = (1..words.len()).find(|at| is_time(*at) && is_time(at + 2) && is_count(at + 4))?;
        let behind = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize;
        let name = line.get(..behind(words[at]))?.trim();
        let time = |at: usize| nanoseconds(words[at], words[at + 1]);
        let count = words[at + 4].parse().unwrap_or_default();
        Some(Self {
            name,
            times: [time(at), time(at + 2)],
            count,
            rest: words[at + 5..].to_vec(),
        })
    }

    fn metrics(&self, columns: &[String]) -> Metrics {
        let [real, cpu] = self.times;
        let mut metrics = Metrics::from([("timeNs", real), ("cpuTimeNs", cpu)]);
        let in_columns = columns
            .iter()
            .map(String::as_str)
            .zip(self.rest.iter().copied());
        let others = self
            .rest
            .iter()
            .skip(columns.len())
            .filter_map(|word| word.split_once('='));
        metrics.extend(
            in_columns
                .chain(others)
                .map(|(name, word)| (metric_of(name), counter(name, word))),
        );
        metrics
    }
}

/// A counter's number: `1.2k/s`, `6.1Gi/s`, `100m`. Versions before 1.8.1 print binary prefixes of bytes without `i`.
fn counter(name: &str, text: &str) -> Option<Value> {
    let text = text
        .strip_suffix("/s")
        .or(text.strip_suffix('s'))
        .unwrap_or(text);
    let (number, prefix) =
        text.split_at(text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len()));
    match prefix {
        "m" => shifted(number, -3),
        "u" => shifted(number, -6),
        "n" => shifted(number, -9),
        "p" => shifted(number, -12),
        "k" | "M" | "G" | "T" if name == "bytes_per_second" => {
            quantity(number, &format!("{}i", prefix.to_uppercase()), "")
        }
        "ki" => quantity(number, "Ki", ""),
        _ => quantity(number, prefix, ""),
    }
}
