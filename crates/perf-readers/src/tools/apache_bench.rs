//! ab, the load generator of the Apache HTTP server.

use crate::format::{Format, Kind, LineReader, Samples};
use crate::input::text::text;
use crate::rows::RowCollector;
use crate::tools::common::names::address;
use crate::tools::common::tables::{Metrics, RATE_AND_LATENCY, Tables, lead};
use perf_model::row::{Outcome, Value};

pub(crate) const FORMAT: Format = Format {
    name: "ab",
    about: "ab: requests and bytes per second, latency with its percentiles, errors",
    samples: Samples::Launches,
    looks_like: |head| {
        let has = |text: &[u8]| memchr::memmem::find(head, text).is_some();
        (has(b"Requests per second: ") && has(b"Concurrency Level: ")).into()
    },
    kind: Kind::Lines(|| Box::<Lines>::default(), &[]),
};

#[derive(Default)]
struct Lines {
    tables: Tables,
    open: Option<Test>,
}

#[derive(Default)]
struct Test {
    line: u64,
    is_encrypted: bool,
    host: String,
    port: String,
    path: String,
    connections: String,
    requests: Option<Value>,
    metrics: Metrics,
    in_percentiles: bool,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        let text = text.trim();
        let host = text.strip_prefix("Server Hostname: ").map(str::trim);
        // What names the page is left out of some logs.
        let is_nameless =
            || text.starts_with("Concurrency Level: ") && self.open.as_ref().is_none_or(Test::has_rate);
        if host.is_some() || is_nameless() {
            self.close(sink);
            let host = host.unwrap_or_default().to_owned();
            self.open = Some(Test { line: number, host, ..Test::default() });
        }
        self.open.as_mut().is_some_and(|test| test.line(text))
    }

    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if self.open.is_some() && !line.ends_with(b"(longest request)") {
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
        let Some(mut test) = self.open.take() else { return };
        let name = test.name();
        if !test.has_rate() {
            sink.skip(test.line, name.as_bytes(), || format!("run of `{name}` is cut off"));
        }
        let failed = test.requests == Some(Value::Int(0));
        let outcome = if failed { Outcome::Failed } else { Outcome::Measured };
        test.metrics.retain(|(metric, value)| {
            value.is_some() && (!failed || metric.to_lowercase().ends_with("errors"))
        });
        lead(&mut test.metrics, &RATE_AND_LATENCY);
        if failed || !test.metrics.is_empty() {
            self.tables.begin(test.line);
            self.tables.add(test.line, &name, outcome, test.metrics);
        }
    }
}

impl Test {
    fn has_rate(&self) -> bool {
        self.metrics.iter().any(|(metric, _)| metric == "requestsPerSecond")
    }

    fn name(&self) -> String {
        if self.host.is_empty() {
            return format!("ab ({} connections)", self.connections);
        }
        let scheme = if self.is_encrypted { "https" } else { "http" };
        let url = address(&format!("{scheme}://{}:{}{}", self.host, self.port, self.path));
        format!("{url} ({} connections)", self.connections)
    }

    /// Looks at a line; whether it was one of the test.
    fn line(&mut self, line: &str) -> bool {
        if let Some((percent, time)) = line.trim().split_once('%').filter(|_| self.in_percentiles) {
            let time = time.split_whitespace().next().and_then(Value::parse);
            // All of them are no more than the greatest.
            if percent != "100" {
                self.add(&format!("latencyP{percent}Ms"), time);
            }
            return true;
        }
        if line.starts_with("Percentage of the requests") {
            self.in_percentiles = true;
            return true;
        }
        let Some((key, rest)) = line.split_once(':') else { return false };
        let rest = rest.trim();
        let number = || rest.split_whitespace().next().and_then(Value::parse);
        match key {
            "Server Hostname" => {}
            "Server Port" => rest.clone_into(&mut self.port),
            "SSL/TLS Protocol" => self.is_encrypted = true,
            "Document Path" => rest.clone_into(&mut self.path),
            "Concurrency Level" => rest.clone_into(&mut self.connections),
            "Complete requests" => self.requests = number(),
            "Failed requests" => self.add("errors", number()),
            "Non-2xx responses" => self.add("httpErrors", number()),
            "Requests per second" => self.add("requestsPerSecond", number()),
            "Time per request" if rest.ends_with("(mean)") => self.add("latencyMs", number()),
            "Transfer rate" => {
                let kibibytes = number().map(Value::as_f64);
                self.add("bytesPerSecond", kibibytes.and_then(|number| Value::new(number * 1024.0)));
            }
            "Total" => self.spread(rest),
            _ => return false,
        }
        true
    }

    /// `0    1   0.5      1       3`: the least, the mean, its deviation, the median and the most.
    fn spread(&mut self, rest: &str) {
        if let [least, _, deviation, _, most] = rest.split_whitespace().collect::<Vec<_>>()[..] {
            self.add("latencyMs.stddev", Value::parse(deviation));
            self.add("latencyMs.min", Value::parse(least));
            self.add("latencyMs.max", Value::parse(most));
        }
    }

    fn add(&mut self, metric: &str, value: Option<Value>) {
        self.metrics.push((metric.to_owned(), value));
    }
}
