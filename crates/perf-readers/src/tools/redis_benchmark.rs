//! redis-benchmark, also of Valkey: its reports, `-q` and `--csv`.

use crate::format::{Format, Kind, LineReader, Samples};
use crate::input::{source::Source, text::text};
use crate::rows::{Cells, RowCollector};
use crate::tools::common::csv_records;
use crate::tools::common::tables::{Metrics, Tables};
use perf_model::row::{Outcome, Value};

pub(crate) const TEXT: Format = Format {
    name: "redis-benchmark",
    about: "redis-benchmark, also with -q: requests per second of every command, latency and its percentiles",
    samples: Samples::Launches,
    looks_like: |head| {
        let has = |text: &[u8]| memchr::memmem::find(head, text).is_some();
        let is_report = has(b"requests completed in ") && has(b" parallel clients");
        (has(b" requests per second") && (is_report || quiet_in(head))).into()
    },
    kind: Kind::Lines(|| Box::<Lines>::default(), &[]),
};

pub(crate) const CSV: Format = Format {
    name: "redis-benchmark-csv",
    about: "redis-benchmark --csv: requests per second of every command, latency and its percentiles",
    samples: Samples::Launches,
    looks_like: |head| csv_records::has_columns(head, b',', &["test", "rps", "avg_latency_ms"]).into(),
    kind: Kind::Document(read),
};

/// Whether there is a line of `-q`.
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
    let mut metrics: Metrics = vec![("requestsPerSecond".to_owned(), Some(Value::parse(rate.trim())?))];
    if let Some(median) = behind.strip_prefix(", p50=") {
        metrics.push(("latencyP50Ms".to_owned(), Value::parse(median.trim_end_matches("msec").trim())));
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

#[derive(Default)]
struct Lines {
    tables: Tables,
    open: Option<Command>,
}

/// The report of a command.
#[derive(Default)]
struct Command {
    line: u64,
    name: String,
    clients: String,
    columns: Vec<String>,
    metrics: Metrics,
    /// Whether its last line was read.
    is_complete: bool,
}

impl LineReader for Lines {
    fn line(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        let text = text(line);
        // Progress is printed over itself.
        let text = text.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or_default().trim_end();
        let title = text.strip_prefix("====== ").and_then(|text| text.strip_suffix(" ======"));
        if let Some(name) = title {
            self.close(sink);
            self.open = Some(Command { line: number, name: name.trim().to_owned(), ..Command::default() });
            return true;
        }
        if let Some(command) = &mut self.open {
            let taken = command.line(text.trim());
            if command.is_complete {
                self.close(sink);
            }
            return taken;
        }
        let Some((name, metrics)) = quiet(text) else { return false };
        self.tables.begin(number);
        self.tables.add(number, name, Outcome::Measured, metrics);
        true
    }

    fn unended(&mut self, number: u64, line: &[u8], sink: &mut RowCollector<'_>) -> bool {
        if self.open.is_some() && !line.ends_with(b"requests per second") {
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
        let Some(command) = self.open.take() else { return };
        let name = match command.clients.as_str() {
            "" => command.name,
            clients => format!("{} ({clients} clients)", command.name),
        };
        if command.metrics.is_empty() {
            sink.skip(command.line, name.as_bytes(), || format!("report of `{name}` is cut off"));
            return;
        }
        self.tables.begin(command.line);
        self.tables.add(command.line, &name, Outcome::Measured, command.metrics);
    }
}

impl Command {
    /// Looks at a line; whether it was one of the report.
    fn line(&mut self, line: &str) -> bool {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [clients, "parallel", "clients"] => clients.clone_into(&mut self.clients),
            ["throughput", "summary:", rate, "requests", "per", "second"] => {
                self.metrics.push(("requestsPerSecond".to_owned(), Value::parse(rate)));
            }
            // Before version 6.2.
            [rate, "requests", "per", "second"] => {
                self.is_complete = true;
                self.metrics.push(("requestsPerSecond".to_owned(), Value::parse(rate)));
            }
            ["avg", "min", "p50", ..] => self.columns = words.iter().map(|&word| word.to_owned()).collect(),
            _ if !self.columns.is_empty() && words.len() == self.columns.len() => {
                let columns = self.columns.iter().zip(&words);
                self.metrics.extend(columns.filter_map(|(column, word)| {
                    let (_, metric) = COLUMNS.iter().find(|(known, _)| known == column)?;
                    Some(((*metric).to_owned(), Value::parse(word)))
                }));
                self.is_complete = true;
            }
            [_, "requests", "completed", "in", _, "seconds"] | ["Summary:"] | ["latency", "summary", ..] => {}
            _ => return false,
        }
        true
    }
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    csv_records::read(source, sink, b',', |record, sink| {
        let Some(record) = record else { return };
        let rate = record.number(&["rps"]);
        let latency = |(column, metric): (&str, &'static str)| {
            (metric, record.number(&[&format!("{column}_latency_ms")]))
        };
        let metrics = std::iter::once(("requestsPerSecond", rate)).chain(COLUMNS.map(latency));
        sink.measured(record.line, &Cells::of(record.text(&["test"]).trim()), metrics);
    })
}
