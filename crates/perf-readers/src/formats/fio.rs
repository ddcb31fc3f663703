//! fio's `--output-format=json`: reads, writes and trims of every job.
//!
//! If a job does no I/O in a direction, there is no row for that direction. The percentiles are of the completion
//! latency, or of the total latency if fio was configured for it (`lat_percentiles`).
//!
//! Source: `add_ddir_status_json` in `stat.c` of fio 3.33.

use crate::formats::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("fio")
    .about(
        "fio --output-format=json: operations and bytes per second, latency and its percentiles of every job",
    )
    .contains(&["\"fio version\""])
    .looks_like(|head| json::has_keys(head, "{", &["fio version", "jobs"]).into())
    .document(|input, sink| json::pieces(input, sink, &[&["jobs", "*"]], rows));

fn rows(piece: &Piece<'_>, sink: &mut Rows<'_>) {
    let Some(job) = piece.object(Shape::of("a job", &["jobname"]), sink) else {
        return;
    };
    let name = job.text_or_empty("jobname");
    if job
        .number("error")
        .is_some_and(|error| error != Value::Int(0))
    {
        return sink.without_metrics(piece.line, &Cells::of(name), Outcome::Failed);
    }
    for direction in ["read", "write", "trim"] {
        let done = job.at(direction);
        let is_zero = |field| {
            done.number(field)
                .is_none_or(|number| number == Value::Int(0))
        };
        if !(is_zero("total_ios") && is_zero("iops")) {
            sink.measured(
                piece.line,
                &Cells::of(&format!("{name} {direction}")),
                &metrics(done),
            );
        }
    }
}

/// Returns a job's metrics for one direction. Before version 3, fio prints kibibytes per second and microseconds.
fn metrics(done: &Json<'_>) -> Metrics {
    let kibibytes = || Value::new(done.number("bw")?.as_f64() * 1024.0);
    let mut metrics = Metrics::from([
        ("requestsPerSecond", done.number("iops")),
        ("bytesPerSecond", done.number("bw_bytes").or_else(kibibytes)),
    ]);
    let is_old = done.has("lat/mean");
    let (total, completion, places) = if is_old {
        ("lat", "clat", 3)
    } else {
        ("lat_ns", "clat_ns", 0)
    };
    let latency = done.at(total);
    let is_measured = latency.number("N") != Some(Value::Int(0));
    let parts = [
        ("", "mean"),
        (".stddev", "stddev"),
        (".min", "min"),
        (".max", "max"),
    ];
    let parts = parts.into_iter().filter(|_| is_measured);
    metrics.add_parts(
        "latencyNs",
        parts.map(|(part, field)| (part, latency.shifted(field, places))),
    );
    metrics.extend(percentiles("latency", latency, places));
    metrics.extend(percentiles(
        "completionLatency",
        done.at(completion),
        places,
    ));
    metrics
}

/// Returns the metrics for a latency's percentiles, whose keys are numbers such as `99.900000`. Percentiles below 50
/// are ignored.
fn percentiles(
    of: &str,
    latency: &Json<'_>,
    places: i32,
) -> impl Iterator<Item = (String, Option<Value>)> {
    let all = latency.at("percentile").entries().iter();
    all.filter_map(move |(percentile, latency)| {
        let percentile: f64 = percentile
            .parse()
            .ok()
            .filter(|percentile| *percentile >= 50.0)?;
        Some((format!("{of}P{percentile}Ns"), latency.shifted("", places)))
    })
}
