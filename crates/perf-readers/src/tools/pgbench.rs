//! pgbench's summary of a run.
//!
//! ```text
//! transaction type: <builtin: TPC-B (sort of)>
//! scaling factor: 10
//! number of clients: 8
//! latency average = 4.512 ms
//! tps = 1773.112650 (without initial connection time)
//! ```

use crate::format::{Format, Kind, LineReader, Samples};
use crate::input::text::text;
use crate::rows::RowCollector;
use crate::tools::common::tables::{Metrics, Tables, lead};
use perf_model::row::{Outcome, Value};

pub(crate) const FORMAT: Format = Format {
    name: "pgbench",
    about: "pgbench: transactions per second, latency and its deviation, failed transactions",
    samples: Samples::Launches,
    looks_like: |head| {
        let has = |text: &[u8]| memchr::memmem::find(head, text).is_some();
        (has(b"transaction type: ") && has(b"tps = ") && has(b"number of clients: ")).into()
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
    script: String,
    scale: String,
    mode: String,
    clients: String,
    threads: String,
    processed: Option<Value>,
    metrics: Metrics,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        if let Some(script) = text.strip_prefix("transaction type: ") {
            self.close(sink);
            self.open = Some(Run { line: number, script: script.trim().to_owned(), ..Run::default() });
            return true;
        }
        self.open.as_mut().is_some_and(|run| run.line(text.trim_end()))
    }

    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if self.open.is_some() && !(line.starts_with(b"tps = ") && line.ends_with(b")")) {
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
        let name = run.name();
        if !run.metrics.iter().any(|(metric, _)| metric == "transactionsPerSecond") {
            sink.skip(run.line, name.as_bytes(), || format!("run of `{name}` is cut off"));
        }
        let failed = run.processed == Some(Value::Int(0));
        let outcome = if failed { Outcome::Failed } else { Outcome::Measured };
        run.metrics.retain(|(metric, value)| value.is_some() && (!failed || metric == "failures"));
        lead(&mut run.metrics, &["transactionsPerSecond", "latencyMs"]);
        if failed || !run.metrics.is_empty() {
            self.tables.begin(run.line);
            self.tables.add(run.line, &name, outcome, run.metrics);
        }
    }
}

impl Run {
    /// `<builtin: TPC-B (sort of)> (scale 10, simple, 8 clients, 2 threads)`.
    fn name(&self) -> String {
        let Self { script, scale, mode, clients, threads, .. } = self;
        let parts =
            [("scale ", scale, ""), ("", mode, ""), ("", clients, " clients"), ("", threads, " threads")];
        let parts = parts.iter().filter(|(_, part, _)| !part.is_empty());
        let parts: Vec<String> =
            parts.map(|(before, part, behind)| format!("{before}{part}{behind}")).collect();
        format!("{script} ({})", parts.join(", "))
    }

    /// Looks at a line; whether it was one of the run.
    fn line(&mut self, line: &str) -> bool {
        if let Some((key, rest)) = line.split_once(" = ") {
            let value = rest.split_whitespace().next().and_then(Value::parse);
            match key {
                "latency average" => self.add("latencyMs", value),
                "latency stddev" => self.add("latencyMs.stddev", value),
                "initial connection time" => self.add("connectionMs", value),
                // Before version 14 a second one counts the time to connect.
                "tps" if !rest.contains("including") => self.add("transactionsPerSecond", value),
                "tps" => {}
                _ => return false,
            }
            return true;
        }
        let Some((key, rest)) = line.split_once(": ") else { return false };
        let rest = rest.trim();
        match key {
            "scaling factor" => rest.clone_into(&mut self.scale),
            "query mode" => rest.clone_into(&mut self.mode),
            "number of clients" => rest.clone_into(&mut self.clients),
            "number of threads" => rest.clone_into(&mut self.threads),
            "number of transactions actually processed" => {
                self.processed = Value::parse(rest.split('/').next().unwrap_or_default().trim());
            }
            "number of failed transactions" => {
                self.add("failures", rest.split_whitespace().next().and_then(Value::parse));
            }
            "latency average" => self.add("latencyMs", rest.split_whitespace().next().and_then(Value::parse)),
            "number of transactions per client" | "duration" | "partitions" | "maximum number of tries" => {}
            _ => return false,
        }
        true
    }

    fn add(&mut self, metric: &str, value: Option<Value>) {
        self.metrics.push((metric.to_owned(), value));
    }
}
