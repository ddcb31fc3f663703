//! The output of wrk and wrk2 for one run. wrk2 prints percentiles with more digits, and optionally the whole latency
//! spectrum.
//!
//! Each time is printed in its most readable unit. All times are converted to milliseconds, like other load generators'
//! times.

use crate::formats::common::prelude::*;

pub(crate) const WRK: Format = Format::named("wrk")
    .about("wrk: requests and bytes per second, latency with its percentiles, errors")
    .looks_like(|head| looks_like(head, false))
    .lines::<Blocks<Run>>();

pub(crate) const WRK2: Format = Format::named("wrk2")
    .about("wrk2: as wrk, plus the percentiles of its histogram with --latency")
    .looks_like(|head| looks_like(head, true))
    .lines::<Blocks<Run>>();

fn looks_like(head: &str, second: bool) -> Likeness {
    // The first lines are missing in excerpts, and the last lines in output that is cut off.
    let begins = has_all(head, &[" test @ ", " threads and ", " connections"]);
    if !begins && !has_all(head, &["Thread Stats ", "Req/Sec ", "Requests/sec:"]) {
        return Likeness::No;
    }
    let is_second =
        has_all(head, &["Thread calibration: "]) || has_all(head, &["(HdrHistogram - "]);
    (is_second == second).into()
}

#[derive(Default)]
struct Run {
    /// Empty if the run's first line is missing.
    url: String,
    /// The load, such as `2 threads, 4 connections`.
    load: Option<String>,
    /// The requested rate, if a command line contains it.
    rate: Option<String>,
    /// The metric for the latencies that follow, if a line says that they are uncorrected.
    uncorrected: Option<&'static str>,
    in_spectrum: bool,
    requests: Option<Value>,
    /// True for wrk2, which sends requests at a constant rate.
    holds_rate: bool,
    ended: bool,
}

impl Block for Run {
    fn begin(line: &str, is_open: bool) -> Option<Self> {
        if let Some((_, url)) = line
            .strip_prefix("Running ")
            .and_then(|line| line.split_once(" test @ "))
        {
            return Some(Self {
                url: url.trim().to_owned(),
                ..Self::default()
            });
        }
        let begins = line.starts_with("Thread Stats ") || load(line).is_some();
        (begins && !is_open).then(Self::default)
    }

    fn remember(line: &str) -> Option<String> {
        asked_rate(line)
    }

    fn recall(&mut self, rate: String) {
        self.rate = Some(rate);
    }

    fn has_ended(&self) -> bool {
        self.ended
    }

    fn is_last(&self, line: &str) -> bool {
        line.strip_prefix("Transfer/sec:")
            .is_some_and(|rate| bytes(rate.trim()).is_some())
    }

    /// wrk prints errors only if there are any, so a complete run without a line about them had none.
    fn finish(&self, metrics: &mut Metrics) {
        if self.ended {
            for counter in ["errors", "httpErrors"] {
                if !metrics.has(counter) {
                    metrics.add(counter, Some(Value::Int(0)));
                }
            }
        }
    }

    fn has_failed(&self) -> bool {
        self.requests == Some(Value::Int(0))
    }

    fn holds_rate(&self) -> bool {
        self.holds_rate
    }

    fn name(&self, sink: &mut Rows<'_>) -> String {
        let rate = self.rate.as_ref().map(|rate| format!("{rate}/s"));
        let url = if self.url.is_empty() {
            "wrk".to_owned()
        } else {
            address(&self.url)
        };
        let details: Vec<String> = self.load.iter().cloned().chain(rate).collect();
        sink.apart(
            with_details(&url, if self.load.is_some() { &details } else { &[] }),
            &self.url,
        )
    }

    fn line(&mut self, line: &str, metrics: &mut Metrics) -> bool {
        if self.in_spectrum {
            self.in_spectrum = !line.starts_with("-----");
            footer(self.latency(), line, metrics);
            return true;
        }
        if let Some(load) = load(line) {
            self.load = Some(load);
            return true;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match &words[..] {
            ["Latency", "Distribution", rest @ ..] => {
                self.uncorrected = rest
                    .contains(&"Uncorrected")
                    .then_some("uncorrectedLatency");
            }
            ["Latency", mean, deviation, most, _] => {
                latencies(
                    self.latency(),
                    [time(mean), time(deviation), time(most)],
                    metrics,
                );
            }
            ["Req/Sec", mean, deviation, most, _] => {
                let parts = [
                    ("", rate(mean)),
                    (".stddev", rate(deviation)),
                    (".max", rate(most)),
                ];
                metrics.add_parts("threadRequestsPerSecond", parts);
            }
            ["Detailed", "Percentile", "spectrum:"] => {
                (self.in_spectrum, self.holds_rate) = (true, true);
            }
            ["Thread", "calibration:", ..] => self.holds_rate = true,
            [percent, time] if percent.ends_with('%') => {
                return percentile(self.latency(), percent, time, metrics);
            }
            [requests, "requests", "in", ..] => self.requests = Value::parse(requests),
            ["Socket", "errors:", errors @ ..] => {
                let counts = errors
                    .iter()
                    .filter_map(|word| word.trim_end_matches(',').parse::<i64>().ok());
                metrics.add(
                    "errors",
                    Some(Value::Int(counts.fold(0, i64::saturating_add))),
                );
            }
            ["Non-2xx", "or", "3xx", "responses:", count] => {
                metrics.add("httpErrors", Value::parse(count));
            }
            ["Requests/sec:", rate] => metrics.add("requestsPerSecond", Value::parse(rate)),
            ["Transfer/sec:", bytes_per_second] => {
                metrics.add("bytesPerSecond", bytes(bytes_per_second));
                self.ended = true;
            }
            ["Thread", "Stats", ..] => {}
            _ => return false,
        }
        true
    }
}

impl Run {
    /// Returns the metric for the latencies that follow.
    fn latency(&self) -> &'static str {
        self.uncorrected.unwrap_or("latency")
    }
}

/// Returns the load, such as `2 threads, 4 connections` for `2 threads and 4 connections`.
fn load(line: &str) -> Option<String> {
    let (threads, connections) = line
        .strip_suffix(" connections")?
        .split_once(" threads and ")?;
    let are_numbers = [threads, connections]
        .iter()
        .all(|number| number.parse::<u32>().is_ok());
    are_numbers.then(|| format!("{threads} threads, {connections} connections"))
}

/// Sets the mean, the deviation and the maximum. The numbers below the spectrum come last and replace the first ones,
/// because they have more digits.
fn latencies(latency: &str, [mean, deviation, most]: [Option<Value>; 3], metrics: &mut Metrics) {
    for (part, value) in [("", mean), (".stddev", deviation), (".max", most)] {
        metrics.set(format!("{latency}Ms{part}"), value);
    }
}

/// Reads a percentile such as ` 99.900%   12.30ms`. 100% is left out, because it is the maximum.
fn percentile(latency: &str, percent: &str, at: &str, metrics: &mut Metrics) -> bool {
    let Some(percent) = Value::parse(percent.trim_end_matches('%')) else {
        return false;
    };
    if percent != Value::Int(100) {
        metrics.set(format!("{latency}P{percent}Ms"), time(at));
    }
    true
}

/// Reads the lines `#[Mean = 6.602, StdDeviation = 1.919]` and `#[Max = 12.496, Total count = 39500]`, which are in
/// milliseconds.
fn footer(latency: &str, line: &str, metrics: &mut Metrics) {
    let Some(pairs) = line
        .strip_prefix("#[")
        .and_then(|line| line.strip_suffix(']'))
    else {
        return;
    };
    for (key, value) in pairs.split(',').filter_map(|pair| pair.split_once('=')) {
        let value = |name: &str| Value::parse(value.trim()).filter(|_| key.trim() == name);
        latencies(latency, ["Mean", "StdDeviation", "Max"].map(value), metrics);
    }
}

/// Returns the rate in a wrk2 command line such as `wrk -t2 -c16 -R2000 …`.
fn asked_rate(line: &str) -> Option<String> {
    line.find("wrk")?;
    let mut words = line.split_whitespace();
    words.find(|word| ["wrk", "wrk2"].contains(&word.rsplit('/').next().unwrap_or_default()))?;
    let is_rate = |rate: &&str| rate.starts_with(|c: char| c.is_ascii_digit()) && rate.len() < 20;
    while let Some(word) = words.next() {
        let attached = ["--rate=", "-R"]
            .iter()
            .find_map(|option| word.strip_prefix(option));
        let rate = if ["-R", "--rate"].contains(&word) {
            words.next()
        } else {
            attached
        };
        if let Some(rate) = rate.filter(is_rate) {
            return Some(rate.to_owned());
        }
    }
    None
}

/// Splits text into the number at its start and the unit after it.
fn split_unit(text: &str) -> (&str, &str) {
    text.split_at(
        text.find(|c: char| c.is_alphabetic() || c == '%')
            .unwrap_or(text.len()),
    )
}

/// Converts a time with a unit to milliseconds.
fn time(text: &str) -> Option<Value> {
    let (number, unit) = split_unit(text);
    shifted(&nanoseconds(number, unit)?.to_string(), -6)
}

/// Converts a count per second, such as `1.27k`.
fn rate(text: &str) -> Option<Value> {
    let (number, unit) = split_unit(text);
    quantity(number, unit, "")
}

/// Converts a size such as `236.20KB` to bytes. A KB has 1024 bytes.
fn bytes(text: &str) -> Option<Value> {
    let (number, unit) = split_unit(text);
    binary_bytes(number, unit)
}
