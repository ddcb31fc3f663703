//! sysbench's report: events, transactions, memory and files per second, and latency.
//!
//! The test is known from a section of the report alone; the number of threads is part of the name. Logs without the
//! options have neither, and are named after the line above.
//!
//! Source: `src/sysbench.c` of sysbench 1.0.20, of 1.1 for `Throughput:`, and of 0.4.12 and 0.5 for their sections.

use crate::format::{Format, Kind, Samples};
use crate::tools::common::blocks::{Block, Blocks, add, has_all};
use crate::tools::common::tables::Metrics;
use crate::tools::common::units::quantity;
use perf_model::row::Value;

pub(crate) const FORMAT: Format = Format {
    name: "sysbench",
    about: "sysbench: events, transactions, queries and bytes per second, latency and its percentile, errors",
    samples: Samples::Launches,
    looks_like: |head| {
        let has_latency = LATENCY.iter().any(|section| has_all(head, &[section]));
        (has_latency && has_all(head, &["Threads fairness:"])).into()
    },
    kind: Kind::Lines(|| Box::<Blocks<Run>>::default(), &[]),
};

#[derive(Default)]
struct Run {
    test: &'static str,
    threads: String,
    section: String,
    events: Option<Value>,
    events_per_second: Option<Value>,
    seconds: Option<f64>,
    ended: bool,
    metrics: Metrics,
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

    fn begin(line: &str, open: Option<&Self>) -> Option<Self> {
        if let Some(threads) = line.strip_prefix("Number of threads: ") {
            return Some(Self { threads: threads.trim().to_owned(), ..Self::default() });
        }
        // Some logs leave out what precedes the numbers.
        let begins = open.is_none() && NUMBERS_BEGIN.contains(&line);
        begins.then(Self::default)
    }

    fn has_ended(&self) -> bool {
        self.ended
    }

    fn has_failed(&self) -> bool {
        self.events == Some(Value::Int(0))
    }

    fn name(&self) -> String {
        let test = if self.test.is_empty() { "sysbench" } else { self.test };
        match self.threads.as_str() {
            "" => test.to_owned(),
            threads => format!("{test} ({threads} threads)"),
        }
    }

    fn metrics(self) -> Metrics {
        self.metrics
    }

    fn line(&mut self, line: &str) -> bool {
        if let Some((_, test)) = TESTS.iter().find(|(begin, _)| line.starts_with(begin)) {
            self.test = test;
        }
        // Versions before 1.0 write `Mb` and `MB` for the same.
        if let Some((amount, rate)) = line.split_once(" transferred (") {
            let is_known = amount.ends_with("MiB") || amount.ends_with("MB");
            return is_known && self.mebibytes("bytesPerSecond", rate);
        }
        if let Some((_, rate)) =
            line.split_once("Total transferred ").and_then(|(_, rest)| rest.split_once('('))
        {
            let Some((rate, _)) = rate.split_once("b/sec)") else { return false };
            let number = rate.trim_end_matches(['K', 'M', 'G']);
            let unit = if number == rate { "B".to_owned() } else { format!("{}iB", &rate[number.len()..]) };
            let rate = quantity(number, &unit, "B");
            add(&mut self.metrics, "bytesPerSecond", rate);
            return rate.is_some();
        }
        if let Some(rate) = line.strip_suffix(" Requests/sec executed") {
            add(&mut self.metrics, "requestsPerSecond", Value::parse(rate.trim()));
            return true;
        }
        let Some((key, rest)) = line.split_once(':') else { return false };
        let rest = rest.trim();
        if rest.is_empty() {
            key.clone_into(&mut self.section);
            return true;
        }
        let is_latency = LATENCY.iter().any(|section| section.strip_suffix(':') == Some(&self.section));
        let number = || Value::parse(rest.split_whitespace().next()?.trim_end_matches("ms"));
        let per_second = || rest.split_once('(')?.1.split_whitespace().next().and_then(Value::parse);
        if (self.section.as_str(), key) == ("Throughput", "events/s (eps)") {
            // Version 1.1 has it of every test, where it restates other rates.
            self.events_per_second = number();
            return true;
        }
        if let Some((_, _, metric)) =
            NUMBERS.iter().find(|(section, known, _)| *section == self.section && *known == key)
        {
            add(&mut self.metrics, metric, number());
            return true;
        }
        match (self.section.as_str(), key) {
            (_, "transactions") => add(&mut self.metrics, "transactionsPerSecond", per_second()),
            (_, "queries" | "read/write requests") => {
                add(&mut self.metrics, "queriesPerSecond", per_second());
            }
            (_, "Total operations") => add(&mut self.metrics, "opsPerSecond", per_second()),
            (_, "ignored errors") => add(&mut self.metrics, "errors", number()),
            (_, "reconnects") => add(&mut self.metrics, "reconnects", number()),
            ("Throughput", "read, MiB/s") => return self.mebibytes("readBytesPerSecond", rest),
            ("Throughput", "written, MiB/s") => return self.mebibytes("writtenBytesPerSecond", rest),
            (_, "total time") | ("Throughput", "time elapsed") => {
                self.seconds = rest.trim_end_matches('s').parse().ok();
            }
            (_, "total number of events") => self.events = number(),
            (_, "Operations performed") if rest.ends_with(" ops/sec)") => {
                add(&mut self.metrics, "opsPerSecond", per_second());
            }
            (_, "min") if is_latency => add(&mut self.metrics, "latencyMs.min", number()),
            (_, "avg") if is_latency => add(&mut self.metrics, "latencyMs", number()),
            (_, "max") if is_latency => add(&mut self.metrics, "latencyMs.max", number()),
            (_, key) if is_latency => self.percentile(key, number()),
            ("Threads fairness", "execution time (avg/stddev)") => self.end(),
            ("Threads fairness" | "SQL statistics" | "queries performed", _) => {}
            _ => return false,
        }
        true
    }
}

impl Run {
    /// `95th percentile`; it is zero where it is switched off.
    fn percentile(&mut self, key: &str, value: Option<Value>) {
        let at = key
            .strip_suffix("th percentile")
            .or_else(|| key.strip_prefix("approx.")?.strip_suffix(" percentile").map(str::trim));
        if let Some(percentile) = at {
            add(
                &mut self.metrics,
                &format!("latencyP{percentile}Ms"),
                value.filter(|value| *value != Value::Int(0)),
            );
        }
    }

    /// Tests of threads and of mutexes only say how many events there were.
    fn end(&mut self) {
        self.ended = true;
        let has_rate =
            self.metrics.iter().any(|(metric, value)| metric.ends_with("PerSecond") && value.is_some());
        let rate = self.events_per_second.or_else(|| {
            let seconds = self.seconds.filter(|seconds| *seconds > 0.0)?;
            Value::new(self.events?.as_f64() / seconds)
        });
        if !has_rate {
            add(&mut self.metrics, "eventsPerSecond", rate);
        }
    }

    fn mebibytes(&mut self, metric: &str, rate: &str) -> bool {
        let rate = rate.split_whitespace().next().and_then(Value::parse);
        add(&mut self.metrics, metric, rate.and_then(|rate| Value::new(rate.as_f64() * 1_048_576.0)));
        true
    }
}
