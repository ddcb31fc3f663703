//! oha's `--output-format json`: one load test, in seconds.

use perf_model::metric::Declared;

use crate::tools::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("oha")
    .about("oha --output-format json: requests per second, latency and its percentiles, errors")
    .looks_like(|head| json::likeness(head, b"{", KEYS))
    .document(|source, sink| json::pieces(source, sink, &[&[]], row));

const KEYS: &[(&[&str], Likeness)] = &[
    (&["summary", "requestsPerSec", "$schema"], Likeness::Near("is a JSON schema, not a result")),
    (&["summary", "requestsPerSec", "latencyPercentiles"], Likeness::Yes),
    (
        &["summary", "requestsPerSec"],
        Likeness::Near("has a `summary` with `requestsPerSec`, but no `latencyPercentiles`"),
    ),
];

/// The output does not contain the request.
const SCENARIO: &str = "oha";

const HEADLINE: [(&str, &str); 7] = [
    ("requestsPerSecond", "summary/requestsPerSec"),
    ("requestsPerSecond.stddev", "rps/stddev"),
    ("requestsPerSecond.min", "rps/min"),
    ("requestsPerSecond.max", "rps/max"),
    ("latencyS", "summary/average"),
    ("latencyS.min", "summary/fastest"),
    ("latencyS.max", "summary/slowest"),
];

const SIZES: [(&str, &str); 3] = [
    ("bytesPerSecond", "summary/sizePerSec"),
    ("bytesPerRequest", "summary/sizePerRequest"),
    ("successRate", "summary/successRate"),
];

fn row(piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
    let shape = Shape::of("a test", &["summary"]).without(&["responseTimeHistogram"]);
    let Some(test) = piece.object(shape, sink) else { return };
    let meaning = Meaning { unit: Unit::None, direction: Direction::Higher, exact: false };
    sink.declare("successRate", Declared { label: Some("Success rate".to_owned()), meaning });
    sink.means("bytesPerRequest", Unit::Bytes, Direction::Unknown);
    let mut metrics = test.metrics(&HEADLINE);
    metrics.extend(percentiles("latency", test.at("latencyPercentiles")));
    for (name, phase) in test.at("details").entries() {
        let metric = match &**name {
            "DNSDialup" => "dialS".to_owned(),
            "DNSLookup" => "lookupS".to_owned(),
            other => format!("{other}S"),
        };
        let parts = [("", "average"), (".min", "fastest"), (".max", "slowest")];
        metrics.add_parts(&metric, parts.map(|(part, field)| (part, phase.number(field))));
    }
    metrics.extend(percentiles("firstByte", test.at("firstBytePercentiles")));
    metrics.extend(test.metrics(&SIZES));
    // Requests that are under way when the time is over did not fail.
    let errors = test.at("errorDistribution").sum(|why| why != "aborted due to deadline");
    let http_errors = test.at("statusCodeDistribution").sum(|code| code.starts_with(['4', '5']));
    metrics.add("errors", Some(Value::Int(errors)));
    metrics.add("httpErrors", Some(Value::Int(http_errors)));
    // Without an answer there are no times.
    let failed = test.number("summary/average").is_none();
    sink.measured(piece.line, &Cells::of(SCENARIO).failed_if(failed), &metrics);
}

/// `latencyP99S` for `p99`.
fn percentiles(of: &str, percentiles: &Json<'_>) -> impl Iterator<Item = (String, Option<Value>)> {
    let entries = percentiles.entries().iter();
    entries.map(move |(name, value)| (format!("{of}P{}S", name.trim_start_matches('p')), value.as_number()))
}
