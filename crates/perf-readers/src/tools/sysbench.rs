//! sysbench's report: events, transactions, memory and files per second, and latency.
//!
//! The test is known from a section of the report alone; the number of threads is part of the name. Logs without the
//! options have neither, and are named after the line above.
//!
//! Source: `src/sysbench.c` of sysbench 1.0.20, and of 1.1 for `Throughput:`.

use crate::format::{Format, Kind, Samples};
use crate::tools::common::blocks::{Block, Blocks, add, has_all};
use crate::tools::common::tables::Metrics;
use perf_model::row::Value;

pub(crate) const FORMAT: Format = Format {
    name: "sysbench",
    about: "sysbench: events, transactions, queries and bytes per second, latency and its percentile, errors",
    samples: Samples::Launches,
    looks_like: |head| has_all(head, &["Threads fairness:", "Latency (ms):"]).into(),
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
const TESTS: [(&str, &str); 5] = [
    ("Prime numbers limit:", "cpu"),
    ("Running memory speed test", "memory"),
    ("SQL statistics:", "database"),
    ("Extra file open flags:", "fileio"),
    ("File operations:", "fileio"),
];

/// The first sections with numbers.
const NUMBERS_BEGIN: [&str; 3] = ["CPU speed:", "SQL statistics:", "File operations:"];

/// Numbers that need no more than a name, by their sections.
const NUMBERS: [(&str, &str, &str); 7] = [
    ("CPU speed", "events per second", "eventsPerSecond"),
    ("File operations", "reads/s", "readsPerSecond"),
    ("File operations", "writes/s", "writesPerSecond"),
    ("File operations", "fsyncs/s", "fsyncsPerSecond"),
    ("Latency (ms)", "min", "latencyMs.min"),
    ("Latency (ms)", "avg", "latencyMs"),
    ("Latency (ms)", "max", "latencyMs.max"),
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

    fn is_last(&self, _: &str) -> bool {
        self.ended
    }

    fn is_complete(&self) -> bool {
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
        if let Some((amount, rate)) = line.split_once(" transferred (") {
            return amount.ends_with("MiB") && self.mebibytes("bytesPerSecond", rate);
        }
        let Some((key, rest)) = line.split_once(':') else { return false };
        let rest = rest.trim();
        if rest.is_empty() {
            key.clone_into(&mut self.section);
            return true;
        }
        let number = || rest.split_whitespace().next().and_then(Value::parse);
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
            (_, "queries") => add(&mut self.metrics, "queriesPerSecond", per_second()),
            (_, "Total operations") => add(&mut self.metrics, "opsPerSecond", per_second()),
            (_, "ignored errors") => add(&mut self.metrics, "errors", number()),
            (_, "reconnects") => add(&mut self.metrics, "reconnects", number()),
            ("Throughput", "read, MiB/s") => return self.mebibytes("readBytesPerSecond", rest),
            ("Throughput", "written, MiB/s") => return self.mebibytes("writtenBytesPerSecond", rest),
            (_, "total time") | ("Throughput", "time elapsed") => {
                self.seconds = rest.trim_end_matches('s').parse().ok();
            }
            (_, "total number of events") => self.events = number(),
            ("Latency (ms)", key) => self.percentile(key, number()),
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
        if let Some(percentile) = key.strip_suffix("th percentile") {
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
