//! autocannon's `--json`: one load test, latency in milliseconds.

use crate::tools::common::names::is_upper_half;
use crate::tools::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("autocannon")
    .about("autocannon --json: latency and its percentiles, requests and bytes per second, errors")
    .looks_like(|head| json::likeness(head, b"{", KEYS))
    .document(|source, sink| json::pieces(source, sink, &[&[]], row));

const KEYS: &[(&[&str], Likeness)] = &[
    (&["latency", "requests", "throughput", "connections", "non2xx"], Likeness::Yes),
    (
        &["latency", "requests", "throughput"],
        Likeness::Near("has `latency`, `requests` and `throughput`, but no `non2xx`"),
    ),
    (
        &["url", "connections", "pipelining"],
        Likeness::Near("has `url`, `connections` and `pipelining`, but no `latency`"),
    ),
];

const TEST: Shape = Shape::of("a test", &["latency", "requests", "throughput"]);

const ERRORS: [(&str, &str); 5] = [
    ("errors", "errors"),
    ("timeoutErrors", "timeouts"),
    ("mismatchErrors", "mismatches"),
    ("resetErrors", "resets"),
    ("httpErrors", "non2xx"),
];

fn row(piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
    let Some(test) = piece.object(TEST, sink) else { return };
    // Zeros of what was not answered are no times.
    let answered = test.number("requests/total") != Some(Value::Int(0));
    let mut metrics = Metrics::default();
    if answered {
        add_spread(&mut metrics, "requestsPerSecond", test.at("requests"));
        add_spread(&mut metrics, "latencyMs", test.at("latency"));
        metrics.extend(test.at("latency").numbers().filter_map(percentile));
        add_spread(&mut metrics, "bytesPerSecond", test.at("throughput"));
    }
    metrics.extend(test.metrics(&ERRORS));
    sink.measured(piece.line, &Cells::of(&name(&test)).failed_if(!answered), &metrics);
}

/// The title, else what was asked for and by how many connections.
fn name(test: &Json<'_>) -> String {
    if let Some(title) = test.text("title").filter(|title| !title.trim().is_empty()) {
        return title.to_owned();
    }
    let connections = test.number("connections").map(|connections| format!("{connections} connections"));
    with_details(&address(test.text_or_empty("url")), connections.as_slice())
}

fn add_spread(metrics: &mut Metrics, metric: &str, fields: &Json<'_>) {
    let parts = [("", "mean"), (".stddev", "stddev"), (".min", "min"), (".max", "max")];
    metrics.add_parts(metric, parts.map(|(part, field)| (part, fields.number(field))));
}

/// `latencyP99.9Ms` for `p99_9`; the lower half is of no interest.
fn percentile((field, value): (&str, Value)) -> Option<(String, Option<Value>)> {
    let percentile = field.strip_prefix('p')?.replace('_', ".");
    is_upper_half(&percentile).then(|| (format!("latencyP{percentile}Ms"), Some(value)))
}
