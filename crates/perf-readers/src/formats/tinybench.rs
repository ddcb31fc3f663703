//! Results from any version of tinybench: `{name, result}` for each task, in milliseconds.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("tinybench")
    .about("tinybench: `tasks` as JSON (`name` and `result`): time, throughput, percentiles")
    .samples(Samples::Iterations)
    .keys("[{", KEYS)
    .document(|input, sink| json::pieces(input, sink, &[&["*"], &["tasks", "*"]], task));

/// A result's keys that precede its samples. Keys after the samples may be beyond the first 128 KiB, which determine
/// the format.
const KEYS: KeySets = &[
    (&["name", "result", "totalTime", "hz"], Likeness::Yes),
    (&["name", "result", "latency", "critical"], Likeness::Yes),
    (
        &["name", "result", "state", "timestampProviderName"],
        Likeness::Yes,
    ),
    // perf-gate's own module for Node.js writes these keys.
    (&["name", "result", "latency", "min"], Likeness::Yes),
];

/// The statistics of a task. Before tinybench 3, the result itself contains the statistics of the times. vitest uses
/// such results and adds the name.
pub(super) const STATISTICS: Shape = Shape::of("the statistics of a benchmark", &[]);

fn task(piece: &Piece<'_>, sink: &mut Rows<'_>) {
    let Some(task) = piece.object(Shape::of("a task", &[]), sink) else {
        return;
    };
    let (line, result) = (piece.line, task.at("result"));
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

/// Emits the rows for a benchmark's statistics.
pub(super) fn rows(statistics: &Json<'_>, line: u64, name: &str, sink: &mut Rows<'_>) {
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

/// Adds the mean with its margin of error, the deviations and the extremes.
fn add_spread(metrics: &mut Metrics, metric: &'static str, statistics: &Json<'_>) {
    // Half the width of the mean's confidence interval.
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
