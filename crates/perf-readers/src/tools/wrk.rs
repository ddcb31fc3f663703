//! wrk and wrk2: what they print of a run. wrk2 prints percentiles with more digits, and on demand the whole
//! spectrum of latencies.
//!
//! Each time has the unit in which it reads best; here all are milliseconds, as other load generators have them.

use indexmap::IndexMap;

use crate::rows::differing::is_far;
use crate::tools::common::prelude::*;

pub(crate) const WRK: Format = Format::named("wrk")
    .about("wrk: requests and bytes per second, latency with its percentiles, errors")
    .looks_like(|head| looks_like(head, false))
    .lines::<Lines>(&["q/Sec"]);

pub(crate) const WRK2: Format = Format::named("wrk2")
    .about("wrk2: as wrk, plus the percentiles of its histogram with --latency")
    .looks_like(|head| looks_like(head, true))
    .lines::<Lines>(&["q/Sec"]);

fn looks_like(head: &[u8], second: bool) -> Likeness {
    let is_second = has_all(head, &["Thread calibration: "]) || has_all(head, &["(HdrHistogram - "]);
    (is_second == second && has_all(head, &[" test @ ", " threads and ", " connections"])).into()
}

/// The metric of latencies, unless the lines say that they are uncorrected.
const RECORDED: &str = "latency";
const UNCORRECTED: &str = "uncorrectedLatency";

const RATE: &str = "requestsPerSecond";

#[derive(Default)]
struct Lines {
    open: Option<Run>,
    runs: Vec<Run>,
    /// The rate in the last command line, as a shell shows it before the output.
    rate: Option<String>,
}

/// A run of the tool.
struct Run {
    line: u64,
    /// The URL with the number of threads and connections, and the rate if one was asked for.
    name: String,
    /// The rate that was asked for, if a command line says so.
    rate: Option<String>,
    metrics: IndexMap<String, Value>,
    latency: &'static str,
    in_spectrum: bool,
    requests: Option<Value>,
    /// True if the run is of wrk2, which sends requests at a constant rate.
    holds_rate: bool,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if line.starts_with(b"Running ") {
            let text = text(line);
            let Some((_, url)) = text.split_once(" test @ ") else { return false };
            self.cut_off(number, sink);
            self.open = Some(Run::new(number, url, self.rate.take()));
            return true;
        }
        let Some(run) = &mut self.open else {
            self.rate = asked_rate(line).or(self.rate.take());
            return false;
        };
        let text = text(line);
        let taken = run.line(text.trim());
        if text.starts_with("Transfer/sec:") {
            self.runs.extend(self.open.take());
        }
        taken
    }

    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        let is_last = text.strip_prefix("Transfer/sec:").is_some_and(|rate| bytes(rate.trim()).is_some());
        // Reports a run without an end.
        (self.open.is_some() && !is_last) || self.line(number, line, sink)
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        if let Some(line) = self.open.as_ref().map(|run| run.line) {
            self.cut_off(line, sink);
        }
        for run in &self.runs {
            run.give(sink);
        }
        self.report_rates(sink);
    }
}

impl Lines {
    /// A run that has no end gives what was printed of it.
    fn cut_off(&mut self, line: u64, sink: &mut RowCollector<'_>) {
        if let Some(run) = self.open.take() {
            sink.skip(line, run.name.as_bytes(), || format!("run of `{}` is cut off", run.name));
            self.runs.extend(Some(run).filter(|run| !run.metrics.is_empty()));
        }
    }
}

impl Lines {
    /// Reports runs of wrk2 under one name that held different rates.
    fn report_rates(&self, sink: &mut RowCollector<'_>) {
        let mut rates: IndexMap<&str, Vec<Value>> = IndexMap::new();
        for run in self.runs.iter().filter(|run| run.holds_rate) {
            rates.entry(&run.name).or_default().extend(run.metrics.get(RATE));
        }
        for (name, mut rates) in rates {
            rates.sort_by(|a, b| a.as_f64().total_cmp(&b.as_f64()));
            let (Some(least), Some(most)) = (rates.first(), rates.last()) else { continue };
            let is_one = most.as_f64() < least.as_f64() * 1.1;
            if !is_one && !is_far(*least, *most) {
                sink.differ(name, RATE, [*least, *most]);
            }
        }
    }
}

/// The rate in a command line of wrk2: `wrk -t2 -c16 -R2000 …`.
fn asked_rate(line: &[u8]) -> Option<String> {
    memchr::memmem::find(line, b"wrk")?;
    let text = text(line);
    let mut words = text.split_whitespace();
    words.find(|word| ["wrk", "wrk2"].contains(&word.rsplit('/').next().unwrap_or_default()))?;
    let is_rate = |rate: &&str| rate.starts_with(|c: char| c.is_ascii_digit()) && rate.len() < 20;
    while let Some(word) = words.next() {
        let attached = ["--rate=", "-R"].iter().find_map(|option| word.strip_prefix(option));
        let rate = if ["-R", "--rate"].contains(&word) { words.next() } else { attached };
        if let Some(rate) = rate.filter(is_rate) {
            return Some(rate.to_owned());
        }
    }
    None
}

impl Run {
    fn new(line: u64, url: &str, rate: Option<String>) -> Self {
        Self {
            line,
            name: address(url.trim()),
            rate,
            metrics: IndexMap::new(),
            latency: RECORDED,
            in_spectrum: false,
            requests: None,
            holds_rate: false,
        }
    }

    /// Reads a line; true if it is one of the run.
    fn line(&mut self, line: &str) -> bool {
        if self.in_spectrum {
            self.in_spectrum = !line.starts_with("-----");
            self.footer(line);
            return true;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match &words[..] {
            [threads, "threads", "and", connections, "connections"] => {
                let rate = self.rate.take().map(|rate| format!(", {rate}/s")).unwrap_or_default();
                self.name = format!("{} ({threads} threads, {connections} connections{rate})", self.name);
            }
            ["Latency", "Distribution", rest @ ..] => {
                self.latency = if rest.contains(&"Uncorrected") { UNCORRECTED } else { RECORDED };
            }
            ["Latency", mean, deviation, most, _] => {
                self.latencies([time(mean), time(deviation), time(most)]);
            }
            ["Req/Sec", mean, deviation, most, _] => {
                let metric = "threadRequestsPerSecond";
                self.add(metric, rate(mean));
                self.add(&format!("{metric}.stddev"), rate(deviation));
                self.add(&format!("{metric}.max"), rate(most));
            }
            ["Detailed", "Percentile", "spectrum:"] => (self.in_spectrum, self.holds_rate) = (true, true),
            ["Thread", "calibration:", ..] => self.holds_rate = true,
            [percent, latency] if percent.ends_with('%') => return self.percentile(percent, latency),
            [requests, "requests", "in", ..] => self.requests = Value::parse(requests),
            ["Socket", "errors:", errors @ ..] => self.errors(errors),
            ["Non-2xx", "or", "3xx", "responses:", count] => self.add("httpErrors", Value::parse(count)),
            ["Requests/sec:", rate] => self.add(RATE, Value::parse(rate)),
            ["Transfer/sec:", bytes_per_second] => self.add("bytesPerSecond", bytes(bytes_per_second)),
            ["Thread", "Stats", ..] => {}
            _ => return false,
        }
        true
    }

    /// The last one counts: it has more digits.
    fn add(&mut self, metric: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.metrics.insert(metric.to_owned(), value);
        }
    }

    fn latencies(&mut self, [mean, deviation, most]: [Option<Value>; 3]) {
        let metric = format!("{}Ms", self.latency);
        self.add(&metric, mean);
        self.add(&format!("{metric}.stddev"), deviation);
        self.add(&format!("{metric}.max"), most);
    }

    /// ` 99.900%   12.30ms`; all of them are no more than the greatest.
    fn percentile(&mut self, percent: &str, latency: &str) -> bool {
        let Some(percent) = Value::parse(percent.trim_end_matches('%')) else { return false };
        if percent != Value::Int(100) {
            self.add(&format!("{}P{percent}Ms", self.latency), time(latency));
        }
        true
    }

    /// `#[Mean = 6.602, StdDeviation = 1.919]` and `#[Max = 12.496, Total count = 39500]`, in milliseconds.
    fn footer(&mut self, line: &str) {
        let Some(pairs) = line.strip_prefix("#[").and_then(|line| line.strip_suffix(']')) else { return };
        for (key, value) in pairs.split(',').filter_map(|pair| pair.split_once('=')) {
            let value = Value::parse(value.trim());
            match key.trim() {
                "Mean" => self.latencies([value, None, None]),
                "StdDeviation" => self.latencies([None, value, None]),
                "Max" => self.latencies([None, None, value]),
                _ => {}
            }
        }
    }

    /// `connect 0, read 5, write 0, timeout 0`.
    fn errors(&mut self, words: &[&str]) {
        let counts = words.iter().filter_map(|word| word.trim_end_matches(',').parse::<i64>().ok());
        self.add("errors", Some(Value::Int(counts.fold(0, i64::saturating_add))));
    }

    fn give(&self, sink: &mut RowCollector<'_>) {
        let failed = self.requests == Some(Value::Int(0));
        let cells = Cells::of(&self.name).failed_if(failed);
        // Without a request, a latency of zero is not a measurement.
        let kept = self.metrics.iter().filter(|(name, _)| !failed || name.to_lowercase().ends_with("errors"));
        sink.measured(self.line, &cells, kept.map(|(name, value)| (name.as_str(), Some(*value))));
    }
}

/// The number at the beginning, and its unit.
fn split_unit(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| c.is_alphabetic() || c == '%').unwrap_or(text.len()))
}

/// A time in milliseconds.
fn time(text: &str) -> Option<Value> {
    let (number, unit) = split_unit(text);
    milliseconds(number, unit)
}

/// A count per second: `1.27k`.
fn rate(text: &str) -> Option<Value> {
    let (number, unit) = split_unit(text);
    quantity(number, unit, "")
}

/// A number of bytes: `236.20KB`, of 1024 each.
fn bytes(text: &str) -> Option<Value> {
    let (number, unit) = split_unit(text);
    binary_bytes(number, unit)
}
