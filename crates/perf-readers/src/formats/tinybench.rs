//! tinybench's results, `{name, result}` for each task, of any version, and its `table()`.
//!
//! Results are in milliseconds, tables in nanoseconds.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("tinybench")
    .about("tinybench: `tasks` as JSON (`name` and `result`), or `table()`: time, throughput, percentiles")
    .samples(Samples::Iterations)
    .looks_like(|head| json::likeness(head, b"[{", KEYS))
    .document(|source, sink| json::pieces(source, sink, &[&["*"], &["tasks", "*"]], task));

/// The keys of results and of tables. Further keys of a result may follow its samples, beyond the head.
const KEYS: &[(&[&str], Likeness)] = &[
    (&["name", "result", "totalTime", "hz"], Likeness::Yes),
    (&["name", "result", "latency", "critical"], Likeness::Yes),
    (
        &["name", "result", "state", "timestampProviderName"],
        Likeness::Yes,
    ),
    // As perf-gate's own module for Node.js writes them.
    (&["name", "result", "latency", "min"], Likeness::Yes),
    (&["Task name", "Samples"], Likeness::Yes),
    (&["Task name", "Error"], Likeness::Yes),
    (&["Task Name", "Samples"], Likeness::Yes),
    (&["Task Name", "Error"], Likeness::Yes),
];

/// The statistics of a task. Versions before 3 have those of its times in the result itself; vitest, which is built
/// on them, adds the name.
pub(super) const STATISTICS: Shape = Shape::of("the statistics of a benchmark", &[]);

fn task(piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
    let Some(task) = piece.object(Shape::of("a task", &[]), sink) else {
        return;
    };
    let (line, result) = (piece.line, task.at("result"));
    if let Some(name) = task.text("Task name").or(task.text("Task Name")) {
        return table_row(&task, line, name, sink);
    }
    match task.text("name") {
        None => sink.skip(line, piece.text(), || {
            "unexpected JSON: missing field `name`".to_owned()
        }),
        // The task did not run.
        Some(name) if *result == Json::Null => {
            sink.without_metrics(line, &Cells::of(name), Outcome::Skipped);
        }
        Some(name) => rows(result, line, name, sink),
    }
}

const PERCENTILES: [(&str, &str); 4] = [
    ("timeP75Ms", "p75"),
    ("timeP99Ms", "p99"),
    ("timeP99.5Ms", "p995"),
    ("timeP99.9Ms", "p999"),
];

/// Gives the rows of statistics.
pub(super) fn rows(statistics: &Json<'_>, line: u64, name: &str, sink: &mut RowCollector<'_>) {
    let times = if statistics.has("latency") {
        statistics.at("latency")
    } else {
        statistics
    };
    let outcome = match statistics.text("state") {
        Some("not-started") => Outcome::Skipped,
        _ if statistics.has("error") || times.number("mean").is_none() => Outcome::Failed,
        _ => Outcome::Measured,
    };
    let cells = Cells {
        outcome,
        ..Cells::of(name)
    };
    let samples = times.samples("samples");
    sink.samples(line, &cells, "timeMs", &samples);
    let mut summary = Metrics::default();
    if samples.is_empty() {
        add_spread(&mut summary, "timeMs", times);
        summary.add("timeP50Ms", times.number("p50").or(times.number("median")));
    }
    summary.extend(times.metrics(&PERCENTILES));
    match statistics.at("throughput") {
        Json::Null => summary.add("opsPerSecond", statistics.number("hz")),
        throughput => add_spread(&mut summary, "opsPerSecond", throughput),
    }
    if samples.is_empty() || !summary.is_empty() {
        sink.measured(line, &cells, &summary);
    }
}

/// Adds the mean, and how far it is to be trusted.
fn add_spread(metrics: &mut Metrics, metric: &'static str, statistics: &Json<'_>) {
    // Half of the interval of the mean.
    let margin = statistics.number("moe").map(Value::as_f64);
    metrics.add_with_margin(metric, statistics.number("mean"), margin);
    let parts = [
        (".stddev", "sd"),
        (".mad", "mad"),
        (".min", "min"),
        (".max", "max"),
    ];
    metrics.add_parts(
        metric,
        parts.map(|(part, field)| (part, statistics.number(field))),
    );
}

/// A row of `table()`: texts such as `224.73 ± 47.19%` under the names of columns.
fn table_row(row: &Json<'_>, line: u64, name: &str, sink: &mut RowCollector<'_>) {
    let mut metrics = Metrics::default();
    for (column, cell) in row.entries() {
        match (metric_of(column), cell) {
            (Some(metric), Json::Text(text)) => add_with_sign(&mut metrics, metric, text),
            (Some(metric), other) => metrics.add(metric, other.as_number()),
            _ => {}
        }
    }
    let failed = row.entries().iter().any(|(column, _)| column == "Error");
    sink.measured(line, &Cells::of(name).failed_if(failed), &metrics);
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

/// Adds a number and its `±`: an interval in percent, or a median deviation.
pub(super) fn add_with_sign(metrics: &mut Metrics, metric: &'static str, text: &str) {
    let (number, margin) = text.split_once('±').unwrap_or((text, ""));
    let (value, margin) = (grouped(number.trim()), margin.trim());
    if let Some(share) = margin.strip_suffix('%') {
        metrics.add_with_share(
            metric,
            value,
            grouped(share).map(|share| share.as_f64() / 100.0),
        );
    } else {
        metrics.add(metric, value);
        metrics.add(format!("{metric}.mad"), grouped(margin));
    }
}
