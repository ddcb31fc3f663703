//! `deno bench --json`, in nanoseconds.
//!
//! Source: the JSON reporter of `deno bench` in Deno 2.9.6.

use crate::tools::common::prelude::*;

pub(crate) const FORMAT: Format = Format::named("deno")
    .about("deno bench --json: time with its extremes and percentiles of every benchmark")
    .looks_like(|head| {
        (json::has_keys(head, b"{", &["runtime", "benches"]) && has_all(head, &["Deno/"])).into()
    })
    .document(|source, sink| json::pieces(source, sink, &[&["benches", "*"]], rows));

const METRICS: [(&str, &str); 7] = [
    ("timeNs", "ok/avg"),
    ("timeNs.min", "ok/min"),
    ("timeNs.max", "ok/max"),
    ("timeP75Ns", "ok/p75"),
    ("timeP99Ns", "ok/p99"),
    ("timeP99.5Ns", "ok/p995"),
    ("timeP99.9Ns", "ok/p999"),
];

fn rows(piece: &Piece<'_>, sink: &mut RowCollector<'_>) {
    let Some(bench) = piece.object(Shape::of("a benchmark", &["name"]), sink) else { return };
    let name = joined([bench.text_or_empty("group"), bench.text_or_empty("name")], "/");
    for result in bench.list("results") {
        sink.measured(
            piece.line,
            &Cells::of(&name).failed_if(result.has("failed")),
            &result.metrics(&METRICS),
        );
    }
}
