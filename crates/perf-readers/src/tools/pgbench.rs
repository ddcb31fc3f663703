//! pgbench's summary of a run.
//!
//! ```text
//! transaction type: <builtin: TPC-B (sort of)>
//! scaling factor: 10
//! number of clients: 8
//! latency average = 4.512 ms
//! tps = 1773.112650 (without initial connection time)
//! ```
//!
//! Source: `printResults` in `pgbench.c` of PostgreSQL 9 to 18.

use crate::tools::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("pgbench")
    .about("pgbench: transactions per second, latency and its deviation, failed transactions")
    .looks_like(|head| has_all(head, &["transaction type: ", "tps = ", "number of clients: "]).into())
    .lines::<Blocks<Run>>(&[]);

#[derive(Clone, Default)]
struct Run {
    script: String,
    scale: String,
    mode: String,
    clients: String,
    threads: String,
    processed: Option<Value>,
}

impl Block for Run {
    const NEEDED: Option<&'static str> = Some("transactionsPerSecond");
    const LEAD: &'static [&'static str] = &["transactionsPerSecond", "latencyMs"];

    fn begin(line: &str, open: Option<&Open<Self>>) -> Option<Self> {
        if let Some(script) = line.strip_prefix("transaction type: ") {
            return Some(Self { script: script.trim().to_owned(), ..Self::default() });
        }
        // Some logs keep what further runs share only once.
        let is_next = line.starts_with("duration: ") || line.starts_with("number of ");
        let last = open.filter(|open| is_next && open.is_complete())?;
        Some(Self { processed: None, ..last.block.clone() })
    }

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

    fn line(&mut self, line: &str, metrics: &mut Metrics) -> bool {
        if let Some((key, rest)) = line.split_once(" = ") {
            let value = rest.split_whitespace().next().and_then(Value::parse);
            match key {
                "latency average" => metrics.add("latencyMs", value),
                "latency stddev" => metrics.add("latencyMs.stddev", value),
                "initial connection time" => metrics.add("connectionMs", value),
                // Before version 14 a second one counts the time to connect.
                "tps" if !rest.contains("including") => {
                    metrics.add("transactionsPerSecond", value);
                }
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
                metrics.add("failures", rest.split_whitespace().next().and_then(Value::parse));
            }
            "latency average" => {
                metrics.add("latencyMs", rest.split_whitespace().next().and_then(Value::parse));
            }
            "number of transactions per client" | "duration" | "partitions" | "maximum number of tries" => {}
            _ => return false,
        }
        true
    }

    fn is_last(&self, line: &str) -> bool {
        line.starts_with("tps = ") && line.ends_with(')')
    }

    fn has_failed(&self, _: &Metrics) -> bool {
        self.processed == Some(Value::Int(0))
    }
}
