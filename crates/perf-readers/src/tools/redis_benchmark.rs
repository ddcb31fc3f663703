//! redis-benchmark, also of Valkey: its reports and `-q`.
//!
//! Source: `showLatencyReport` in `src/redis-benchmark.c` of Redis 7.0, and of versions before 6.2.

use crate::tools::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("redis-benchmark")
    .about("redis-benchmark, also with -q: requests per second of every command, latency and its percentiles")
    .looks_like(|head| {
        let is_report = has_all(head, &["requests completed in ", " parallel clients"]);
        (has_all(head, &[" requests per second"]) && (is_report || quiet_in(head))).into()
    })
    .lines::<Blocks<Command>>(&[]);

/// True if the head of an input has a line as printed by `-q`.
fn quiet_in(head: &[u8]) -> bool {
    let mut found = memchr::memmem::find_iter(head, b" requests per second");
    found.any(|at| {
        let start = memchr::memrchr2(b'\n', b'\r', &head[..at]).map_or(0, |end| end + 1);
        let end = memchr::memchr2(b'\n', b'\r', &head[at..]).map_or(head.len(), |end| at + end);
        quiet(&text(&head[start..end])).is_some()
    })
}

/// `SET: 121951.22 requests per second, p50=0.223 msec`.
fn quiet(line: &str) -> Option<(&str, Metrics)> {
    let (before, behind) = line.split_once(" requests per second")?;
    let (name, rate) = before.rsplit_once(": ")?;
    let mut metrics = Metrics::from([("requestsPerSecond", Some(Value::parse(rate.trim())?))]);
    if let Some(median) = behind.strip_prefix(", p50=") {
        metrics.add("latencyP50Ms", Value::parse(median.trim_end_matches("msec").trim()));
    }
    let is_whole = behind.is_empty() || behind.ends_with("msec");
    (is_whole && !name.contains("summary")).then_some((name.trim(), metrics))
}

/// The columns of latencies and their metrics.
const COLUMNS: [(&str, &str); 6] = [
    ("avg", "latencyMs"),
    ("min", "latencyMs.min"),
    ("max", "latencyMs.max"),
    ("p50", "latencyP50Ms"),
    ("p95", "latencyP95Ms"),
    ("p99", "latencyP99Ms"),
];

/// The report of a command.
#[derive(Default)]
struct Command {
    name: String,
    clients: Option<String>,
    columns: Vec<String>,
    /// True if the last line of the report was read.
    has_ended: bool,
}

impl Block for Command {
    const NEEDED: Option<&'static str> = Some("requestsPerSecond");
    const WHAT: &'static str = "report";
    const LEAD: &'static [&'static str] = &[];

    fn begin(line: &str, _: Option<&Open<Self>>) -> Option<Self> {
        let title = line.strip_prefix("====== ").and_then(|line| line.strip_suffix(" ======"));
        if let Some(name) = title {
            return Some(Self { name: name.trim().to_owned(), ..Self::default() });
        }
        // Behind a report that is cut off, too.
        let (name, _) = quiet(line)?;
        Some(Self { name: name.to_owned(), ..Self::default() })
    }

    fn has_ended(&self) -> bool {
        self.has_ended
    }

    fn is_last(&self, line: &str) -> bool {
        line.ends_with("requests per second")
    }

    fn name(&self) -> String {
        with_details(&self.name, self.clients.as_slice())
    }

    fn line(&mut self, line: &str, metrics: &mut Metrics) -> bool {
        if let Some((_, all)) = quiet(line) {
            metrics.extend(all);
            self.has_ended = true;
            return true;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [clients, "parallel", "clients"] => self.clients = Some(format!("{clients} clients")),
            ["throughput", "summary:", rate, "requests", "per", "second"] => {
                metrics.add("requestsPerSecond", Value::parse(rate));
            }
            // Before version 6.2.
            [rate, "requests", "per", "second"] => {
                self.has_ended = true;
                metrics.add("requestsPerSecond", Value::parse(rate));
            }
            ["avg", "min", "p50", ..] => self.columns = words.iter().map(|&word| word.to_owned()).collect(),
            _ if !self.columns.is_empty() && words.len() == self.columns.len() => {
                let columns = self.columns.iter().zip(&words);
                metrics.extend(columns.filter_map(|(column, word)| {
                    let (_, metric) = COLUMNS.iter().find(|(known, _)| known == column)?;
                    Some((*metric, Value::parse(word)))
                }));
                self.has_ended = true;
            }
            [_, "requests", "completed", "in", _, "seconds"] | ["Summary:"] | ["latency", "summary", ..] => {}
            _ => return false,
        }
        true
    }
}
