//! tinybench's results, `{name, result}` for each task, of any version, and its `table()`.
//!
//! Results are in milliseconds, tables in nanoseconds.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::format::{Format, Kind, Likeness, Samples};
use crate::input::source::Source;
use crate::json::{self, Fields, Loose, Piece, Scalar};
use crate::rows::{Cells, RowCollector};
use crate::tools::common::{names::says_something, units::grouped};
use perf_model::row::{Outcome, Value};

pub(crate) const FORMAT: Format = Format {
    name: "tinybench",
    about: "tinybench: `tasks` as JSON (`name` and `result`), or `table()`: time, throughput, percentiles",
    samples: Samples::Iterations,
    looks_like,
    kind: Kind::Document(read),
};

fn looks_like(head: &[u8]) -> Likeness {
    let has = |keys: &[&str]| json::has_keys(head, b"[{", keys);
    // Behind samples there may be more keys than the head has.
    let has_result = || {
        has(&["totalTime", "hz"]) || has(&["latency", "critical"]) || has(&["state", "timestampProviderName"])
    };
    let is_table = || (has(&["Task name"]) || has(&["Task Name"])) && (has(&["Samples"]) || has(&["Error"]));
    ((has(&["name", "result"]) && has_result()) || is_table()).into()
}

/// Statistics of a task. Versions before 3 have those of its times in the result itself; vitest, which is built
/// on them, adds the name.
#[derive(Default, Deserialize)]
#[serde(default, expecting = "the statistics of a benchmark")]
pub(crate) struct Statistics<'a> {
    #[serde(borrow)]
    pub(crate) name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    state: Option<Cow<'a, str>>,
    error: Option<IgnoredAny>,
    latency: Option<Box<Statistics<'a>>>,
    throughput: Option<Box<Statistics<'a>>>,
    hz: Loose,
    mean: Loose,
    min: Loose,
    max: Loose,
    sd: Loose,
    /// Half of the interval of the mean.
    moe: Loose,
    mad: Loose,
    #[serde(alias = "median")]
    p50: Loose,
    p75: Loose,
    p99: Loose,
    p995: Loose,
    p999: Loose,
    samples: Option<Vec<Loose>>,
}

#[derive(Deserialize)]
#[serde(expecting = "a task")]
struct Task<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    /// Missing when the task did not run.
    #[serde(borrow)]
    result: Option<Statistics<'a>>,
}

fn read(source: &mut Source<'_>, sink: &mut RowCollector<'_>) -> std::io::Result<()> {
    json::pieces(source, sink, &[&["*"], &["tasks", "*"]], |piece: &Piece<'_>, sink| {
        let is_row = |name: &str| memchr::memmem::find(piece.text(), name.as_bytes()).is_some();
        if is_row("\"Task name\"") || is_row("\"Task Name\"") {
            let _ = piece.parse::<Fields<'_>>(sink).map(|fields| table_row(piece.line, &fields, sink));
        } else if let Some(task) = piece.parse::<Task<'_>>(sink) {
            match &task.result {
                Some(result) => result.rows(piece.line, &task.name, sink),
                None => sink.measured(
                    piece.line,
                    &Cells { outcome: Outcome::Skipped, ..Cells::of(&task.name) },
                    [],
                ),
            }
        }
    })
}

impl Statistics<'_> {
    pub(crate) fn rows(&self, line: u64, name: &str, sink: &mut RowCollector<'_>) {
        let times = self.latency.as_deref().unwrap_or(self);
        let cells = Cells { outcome: self.outcome(times), ..Cells::of(name) };
        let samples: Vec<Option<Value>> = times.samples.iter().flatten().map(|sample| sample.0).collect();
        sink.samples(line, &cells, "timeMs", &samples);
        let mut summary = Vec::new();
        if samples.is_empty() {
            summary.extend(times.spread("timeMs"));
            summary.push(("timeP50Ms".to_owned(), times.p50.0));
        }
        let percentiles = [
            ("timeP75Ms", times.p75),
            ("timeP99Ms", times.p99),
            ("timeP99.5Ms", times.p995),
            ("timeP99.9Ms", times.p999),
        ];
        summary.extend(percentiles.map(|(metric, value)| (metric.to_owned(), value.0)));
        match &self.throughput {
            Some(throughput) => summary.extend(throughput.spread("opsPerSecond")),
            None => summary.push(("opsPerSecond".to_owned(), self.hz.0)),
        }
        if samples.is_empty() || says_something(&summary) {
            sink.measured(line, &cells, summary.iter().map(|(metric, value)| (metric.as_str(), *value)));
        }
    }

    fn outcome(&self, times: &Statistics<'_>) -> Outcome {
        match self.state.as_deref() {
            Some("not-started") => Outcome::Skipped,
            _ if self.error.is_some() || times.mean.0.is_none() => Outcome::Failed,
            _ => Outcome::Measured,
        }
    }

    /// The mean, and how far it is to be trusted.
    fn spread(&self, metric: &str) -> impl Iterator<Item = (String, Option<Value>)> {
        let end = |sign: f64| Value::new(self.mean.0?.as_f64() + sign * self.moe.0?.as_f64());
        let parts = [
            ("", self.mean.0),
            (".lower", end(-1.0)),
            (".upper", end(1.0)),
            (".stddev", self.sd.0),
            (".mad", self.mad.0),
            (".min", self.min.0),
            (".max", self.max.0),
        ];
        parts.into_iter().map(move |(part, value)| (format!("{metric}{part}"), value))
    }
}

/// A row of `table()`: texts such as `224.73 ± 47.19%` under the names of columns.
fn table_row(line: u64, fields: &Fields<'_>, sink: &mut RowCollector<'_>) {
    let Some(name) = fields.text("Task name").or_else(|| fields.text("Task Name")) else { return };
    let mut metrics: Vec<(String, Option<Value>)> = Vec::new();
    for (column, cell) in fields.iter() {
        let Some(metric) = metric_of(column) else { continue };
        match cell {
            Scalar::Text(text) => metrics.extend(with_margin(metric, text)),
            other => metrics.push((metric.to_owned(), other.number())),
        }
    }
    let failed = fields.iter().any(|(column, _)| column == "Error");
    let outcome = if failed { Outcome::Failed } else { Outcome::Measured };
    let cells = Cells { outcome, ..Cells::of(name) };
    sink.measured(line, &cells, metrics.iter().map(|(metric, value)| (metric.as_str(), *value)));
}

pub(super) fn metric_of(column: &str) -> Option<&'static str> {
    match column {
        "Latency avg (ns)" | "Latency average (ns)" | "Average Time (ns)" => Some("timeNs"),
        "Latency med (ns)" | "Latency median (ns)" => Some("timeP50Ns"),
        "Throughput avg (ops/s)" | "Throughput average (ops/s)" | "ops/sec" => Some("opsPerSecond"),
        "Throughput med (ops/s)" | "Throughput median (ops/s)" => Some("medianOpsPerSecond"),
        _ => None,
    }
}

/// The number and its `±`: an interval in percent, or a median deviation.
pub(super) fn with_margin(metric: &str, text: &str) -> Vec<(String, Option<Value>)> {
    let (number, margin) = text.split_once('±').unwrap_or((text, ""));
    let value = grouped(number.trim());
    let (margin, is_share) =
        margin.trim().strip_suffix('%').map_or((margin.trim(), false), |share| (share, true));
    let margin = grouped(margin);
    let end = |sign: f64| Value::new(value?.as_f64() * (1.0 + sign * margin?.as_f64() / 100.0));
    let mut metrics = vec![(metric.to_owned(), value)];
    if is_share {
        metrics.extend([(format!("{metric}.lower"), end(-1.0)), (format!("{metric}.upper"), end(1.0))]);
    } else {
        metrics.push((format!("{metric}.mad"), margin));
    }
    metrics
}
