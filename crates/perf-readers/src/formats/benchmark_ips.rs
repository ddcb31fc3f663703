//! benchmark-ips' lines: `parse    1.234M (± 1.2%) i/s  (810.4 ns/i) -   6.2M in   5.0s`.
//!
//! Newer versions also print the time of an iteration. It restates the rate and is not read.
//!
//! Source: `stdout_report.rb` and `report.rb` of benchmark-ips 2.14.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("benchmark-ips")
    .about("Ruby's benchmark-ips: iterations per second with their deviation")
    .contains(&[" i/s"])
    .looks_like(|head| has_line(head, "%) i/s", |line| row(line).is_some()).into())
    .lines::<Lines>();

#[derive(Default)]
struct Lines {
    tables: Tables,
    open: bool,
    /// The previous line. It contains the benchmark's name if the name is too long for its column.
    before: String,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &str, sink: &mut Rows<'_>) -> bool {
        if let Some((name, metrics)) = row(line) {
            if !self.open {
                self.tables.begin(number);
                self.open = true;
            }
            let name = if name.is_empty() {
                self.before.trim()
            } else {
                name
            };
            self.tables.add(number, name, Outcome::Measured, metrics);
            self.before.clear();
            return true;
        }
        if line.contains("%) i/s") {
            sink.skip(number, line, || "not `name N (± N%) i/s`".to_owned());
            return true;
        }
        if !line.trim().is_empty() {
            line.clone_into(&mut self.before);
        }
        let is_calibration = line.starts_with("Calculating ---");
        let is_warm_up = line.starts_with("Warming up ---");
        if is_calibration || is_warm_up || line.starts_with("Comparison:") {
            self.open = false;
        }
        is_calibration || is_warm_up || line.trim_end().ends_with("i/100ms")
    }

    fn is_cut_off(&self, line: &str) -> bool {
        row(line).is_some() && !line.ends_with('s')
    }

    fn end(&mut self, sink: &mut Rows<'_>) {
        self.tables.give(sink);
    }
}

fn row(line: &str) -> Option<(&str, Metrics)> {
    let (before, behind) = line.split_once("%) i/s")?;
    let (before, share) = before.rsplit_once('(')?;
    let share = share.trim_start_matches(|c: char| !c.is_ascii_digit());
    let before = before.trim_end();
    let (name, number) = before.rsplit_once(' ').unwrap_or(("", before));
    let rate = rate(number)?;
    let deviation = Value::parse(share).and_then(|share| percentage_of(rate, share));
    let is_row = behind.trim_start().starts_with(['-', '(']);
    let metrics = Metrics::from([
        ("opsPerSecond", Some(rate)),
        ("opsPerSecond.stddev", deviation),
    ]);
    is_row.then_some((name.trim(), metrics))
}

/// Converts a rate such as `1.234M`. Each suffix is a power of a thousand.
fn rate(text: &str) -> Option<Value> {
    const SUFFIXES: [(char, i32); 5] = [('k', 3), ('M', 6), ('B', 9), ('T', 12), ('Q', 15)];
    let suffix = SUFFIXES
        .iter()
        .find_map(|(suffix, places)| Some((text.strip_suffix(*suffix)?, *places)));
    suffix.map_or_else(|| grouped(text), |(number, places)| shifted(number, places))
}
