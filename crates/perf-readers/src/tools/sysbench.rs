//! sysbench's report: events, transactions, memory and files per second, and latency.
//!
//! It names its test by a section of the report alone; numbers of threads set runs apart.

use crate::format::{Format, Kind, LineReader, Samples};
use crate::input::text::text;
use crate::rows::RowCollector;
use crate::tools::common::tables::{Metrics, Tables};
use perf_model::row::{Outcome, Value};

pub(crate) const FORMAT: Format = Format {
    name: "sysbench",
    about: "sysbench: events, transactions, queries and bytes per second, latency and its percentile, errors",
    samples: Samples::Launches,
    looks_like: |head| {
        let has = |text: &[u8]| memchr::memmem::find(head, text).is_some();
        (has(b"Threads fairness:") && has(b"Latency (ms):") && has(b"Number of threads: ")).into()
    },
    kind: Kind::Lines(|| Box::<Lines>::default(), &[]),
};

#[derive(Default)]
struct Lines {
    tables: Tables,
    open: Option<Run>,
}

#[derive(Default)]
struct Run {
    line: u64,
    test: &'static str,
    threads: String,
    section: String,
    events: Option<Value>,
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

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        if let Some(threads) = text.strip_prefix("Number of threads: ") {
            self.close(sink);
            self.open = Some(Run { line: number, threads: threads.trim().to_owned(), ..Run::default() });
            return true;
        }
        self.open.as_mut().is_some_and(|run| run.line(&text))
    }

    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if self.open.as_ref().is_some_and(|run| !run.ended) {
            sink.skip_cut_off(number, line);
            return true;
        }
        self.line(number, line, sink)
    }

    fn end(&mut self, sink: &mut RowCollector<'_>) {
        self.close(sink);
        self.tables.give(false, sink);
    }
}

impl Lines {
    fn close(&mut self, sink: &mut RowCollector<'_>) {
        let Some(mut run) = self.open.take() else { return };
        let test = if run.test.is_empty() { "sysbench" } else { run.test };
        let name = format!("{test} ({} threads)", run.threads);
        if !run.ended {
            sink.skip(run.line, name.as_bytes(), || format!("run of `{name}` is cut off"));
        }
        let failed = run.events == Some(Value::Int(0));
        let outcome = if failed { Outcome::Failed } else { Outcome::Measured };
        run.metrics.retain(|(_, value)| value.is_some() && !failed);
        if failed || !run.metrics.is_empty() {
            self.tables.begin(run.line);
            self.tables.add(run.line, &name, outcome, run.metrics);
        }
    }
}

impl Run {
    /// Looks at a line; whether it was one of the run.
    fn line(&mut self, line: &str) -> bool {
        if let Some((_, test)) = TESTS.iter().find(|(begin, _)| line.starts_with(begin)) {
            self.test = test;
        }
        let trimmed = line.trim();
        if let Some((amount, rate)) = trimmed.split_once(" transferred (") {
            return amount.ends_with("MiB") && self.mebibytes("bytesPerSecond", rate);
        }
        let Some((key, rest)) = trimmed.split_once(':') else { return false };
        let rest = rest.trim();
        if rest.is_empty() {
            key.clone_into(&mut self.section);
            return true;
        }
        let number = || rest.split_whitespace().next().and_then(Value::parse);
        let per_second = || rest.split_once('(')?.1.split_whitespace().next().and_then(Value::parse);
        if let Some((_, _, metric)) =
            NUMBERS.iter().find(|(section, known, _)| *section == self.section && *known == key)
        {
            self.add(metric, number());
            return true;
        }
        match (self.section.as_str(), key) {
            (_, "transactions") => self.add("transactionsPerSecond", per_second()),
            (_, "queries") => self.add("queriesPerSecond", per_second()),
            (_, "Total operations") => self.add("opsPerSecond", per_second()),
            (_, "ignored errors") => self.add("errors", number()),
            (_, "reconnects") => self.add("reconnects", number()),
            ("Throughput", "read, MiB/s") => return self.mebibytes("readBytesPerSecond", rest),
            ("Throughput", "written, MiB/s") => return self.mebibytes("writtenBytesPerSecond", rest),
            (_, "total time") => self.seconds = rest.trim_end_matches('s').parse().ok(),
            (_, "total number of events") => self.events = number(),
            ("Latency (ms)", key) => self.percentile(key, number()),
            ("Threads fairness", "execution time (avg/stddev)") => self.end(),
            ("Threads fairness" | "SQL statistics" | "queries performed", _) => {}
            _ => return false,
        }
        true
    }

    /// `95th percentile`; it is zero where it is switched off.
    fn percentile(&mut self, key: &str, value: Option<Value>) {
        if let Some(percentile) = key.strip_suffix("th percentile") {
            self.add(&format!("latencyP{percentile}Ms"), value.filter(|value| *value != Value::Int(0)));
        }
    }

    /// Tests of threads and of mutexes only say how many events there were.
    fn end(&mut self) {
        self.ended = true;
        let has_rate =
            self.metrics.iter().any(|(metric, value)| metric.ends_with("PerSecond") && value.is_some());
        if let (false, Some(events), Some(seconds)) = (has_rate, self.events, self.seconds) {
            self.add("eventsPerSecond", Value::new(events.as_f64() / seconds).filter(|_| seconds > 0.0));
        }
    }

    fn mebibytes(&mut self, metric: &str, rate: &str) -> bool {
        let rate = rate.split_whitespace().next().and_then(Value::parse);
        self.add(metric, rate.and_then(|rate| Value::new(rate.as_f64() * 1_048_576.0)));
        true
    }

    fn add(&mut self, metric: &str, value: Option<Value>) {
        self.metrics.push((metric.to_owned(), value));
    }
}
