//! The table of any version of mitata, which `deno bench` and scripts for Bun and Node.js print.
//!
//! ```text
//! benchmark      time/iter (avg)        iter/s      (min … max)           p75      p99     p995
//! parse                 854.9 µs         1,170 (615.8 µs …   1.3 ms) 953.3 µs   1.2 ms   1.3 ms
//! ```
//!
//! Since mitata 1, more lines for each benchmark show its extremes and the heap:
//!
//! ```text
//! parse                         14.72 µs/iter  14.42 µs   █
//!                        (12.79 µs … 1.17 ms)  20.83 µs   █▇▂
//!                     (656.00  b … 152.39 kb)  23.00 kb ▁▆███▅
//! ```
//!
//! Source: `src/main.mjs` of mitata 1.0.34, and the reporter of `deno bench` in Deno 2.9.6.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("mitata")
    .about("deno bench and mitata on the terminal: time with its extremes and percentiles, heap")
    .contains(&["(min … max)"])
    .looks_like(|head| has_line(head, "(min … max)", |line| header(line).is_some()).into())
    .lines::<Lines>();

/// The place of the percentiles in a table.
enum Percentiles {
    /// The percentiles are in columns after the extremes. There may be none.
    Columns(Vec<&'static str>),
    /// The percentiles are on separate lines, like the extremes.
    Lines,
}

/// Returns the place of the percentiles if the line is a header.
fn header(line: &str) -> Option<Percentiles> {
    let line = line.trim_start_matches(['|', ' ']);
    let (before, behind) = line.split_once("(min … max)")?;
    // Some intermediate versions have no title above the names.
    let begins = before.starts_with("benchmark") || before.trim() == "time (avg)";
    if !begins || !before.contains("avg") {
        return None;
    }
    let known = [
        ("p75", "timeP75Ns"),
        ("p99", "timeP99Ns"),
        ("p995", "timeP99.5Ns"),
        ("p999", "timeP99.9Ns"),
    ];
    let metric = |word: &str| {
        known
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, metric)| *metric)
    };
    let has_lines = behind.contains("(min … top 1%)");
    Some(if has_lines {
        Percentiles::Lines
    } else {
        Percentiles::Columns(behind.split(['|', ' ']).filter_map(metric).collect())
    })
}

#[derive(Default)]
struct Lines {
    tables: Tables,
    /// The table's percentiles; `None` outside a table.
    percentiles: Option<Percentiles>,
    group: String,
    /// The open benchmark's line. The lines below it may belong to the benchmark.
    open: Option<u64>,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        if let Some(percentiles) = header(line) {
            self.open = None;
            self.tables.begin(number);
            self.percentiles = Some(percentiles);
            self.group.clear();
            return true;
        }
        // Only the file name is used, because paths differ between machines.
        if let Some(path) = line.strip_prefix("file://") {
            let file = path.rsplit('/').next().unwrap_or_default();
            sink.sections.add_of_tool(number, file.trim());
        }
        if let Some(runtime) = line.strip_prefix("runtime: ") {
            let name = runtime.split(' ').next().unwrap_or_default();
            sink.sections.add_of_tool(number, name);
        }
        let Some(percentiles) = &self.percentiles else {
            return false;
        };
        let plain = match bars::cells(line) {
            Some(cells) => cells.join("  "),
            None => line.trim_end().to_owned(),
        };
        if let Some(group) = plain.strip_prefix("group ").or(plain.strip_prefix("• ")) {
            self.open = None;
            group.trim().clone_into(&mut self.group);
            return true;
        }
        if line.starts_with("file://") {
            self.open = None;
            self.percentiles = None;
            return false;
        }
        // The table continues, because more benchmarks may follow the summary of a group.
        let is_result = || plain.contains('…') || plain.contains("/iter");
        if plain == "summary" || (plain.starts_with("summary ") && !is_result()) {
            self.open = None;
            return false;
        }
        let found = match percentiles {
            Percentiles::Lines => self.of_lines(number, &plain),
            Percentiles::Columns(percentiles) => row(&plain, percentiles),
        };
        match found {
            Some((name, metrics)) => self.add(number, &name, metrics),
            None if self.failed(number, &plain) => {}
            None if self.is_row(number, &plain) => {
                sink.skip(number, line, || {
                    "not `name time/iter (min … max)`".to_owned()
                });
            }
            None => return self.open.is_some(),
        }
        true
    }

    fn is_cut_off(&self, line: &str) -> bool {
        let is_row = line.contains("/iter") || line.contains('…') || line.starts_with('|');
        self.percentiles.is_some() && is_row
    }

    fn end(&mut self, sink: &mut Rows<'_>) {
        self.tables.give(sink);
    }
}

impl Lines {
    fn name(&self, name: &str) -> String {
        // ` *` marks a benchmark with its own timers.
        let name = name.trim().trim_end_matches(" *").trim();
        if self.group.is_empty() {
            name.to_owned()
        } else {
            format!("{}/{name}", self.group)
        }
    }

    fn add(&mut self, number: u64, name: &str, metrics: Metrics) {
        let name = self.name(name);
        self.tables.add(number, &name, Outcome::Measured, metrics);
    }

    /// True if an unread line looks like a benchmark.
    fn is_row(&self, number: u64, line: &str) -> bool {
        let has_columns = line
            .split_once("/iter")
            .is_some_and(|(before, _)| before.contains("  "));
        has_columns && self.open != Some(number) && !line.starts_with(' ')
    }

    /// Reads a failed benchmark, such as `parse  error: out of memory`.
    fn failed(&mut self, number: u64, line: &str) -> bool {
        let Some((name, _)) = line
            .split_once(" error: ")
            .filter(|(name, _)| !name.trim().is_empty())
        else {
            return false;
        };
        self.open = None;
        let name = self.name(name);
        self.tables
            .add(number, &name, Outcome::Failed, Metrics::default());
        true
    }

    /// Reads a line of mitata 1, which may belong to the previous benchmark. Always returns `None`, because it adds the
    /// metrics itself.
    fn of_lines(&mut self, number: u64, line: &str) -> Option<(String, Metrics)> {
        if let Some((name, rest)) = line.split_once("/iter") {
            if let (Some((name, time)), Some(most)) = (of_time(name), leading_time(rest)) {
                let metrics = Metrics::from([("timeNs", Some(time)), ("timeP75Ns", Some(most))]);
                self.add(number, name, metrics);
                self.open = Some(number);
            }
            return None;
        }
        self.open?;
        let metrics = self.tables.last_metrics()?;
        let (before, rest) = line.split_once('(')?;
        let (range, behind) = rest.split_once(')')?;
        let (least, most) = range.split_once('…')?;
        if let (Some(least), Some(most), Some(p99)) = (
            leading_time(least),
            leading_time(most),
            leading_time(behind),
        ) {
            if before.trim().is_empty() {
                metrics.add("timeNs.min", Some(least));
                metrics.add("timeNs.max", Some(most));
                metrics.add("timeP99Ns", Some(p99));
            }
        } else if ["", "heap"].contains(&before.trim()) {
            let amount = |text: &str| {
                let mut words = text.split_whitespace();
                let (number, unit) = (
                    words.next()?,
                    words.next()?.trim_end_matches("/iter").to_uppercase(),
                );
                binary_bytes(number, &unit)
            };
            metrics.add("heapBytes", amount(behind));
        }
        None
    }
}

/// Returns the name and the time in `parse   14.72 µs`.
fn of_time(text: &str) -> Option<(&str, Value)> {
    let (before, unit) = text.trim_end().rsplit_once(' ')?;
    let (name, number) = before
        .trim_end()
        .rsplit_once(' ')
        .unwrap_or(("", before.trim()));
    Some((name, nanoseconds(number, unit)?))
}

fn leading_time(text: &str) -> Option<Value> {
    let mut words = text.split_whitespace();
    nanoseconds(words.next()?, words.next()?)
}

/// Reads a benchmark that is on a single line.
fn row(line: &str, percentiles: &[&'static str]) -> Option<(String, Metrics)> {
    let (before, rest) = line.rsplit_once('(')?;
    let (range, behind) = rest.split_once(')')?;
    let (least, most) = range.split_once('…')?;
    let before = before.trim_end();
    // A rate may follow the time.
    let (time, rate) = match before.rsplit_once(' ') {
        Some((time, rate)) if grouped(rate).is_some() => (time.trim_end(), grouped(rate)),
        _ => (before, None),
    };
    let (name, time) = of_time(time.strip_suffix("/iter").unwrap_or(time))?;
    let mut metrics = Metrics::from([
        ("timeNs", Some(time)),
        ("timeNs.min", leading_time(least)),
        ("timeNs.max", leading_time(most)),
    ]);
    let words: Vec<&str> = behind.split_whitespace().collect();
    for (metric, time) in percentiles.iter().zip(words.chunks(2)) {
        if let [number, unit] = time {
            metrics.add(*metric, nanoseconds(number, unit));
        }
    }
    metrics.add("opsPerSecond", rate);
    Some((name.trim().to_owned(), metrics))
}
