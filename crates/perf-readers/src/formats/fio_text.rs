//! fio's report on the terminal: reads, writes and trims of every job, or group of jobs.
//!
//! ```text
//! randread: (groupid=0, jobs=8): err= 0: pid=2613: Fri Apr  7 18:42:49 2017
//!   read: IOPS=152k, BW=597MiB/s (626MB/s)(4096MiB/6864msec)
//!      lat (usec): min=36, max=27862, avg=829.81, stdev=783.79
//!     clat percentiles (usec):
//!      | 50.00th=[  692], 90.00th=[ 1384], 99.00th=[ 3216]
//! ```
//!
//! Source: `show_ddir_status` in `stat.c` of fio 3.33; fio 2 prints `read : io=4096.0MB, bw=611058KB/s, iops=152764`
//! with kilobytes of 1024. Rates have three or four digits, so the JSON is the better input.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("fio-text")
    .about("fio's report on the terminal: operations and bytes per second, latency and its percentiles of every job")
    .contains(&[": (groupid=", "): err="])
    .lines::<Blocks<Part>>(&[]);

/// The results of a job in one direction; without one, the job before its first direction.
#[derive(Default)]
struct Part {
    job: String,
    has_failed: bool,
    direction: &'static str,
    /// The latency whose percentiles follow, and their unit.
    percentiles: Option<(&'static str, String)>,
    has_ended: bool,
}

impl Block for Part {
    const WHAT: &'static str = "report";
    const NEXT_COMPLETES: bool = true;

    fn begin(line: &str, open: Option<&Open<Self>>) -> Option<Self> {
        // Most lines have no parenthesis, which a byte shows sooner than a text.
        let has_group = memchr::memchr(b'(', line.as_bytes()).is_some();
        if has_group && let Some((job, rest)) = line.split_once(": (groupid=") {
            let error = rest.split_once("err=")?.1.split(':').next()?.trim();
            return Some(Self {
                job: job.to_owned(),
                has_failed: error != "0",
                ..Self::default()
            });
        }
        let open = &open.filter(|open| !open.block.has_failed)?.block;
        let (direction, rest) = line.split_once(':')?;
        let direction = ["read", "write", "trim"]
            .into_iter()
            .find(|known| *known == direction.trim())?;
        let is_result =
            rest.trim_start().starts_with("io=") || rest.trim_start().starts_with("IOPS=");
        is_result.then(|| Self {
            job: open.job.clone(),
            direction,
            ..Self::default()
        })
    }

    fn line(&mut self, line: &str, metrics: &mut Metrics) -> bool {
        if let Some(percentiles) = line.strip_prefix('|') {
            self.percentiles(percentiles, metrics);
            return true;
        }
        let Some((key, rest)) = line.split_once(':') else {
            return false;
        };
        let key = key.trim();
        match key {
            "read" | "write" | "trim" => rates(rest, metrics),
            "cpu" => self.has_ended = true,
            _ => return self.latency(key, rest, metrics),
        }
        true
    }

    fn has_ended(&self) -> bool {
        self.has_ended
    }

    fn has_failed(&self, _: &Metrics) -> bool {
        self.has_failed
    }

    fn name(&self, _: &mut RowCollector<'_>) -> String {
        format!("{} {}", self.job, self.direction)
            .trim_end()
            .to_owned()
    }
}

impl Part {
    /// `lat (usec)` with the spread of the latency, or the header of percentiles.
    fn latency(&mut self, key: &str, rest: &str, metrics: &mut Metrics) -> bool {
        let Some((what, unit)) = key.split_once('(') else {
            return false;
        };
        let unit = unit.trim_end_matches(')');
        self.percentiles = match what.trim() {
            "clat percentiles" => Some(("completionLatency", unit.to_owned())),
            "lat percentiles" => Some(("latency", unit.to_owned())),
            // fsync and submission are not directions.
            _ => None,
        };
        if what.trim() == "lat" && !metrics.has("latencyNs") {
            for (key, value) in pairs(rest) {
                let metric = match key {
                    "avg" => "latencyNs",
                    "stdev" => "latencyNs.stddev",
                    "min" => "latencyNs.min",
                    "max" => "latencyNs.max",
                    _ => continue,
                };
                metrics.add(metric, time(value, unit));
            }
        }
        true
    }

    /// ` 50.00th=[  692], 60.00th=[  812],`: the lower half is of no interest.
    fn percentiles(&self, line: &str, metrics: &mut Metrics) {
        let Some((of, unit)) = &self.percentiles else {
            return;
        };
        for (percentile, value) in line.split(']').filter_map(|part| part.split_once("th=[")) {
            let percentile = percentile.trim_matches([',', ' ']).parse::<f64>();
            if let Ok(percentile) = percentile
                && percentile >= 50.0
            {
                metrics.add(format!("{of}P{percentile}Ns"), time(value.trim(), unit));
            }
        }
    }
}

/// `IOPS=152k, BW=597MiB/s (626MB/s)(4096MiB/6864msec)`.
fn rates(rest: &str, metrics: &mut Metrics) {
    for (key, value) in pairs(rest) {
        match key {
            "IOPS" | "iops" => metrics.add("requestsPerSecond", scaled(value, "")),
            "BW" => metrics.add("bytesPerSecond", bytes(value)),
            // Of fio 2, which means powers of 1024.
            "bw" => metrics.add("bytesPerSecond", bytes(&value.replace('B', "iB"))),
            _ => {}
        }
    }
}

/// `min=36, max=27862, avg= 7.63`.
fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(',')
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (key.trim(), value.trim()))
}

/// A number with a prefix of thousands: `152k`, `1805.8K`.
fn scaled(text: &str, base: &str) -> Option<Value> {
    let (number, prefix) = text.split_at(text.find(char::is_alphabetic).unwrap_or(text.len()));
    quantity(number, &format!("{}{base}", prefix.replace('K', "k")), base)
}

/// `597MiB/s (626MB/s)`.
fn bytes(text: &str) -> Option<Value> {
    let text = text.split_once("/s").map_or(text, |(text, _)| text);
    let (number, unit) = text.split_at(text.find(char::is_alphabetic)?);
    quantity(number, unit, "B")
}

fn time(text: &str, unit: &str) -> Option<Value> {
    let unit = time_symbol(unit);
    let digits = text.trim_end_matches(|c: char| c.is_alphabetic());
    if digits == text {
        nanoseconds(text, unit)
    } else {
        nanoseconds(&scaled(text, "")?.to_string(), unit)
    }
}
