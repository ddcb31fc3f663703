//! sysbench's report: events, transactions, memory and files per second, and latency.
//!
//! The test is known from a section of the report alone; the number of threads is part of the name. Logs without the
//! options have neither, and are named after the line above.
//!
//! Source: `src/sysbench.c` of sysbench 1.0.20, of 1.1 for `Throughput:`, and of 0.4.12 and 0.5 for their sections.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("sysbench")
    .about("sysbench: events, transactions, queries and bytes per second, latency and its percentile, errors")
    .contains(&["Threads fairness:"])
    .looks_like(|head| LATENCY.iter().any(|section| has_all(head, &[section])).into())
    .lines::<Blocks<Run>>();

#[derive(Default)]
struct Run {
    test: &'static str,
    threads: Option<String>,
    section: String,
    events: Option<Value>,
    events_per_second: Option<Value>,
    seconds: Option<f64>,
    ended: bool,
}

/// The beginnings of lines by which a test is known.
const TESTS: [(&str, &str); 8] = [
    ("Prime numbers limit:", "cpu"),
    ("Maximum prime number checked in CPU test:", "cpu"),
    ("Running memory speed test", "memory"),
    ("Doing memory operations speed test", "memory"),
    ("SQL statistics:", "database"),
    ("OLTP test statistics:", "database"),
    ("Extra file open flags:", "fileio"),
    ("File operations:", "fileio"),
];

/// The section of latencies, of version 1.0, 0.4 and 0.5.
const LATENCY: [&str; 3] = ["Latency (ms):", "per-request statistics:", "response time:"];

/// The first sections with numbers.
const NUMBERS_BEGIN: [&str; 3] = ["CPU speed:", "SQL statistics:", "File operations:"];

/// Numbers that need no more than a name, by their sections.
const NUMBERS: [(&str, &str, &str); 4] = [
    ("CPU speed", "events per second", "eventsPerSecond"),
    ("File operations", "reads/s", "readsPerSecond"),
    ("File operations", "writes/s", "writesPerSecond"),
    ("File operations", "fsyncs/s", "fsyncsPerSecond"),
];

impl Block for Run {
    const LEAD: &'static [&'static str] = &[];
    const HAS_TITLES: bool = true;

    fn begin(line: &str, open: Option<&Open<Self>>) -> Option<Self> {
        if let Some(threads) = line.strip_prefix("Number of threads: ") {
            return Some(Self {
                threads: Some(format!("{} threads", threads.trim())),
                ..Self::default()
            });
        }
        // Some logs leave out what precedes the numbers.
        let begins = open.is_none() && NUMBERS_BEGIN.contains(&line);
        begins.then(Self::default)
    }

    fn has_ended(&self) -> bool {
        self.ended
    }

    fn has_failed(&self, _: &Metrics) -> bool {
        self.events == Some(Value::Int(0))
    }

    fn name(&self, _: &mut RowCollector<'_>) -> String {
        let test = if self.test.is_empty() {
            "sysbench"
        } else {
            self.test
        };
        with_details(test, self.threads.as_slice())
    }

    fn line(&mut self, line: &str, metrics: &mut Metrics) -> bool {
        if let Some((_, test)) = TESTS.iter().find(|(begin, _)| line.starts_with(begin)) {
            self.test = test;
        }
        let may_be_transfer = memchr::memchr(b'(', line.as_bytes()).is_some();
        // Versions before 1.0 write `Mb` and `MB` for the same.
        if may_be_transfer && let Some((amount, rate)) = line.split_once(" transferred (") {
            let is_known = amount.ends_with("MiB") || amount.ends_with("MB");
            metrics.add("bytesPerSecond", mebibytes(rate).filter(|_| is_known));
            return is_known;
        }
        if may_be_transfer
            && let Some((_, rate)) = line
                .split_once("Total transferred ")
                .and_then(|(_, rest)| rest.split_once('('))
        {
            let Some((rate, _)) = rate.split_once("b/sec)") else {
                return false;
            };
            let number = rate.trim_end_matches(['K', 'M', 'G']);
            let unit = if number == rate {
                "B".to_owned()
            } else {
                format!("{}iB", &rate[number.len()..])
            };
            let rate = quantity(number, &unit, "B");
            metrics.add("bytesPerSecond", rate);
            return rate.is_some();
        }
        if let Some(rate) = line.strip_suffix(" Requests/sec executed") {
            metrics.add("requestsPerSecond", Value::parse(rate.trim()));
            return true;
        }
        let Some((key, rest)) = line.split_once(':') else {
            return false;
        };
        let rest = rest.trim();
        if rest.is_empty() {
            key.clone_into(&mut self.section);
            return true;
        }
        let is_latency = LATENCY
            .iter()
            .any(|section| section.strip_suffix(':') == Some(&self.section));
        let number = || Value::parse(rest.split_whitespace().next()?.trim_end_matches("ms"));
        let per_second = || {
            rest.split_once('(')?
                .1
                .split_whitespace()
                .next()
                .and_then(Value::parse)
        };
        if (self.section.as_str(), key) == ("Throughput", "events/s (eps)") {
            // Version 1.1 has it of every test, where it restates other rates.
            self.events_per_second = number();
            return true;
        }
        if let Some((_, _, metric)) = NUMBERS
            .iter()
            .find(|(section, known, _)| *section == self.section && *known == key)
        {
            metrics.add(*metric, number());
            return true;
        }
        match (self.section.as_str(), key) {
            (_, "transactions") => metrics.add("transactionsPerSecond", per_second()),
            (_, "queries" | "read/write requests") => {
                metrics.add("queriesPerSecond", per_second());
            }
            (_, "Total operations") => metrics.add("opsPerSecond", per_second()),
            (_, "ignored errors") => metrics.add("errors", number()),
            (_, "reconnects") => metrics.add("reconnects", number()),
            ("Throughput", "read, MiB/s") => metrics.add("readBytesPerSecond", mebibytes(rest)),
            ("Throughput", "written, MiB/s") => {
                metrics.add("writtenBytesPerSecond", mebibytes(rest));
            }
            (_, "total time") | ("Throughput", "time elapsed") => {
                self.seconds = rest.trim_end_matches('s').parse().ok();
            }
            (_, "total number of events") => self.events = number(),
            (_, "Operations performed") if rest.ends_with(" ops/sec)") => {
                metrics.add("opsPerSecond", per_second());
            }
            (_, "min") if is_latency => metrics.add("latencyMs.min", number()),
            (_, "avg") if is_latency => metrics.add("latencyMs", number()),
            (_, "max") if is_latency => metrics.add("latencyMs.max", number()),
            (_, key) if is_latency => percentile(metrics, key, number()),
            ("Threads fairness", "execution time (avg/stddev)") => self.end(metrics),
            ("Threads fairness" | "SQL statistics" | "queries performed", _) => {}
            _ => return false,
        }
        true
    }
}

impl Run {
    /// Tests of threads and of mutexes only say how many events there were.
    fn end(&mut self, metrics: &mut Metrics) {
        self.ended = true;
        let has_rate = metrics.names().any(|metric| metric.ends_with("PerSecond"));
        let rate = self.events_per_second.or_else(|| {
            let seconds = self.seconds.filter(|seconds| *seconds > 0.0)?;
            Value::new(self.events?.as_f64() / seconds)
        });
        if !has_rate {
            metrics.add("eventsPerSecond", rate);
        }
    }
}

/// `95th percentile`; it is zero where it is switched off.
fn percentile(metrics: &mut Metrics, key: &str, value: Option<Value>) {
    let at = key.strip_suffix("th percentile").or_else(|| {
        key.strip_prefix("approx.")?
            .strip_suffix(" percentile")
            .map(str::trim)
    });
    if let Some(percentile) = at {
        metrics.add(
            format!("latencyP{percentile}Ms"),
            value.filter(|value| *value != Value::Int(0)),
        );
    }
}

/// The bytes of a number of mebibytes at the beginning of a text.
fn mebibytes(text: &str) -> Option<Value> {
    Value::new(Value::parse(text.split_whitespace().next()?)?.as_f64() * 1_048_576.0)
}
